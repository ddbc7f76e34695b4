import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BatchGetRequest,
  BatchStoreRequest,
  ChangeKind,
  DeleteRequest,
  ForgetRequest,
  GetRequest,
  ListOrder,
  ListRequest,
  ListRevisionsRequest,
  SetImportanceRequest,
  StoreRequest,
  UpdateRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { MemoryView, Tier } from '../../gen/ts/mneme/v1/memory.ts';
import { ask, refusal } from './support/ask.ts';
import { startTestServer, type TestServer } from './support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

const f32 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);
const vector = (...values: number[]) => ({ dataF32le: f32(...values), dimension: values.length, model: 'm' });
const json = (value: unknown) => ({ mediaType: 'application/json', data: Buffer.from(JSON.stringify(value)) });

/** A namespace that no other test uses. */
const fresh = () => `namespaces/t-${randomUUID()}`;

async function store(parent: string, memory: Parameters<typeof StoreRequest.fromPartial>[0]['memory'], memoryId = '') {
  const request = StoreRequest.fromPartial({ parent, memory, memoryId });
  const { memory: receipt, revision } = await ask(mneme.memories, mneme.memories.store, request);
  if (!receipt) throw new Error('no receipt');
  return { ...receipt, revision };
}

async function get(name: string, view: MemoryView = MemoryView.MEMORY_VIEW_FULL) {
  const { memory } = await ask(mneme.memories, mneme.memories.get, GetRequest.fromPartial({ name, view }));
  if (!memory) throw new Error('no memory');
  return memory;
}

describe('Store', () => {
  it('when every field is given › Get returns them as they were', async () => {
    const parent = fresh();
    const time = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 123_456_000 });
    const memory = {
      scope: { namespace: '', project: 'p', agentType: 'planner', agent: 'a', session: 's' },
      type: 'episode',
      step: 9_007_199_254_740_991n,
      eventTime: time(-1_000_000_000),
      text: 'naïve “text” 🙂',
      content: { mediaType: 'image/png', data: Buffer.from([0, 255, 1, 254]) },
      tags: ['b', 'a'],
      embedding: vector(0.5, -0.25, 3),
      place: {
        point: { x: 1.5, y: -2, z: 0 },
        geo: { latitudeDeg: 52.5, longitudeDeg: 13.4 },
        location: 'harbour',
        room: 'hall',
        region: 'north',
      },
      importance: 0,
      priority: 0.25,
      source: { speaker: 'Caroline', uri: 'chat:1', origin: 'import' },
      expireTime: time(9_000_000_000),
      validFrom: time(0),
      validUntil: time(1),
      supersededBy: `${parent}/memories/next`,
    };

    const receipt = await store(parent, { ...memory, tags: ['b', 'a', 'b'] }, 'the-one');
    const found = await get(receipt.name);

    expect(receipt.name).toBe(`${parent}/memories/the-one`);
    expect(receipt.embeddingPending).toBe(false);
    expect(found).toEqual({
      ...memory,
      name: receipt.name,
      scope: { ...memory.scope, namespace: parent.slice('namespaces/'.length) },
      createTime: receipt.createTime,
      updateTime: receipt.createTime,
      tier: Tier.TIER_SHORT_TERM,
      retrievalCount: 0,
      lastAccessTime: undefined,
      checksum: receipt.checksum,
      etag: receipt.etag,
      revision: receipt.revision,
    });
  });

  it('when only a text is given › fills in the documented defaults', async () => {
    const { name, createTime } = await store(fresh(), { text: 'x' });

    expect(name).toMatch(/\/memories\/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(await get(name)).toMatchObject({ type: 'fact', importance: 0.5, priority: 1, eventTime: createTime, tags: [] });
  });

  it('when a speaker is given › the type is message', async () => {
    const { name } = await store(fresh(), { text: 'x', source: { speaker: 'Ann' } });

    expect((await get(name)).type).toBe('message');
  });

  it('when only JSON is given › the text is its keys and values in reading order', async () => {
    const data = Buffer.from('{"z":"one","10":[true,null,{"a":12345678901234567890}],"b":"\\u00e9\\u0000"}');
    const { name } = await store(fresh(), { content: { mediaType: 'application/json', data } });

    expect((await get(name)).text).toBe('z one 10 true a 12345678901234567890 b é ');
  });

  it('when a text/* content is given without text › the text is the content, cut at a character', async () => {
    const data = Buffer.from('é'.repeat(40_000));
    const { name } = await store(fresh(), { content: { mediaType: 'text/markdown; charset=utf-8', data } });
    const found = await get(name);

    expect(found.text).toBe('é'.repeat(32_768));
    expect(found.content?.data.equals(data)).toBe(true);
  });

  it('when the id is taken › ALREADY_EXISTS names it and the first memory stays', async () => {
    const parent = fresh();
    const { name } = await store(parent, { text: 'first' }, 'x');

    expect(await refusal(store(parent, { text: 'second' }, 'x'))).toMatchObject({
      code: 'ALREADY_EXISTS',
      reason: 'MEMORY_EXISTS',
      metadata: { name },
    });
    expect((await get(name)).text).toBe('first');
  });

  it('when the vector has another dimension or model than the namespace › INVALID_ARGUMENT says which', async () => {
    const parent = fresh();
    await store(parent, { embedding: vector(1, 2) });

    expect(await refusal(store(parent, { embedding: vector(1, 2, 3) }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'DIMENSION_MISMATCH',
      metadata: { expected: '2', actual: '3' },
    });
    expect(await refusal(store(parent, { embedding: { ...vector(1, 2), model: 'other' } }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'MODEL_MISMATCH',
      metadata: { expected: 'm', actual: 'other' },
    });
  });
});

describe('BatchStore', () => {
  it('when all are well › stores them in order', async () => {
    const parent = fresh();
    const requests = ['a', 'b', 'c'].map((memoryId) => ({ parent, memoryId, memory: { text: memoryId } }));
    const request = BatchStoreRequest.fromPartial({ parent, requests });
    const { memories, revision } = await ask(mneme.memories, mneme.memories.batchStore, request);

    expect(memories.map(({ name }) => name)).toEqual(['a', 'b', 'c'].map((id) => `${parent}/memories/${id}`));
    expect(revision).toBe((await get(`${parent}/memories/c`)).revision);
  });

  it('when one id is taken › stores none of them', async () => {
    const parent = fresh();
    await store(parent, { text: 'x' }, 'b');
    const requests = ['a', 'b'].map((memoryId) => ({ memoryId, memory: { text: memoryId } }));
    const call = ask(mneme.memories, mneme.memories.batchStore, BatchStoreRequest.fromPartial({ parent, requests }));

    expect(await refusal(call)).toMatchObject({ code: 'ALREADY_EXISTS', reason: 'MEMORY_EXISTS' });
    expect(await refusal(get(`${parent}/memories/a`))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('Get', () => {
  it('when there is no such memory or namespace › NOT_FOUND names it', async () => {
    const parent = fresh();
    await store(parent, { text: 'x' });

    expect(await refusal(get(`${parent}/memories/none`))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'MEMORY_NOT_FOUND',
      metadata: { name: `${parent}/memories/none` },
    });
    expect(await refusal(get('namespaces/none/memories/x'))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'NAMESPACE_NOT_FOUND',
      metadata: { name: 'namespaces/none' },
    });
  });

  it('when a view is asked for › carries no more than it says', async () => {
    const { name } = await store(fresh(), { text: 'x', embedding: vector(1), content: json({ a: 1 }) });

    expect(await get(name, MemoryView.MEMORY_VIEW_UNSPECIFIED)).toMatchObject({ text: 'x', embedding: undefined });
    expect(await get(name, MemoryView.MEMORY_VIEW_METADATA)).toMatchObject({
      name,
      text: '',
      content: undefined,
      embedding: undefined,
    });
  });

  it('when touched › counts the read and leaves the etag as it is', async () => {
    const { name, etag } = await store(fresh(), { text: 'x' });
    await get(name);
    const request = GetRequest.fromPartial({ name, touch: true });
    const { memory } = await ask(mneme.memories, mneme.memories.get, request);

    expect(memory).toMatchObject({ retrievalCount: 1, etag });
    expect(memory?.lastAccessTime).toBeDefined();
  });

  it('when the revision asked for is not reached › UNAVAILABLE arrives before the deadline', async () => {
    const { name, revision } = await store(fresh(), { text: 'x' });
    const request = GetRequest.fromPartial({ name, minRevision: revision + 1_000_000n });
    const call = ask(mneme.memories, mneme.memories.get, request, { deadlineMs: 400 });

    expect(await refusal(call)).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'REVISION_NOT_YET',
      metadata: { min_revision: String(revision + 1_000_000n) },
      retryDelayMs: 50,
    });
  });

  it('when the revision asked for is reached while it waits › answers', async () => {
    const parent = fresh();
    const { name, revision } = await store(parent, { text: 'x' });
    const request = GetRequest.fromPartial({ name, minRevision: revision + 1n });
    const waiting = ask(mneme.memories, mneme.memories.get, request);
    await store(parent, { text: 'y' });

    expect((await waiting).revision).toBeGreaterThan(revision);
  });
});

describe('BatchGet', () => {
  it('when some are missing › returns the others in the order asked for and lists the missing', async () => {
    const parent = fresh();
    for (const id of ['a', 'b']) await store(parent, { text: id }, id);
    const names = ['b', 'none', 'a'].map((id) => `${parent}/memories/${id}`);
    const answer = await ask(mneme.memories, mneme.memories.batchGet, BatchGetRequest.fromPartial({ parent, names }));

    expect(answer.memories.map(({ text }) => text)).toEqual(['b', 'a']);
    expect(answer.missing).toEqual([`${parent}/memories/none`]);
  });

  it('when the answer would be larger than a message may be › RESOURCE_EXHAUSTED says the limit', async () => {
    const parent = fresh();
    const data = Buffer.alloc(1_048_576, 7);
    for (let i = 0; i < 17; i++) await store(parent, { content: { mediaType: 'x/y', data } }, `m${i}`);
    const names = Array.from({ length: 17 }, (_, i) => `${parent}/memories/m${i}`);
    const call = ask(mneme.memories, mneme.memories.batchGet, BatchGetRequest.fromPartial({ parent, names }));

    expect(await refusal(call)).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'MESSAGE_TOO_LARGE',
      metadata: { limit_bytes: '16777216' },
    });
  });
});

describe('Update', () => {
  async function update(memory: Parameters<typeof UpdateRequest.fromPartial>[0]['memory'], ...updateMask: string[]) {
    const request = UpdateRequest.fromPartial({ memory, updateMask });
    return ask(mneme.memories, mneme.memories.update, request);
  }

  it('when fields are named › changes them and nothing else, and keeps the former state', async () => {
    const { name, etag, createTime } = await store(fresh(), {
      text: 'before',
      tags: ['t'],
      scope: { project: 'p', agent: 'a' },
      step: 3n,
    });
    await update({ name, text: 'after', scope: { agent: 'b', project: 'ignored' } }, 'text', 'scope.agent', 'step');
    const found = await get(name);

    expect(found).toMatchObject({ text: 'after', tags: ['t'], scope: { project: 'p', agent: 'b' }, step: undefined });
    expect(found.etag).not.toBe(etag);
    expect(found.createTime).toEqual(createTime);
    const request = ListRevisionsRequest.fromPartial({ name });
    const { revisions } = await ask(mneme.memories, mneme.memories.listRevisions, request);
    expect(revisions.map(({ memory, change }) => [memory?.text, change])).toEqual([
      ['after', ChangeKind.CHANGE_KIND_UPDATED],
      ['before', ChangeKind.CHANGE_KIND_STORED],
    ]);
  });

  it('when cleared fields have defaults › they get them', async () => {
    const memory = { text: 'x', type: 'fact', importance: 1, priority: 0, source: { speaker: 'Ann' }, eventTime: { seconds: 5n } };
    const { name, createTime } = await store(fresh(), memory);
    await update({ name }, 'type', 'importance', 'priority', 'event_time');

    expect(await get(name)).toMatchObject({ type: 'message', importance: 0.5, priority: 1, eventTime: createTime });
  });

  it('when the content changes › a text that was derived follows it and one that was given stays', async () => {
    const parent = fresh();
    const derived = await store(parent, { content: json({ a: 'one' }) });
    const given = await store(parent, { text: 'mine', content: json({ a: 'one' }) });
    for (const { name } of [derived, given]) await update({ name, content: json({ a: 'two' }) }, 'content');

    expect((await get(derived.name)).text).toBe('a two');
    expect((await get(given.name)).text).toBe('mine');
    await update({ name: given.name }, 'text');
    expect((await get(given.name)).text).toBe('a two');
  });

  it('when nothing would be left › INVALID_ARGUMENT and nothing changes', async () => {
    const { name, etag } = await store(fresh(), { text: 'x' });

    expect(await refusal(update({ name }, 'text'))).toMatchObject({ reason: 'FIELD_INVALID', fields: ['memory'] });
    expect((await get(name)).etag).toBe(etag);
  });

  it('when the etag is another one › ABORTED names both', async () => {
    const { name, etag } = await store(fresh(), { text: 'x' });
    await update({ name, text: 'y', etag }, 'text');

    expect(await refusal(update({ name, text: 'z', etag }, 'text'))).toMatchObject({
      code: 'ABORTED',
      reason: 'ETAG_MISMATCH',
      metadata: { name, expected: etag, actual: (await get(name)).etag },
    });
    expect((await get(name)).text).toBe('y');
  });

  it('when two updates without etag meet › both take effect', async () => {
    const { name } = await store(fresh(), { text: 'x' });
    const parts = ['project', 'agent', 'session'] as const;
    await Promise.all(parts.map((part) => update({ name, scope: { [part]: part } }, `scope.${part}`)));

    expect((await get(name)).scope).toMatchObject({ project: 'project', agent: 'agent', session: 'session' });
  });

  it('when there is no such memory › NOT_FOUND', async () => {
    const parent = fresh();
    await store(parent, { text: 'x' });

    expect(await refusal(update({ name: `${parent}/memories/none`, text: 'y' }, 'text'))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'MEMORY_NOT_FOUND',
    });
  });
});

describe('SetImportance', () => {
  const set = (name: string, importance: number, etag = '') =>
    ask(mneme.memories, mneme.memories.setImportance, SetImportanceRequest.fromPartial({ name, importance, etag }));

  it('when the memory is there › sets it', async () => {
    const { name } = await store(fresh(), { text: 'x' });
    const { memory } = await set(name, 0.9);

    expect(await get(name)).toMatchObject({ importance: 0.9, etag: memory?.etag });
  });

  it('when the etag is wrong or malformed › ABORTED', async () => {
    const { name } = await store(fresh(), { text: 'x' });
    for (const etag of ['"zz"', 'zz', '""', '"-1"', '"zzzzzzzzzzzzzzzzzzzzzzz"']) {
      expect(await refusal(set(name, 0.9, etag))).toMatchObject({ code: 'ABORTED', reason: 'ETAG_MISMATCH' });
    }
    expect((await get(name)).importance).toBe(0.5);
  });

  it('when there is no such memory › NOT_FOUND', async () => {
    expect(await refusal(set('namespaces/none/memories/x', 1))).toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
  });
});

describe('Delete', () => {
  const erase = (name: string, rest: { etag?: string; allowMissing?: boolean } = {}) =>
    ask(mneme.memories, mneme.memories.delete, DeleteRequest.fromPartial({ name, ...rest }));

  it('when the memory is there › it and its revisions are gone', async () => {
    const { name, etag } = await store(fresh(), { text: 'x' });
    await erase(name, { etag });

    expect(await refusal(get(name))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    const revisions = ask(mneme.memories, mneme.memories.listRevisions, ListRevisionsRequest.fromPartial({ name }));
    expect(await refusal(revisions)).toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
  });

  it('when it is gone already › NOT_FOUND, unless that is allowed', async () => {
    const { name } = await store(fresh(), { text: 'x' });
    await erase(name);

    expect(await refusal(erase(name))).toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
    expect((await erase(name, { allowMissing: true })).revision).toBeGreaterThan(0n);
  });

  it('when the etag is another one › ABORTED and the memory stays', async () => {
    const { name } = await store(fresh(), { text: 'x' });

    expect(await refusal(erase(name, { etag: '"0"' }))).toMatchObject({ code: 'ABORTED', reason: 'ETAG_MISMATCH' });
    expect((await get(name)).text).toBe('x');
  });
});

describe('Forget', () => {
  const tagged = (tag: string) => ({
    node: {
      $case: 'comparison' as const,
      value: {
        target: { $case: 'field' as const, value: 19 as const },
        operator: 1 as const,
        values: [{ kind: { $case: 'stringValue' as const, value: tag } }],
        ignoreCase: false,
      },
    },
  });
  const forget = (request: Parameters<typeof ForgetRequest.fromPartial>[0]) =>
    ask(mneme.memories, mneme.memories.forget, ForgetRequest.fromPartial(request));
  async function three() {
    const parent = fresh();
    for (const id of ['a', 'b', 'c']) await store(parent, { text: id, tags: id === 'c' ? ['keep'] : ['old'] }, id);
    return parent;
  }

  it('when a filter is given › erases what it admits and tells what', async () => {
    const parent = await three();
    const answer = await forget({ parent, filter: tagged('old') });

    expect(answer).toMatchObject({ forgottenCount: 2, tiers: [{ tier: Tier.TIER_SHORT_TERM, count: 2 }] });
    expect([...answer.names].sort()).toEqual(['a', 'b'].map((id) => `${parent}/memories/${id}`));
    const list = await ask(mneme.memories, mneme.memories.list, ListRequest.fromPartial({ parent }));
    expect(list.memories.map(({ text }) => text)).toEqual(['c']);
  });

  it('when it only counts › erases nothing', async () => {
    const parent = await three();

    expect(await forget({ parent, filter: tagged('old'), dryRun: true })).toMatchObject({ forgottenCount: 2 });
    expect(await forget({ parent, all: true })).toMatchObject({ forgottenCount: 3 });
  });

  it('when there are more than a batch › erases all of them and the repeated call answers the same', async () => {
    const parent = fresh();
    for (const from of [0, 1000]) {
      const requests = Array.from({ length: 1000 }, (_, i) => ({ memoryId: `m${from + i}`, memory: { text: 'x' } }));
      await ask(mneme.memories, mneme.memories.batchStore, BatchStoreRequest.fromPartial({ parent, requests }));
    }
    const request = { parent, all: true, requestId: randomUUID() };
    const first = await forget(request);

    expect(first).toMatchObject({ forgottenCount: 2000, tiers: [{ count: 2000 }] });
    expect(first.names).toHaveLength(1000);
    expect(await forget(request)).toEqual(first);
    expect(await forget({ parent, all: true })).toMatchObject({ forgottenCount: 0, names: [] });
  });

  it('when neither a filter nor all is given, or both › INVALID_ARGUMENT', async () => {
    const parent = await three();

    expect(await refusal(forget({ parent }))).toMatchObject({ reason: 'FIELD_INVALID', fields: ['filter'] });
    expect(await refusal(forget({ parent, all: true, filter: tagged('x') }))).toMatchObject({ fields: ['filter'] });
  });
});

describe('List', () => {
  const list = (request: Parameters<typeof ListRequest.fromPartial>[0]) =>
    ask(mneme.memories, mneme.memories.list, ListRequest.fromPartial(request));

  it('when it takes several pages › returns each memory once, in order', async () => {
    const parent = fresh();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store(parent, { text: id });
    const query = { parent, order: ListOrder.LIST_ORDER_CREATE_TIME_ASC, pageSize: 2 };
    const texts: string[][] = [];
    let pageToken = '';
    do {
      const page = await list({ ...query, pageToken });
      texts.push(page.memories.map(({ text }) => text));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');

    expect(texts.flat()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(texts[0]).toEqual(['a', 'b']);
  });

  it('when size and view change between pages › the token holds; when anything else does › PAGE_TOKEN_INVALID', async () => {
    const parent = fresh();
    const other = fresh();
    for (const id of ['a', 'b', 'c']) await store(parent, { text: id });
    await store(other, { text: 'x' });
    const { nextPageToken: pageToken } = await list({ parent, pageSize: 1 });

    const view = MemoryView.MEMORY_VIEW_METADATA;
    expect((await list({ parent, pageSize: 2, view, pageToken })).memories).toHaveLength(2);
    const foreign = [
      { parent: other, pageToken },
      { parent, order: ListOrder.LIST_ORDER_CREATE_TIME_ASC, pageToken },
      { parent, pageToken: `${pageToken.slice(0, -2)}AA` },
      { parent, pageToken: 'nonsense' },
      { parent, pageToken: `${pageToken}=` },
    ];
    for (const request of foreign) {
      expect(await refusal(list(request))).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'PAGE_TOKEN_INVALID' });
    }
  });

  it('when the contents are large › pages end before they are too large for a message', async () => {
    const parent = fresh();
    const data = Buffer.alloc(1_000_000, 7);
    for (let i = 0; i < 5; i++) await store(parent, { content: { mediaType: 'x/y', data } });
    const page = await list({ parent });

    expect(page.memories.length).toBeGreaterThan(0);
    expect(page.memories.length).toBeLessThan(5);
    expect(page.nextPageToken).not.toBe('');
  });

  it('when the page size is over the limit › it counts as the limit', async () => {
    const parent = fresh();
    await store(parent, { text: 'x' });

    expect((await list({ parent, pageSize: 2_000_000_000 })).memories).toHaveLength(1);
  });
});

describe('ListRevisions', () => {
  it('when it takes several pages › returns the states newest first', async () => {
    const { name } = await store(fresh(), { text: '0' });
    for (const text of ['1', '2', '3']) {
      const request = UpdateRequest.fromPartial({ memory: { name, text }, updateMask: ['text'] });
      await ask(mneme.memories, mneme.memories.update, request);
    }
    const texts: (string | undefined)[] = [];
    let pageToken = '';
    do {
      const request = ListRevisionsRequest.fromPartial({ name, pageSize: 3, pageToken });
      const page = await ask(mneme.memories, mneme.memories.listRevisions, request);
      texts.push(...page.revisions.map(({ memory }) => memory?.text));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');

    expect(texts).toEqual(['3', '2', '1', '0']);
  });
});
