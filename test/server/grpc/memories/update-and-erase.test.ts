import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChangeKind } from '../../../../gen/ts/mneme/v1/change.ts';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  BatchStoreMemoriesRequest,
  DeleteMemoryRequest,
  ForgetMemoriesRequest,
  ListMemoriesRequest,
  ListMemoryRevisionsRequest,
  SetMemoryImportanceRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { expire, freshNamespace, get, json, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

describe('Update', () => {
  async function update(
    memory: Parameters<typeof UpdateMemoryRequest.fromPartial>[0]['memory'],
    ...updateMask: string[]
  ) {
    const request = UpdateMemoryRequest.fromPartial({ memory, updateMask });
    return ask(mneme.memories, mneme.memories.updateMemory, request);
  }
  const updateAt = (ifVersion: bigint, memory: { name: string; text: string }) =>
    ask(
      mneme.memories,
      mneme.memories.updateMemory,
      UpdateMemoryRequest.fromPartial({ memory, updateMask: ['text'], ifVersion }),
    );

  it('when the memory has expired › it is not there, and its id can be stored again', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'first' }, 'a');
    await expire(mneme, name);
    expect(await refusal(get(mneme, name))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(update({ name }, 'expire_time'))).toMatchObject({ code: 'NOT_FOUND' });
    await store(mneme, parent, { text: 'second' }, 'a');
    expect(await get(mneme, name)).toMatchObject({ text: 'second' });
  });

  it('when fields are named › changes only these, and keeps the former state', async () => {
    const { name, version, createTime } = await store(mneme, freshNamespace(), {
      text: 'before',
      tags: ['t'],
      scope: { project: 'p', agent: 'a' },
      step: 3n,
    });
    await update({ name, text: 'after', scope: { agent: 'b', project: 'ignored' } }, 'text', 'scope.agent', 'step');
    const found = await get(mneme, name);

    expect(found).toMatchObject({ text: 'after', tags: ['t'], scope: { project: 'p', agent: 'b' }, step: undefined });
    expect(found.version).toBeGreaterThan(version);
    expect(found.createTime).toEqual(createTime);
    const request = ListMemoryRevisionsRequest.fromPartial({ name });
    const { revisions } = await ask(mneme.memories, mneme.memories.listMemoryRevisions, request);
    expect(revisions.map(({ memory, change }) => [memory?.text, change])).toEqual([
      ['after', ChangeKind.CHANGE_KIND_UPDATED],
      ['before', ChangeKind.CHANGE_KIND_STORED],
    ]);
  });

  it('when validity would end before it begins › refused with the field, and nothing changes', async () => {
    const validFrom = { seconds: 5n };
    const { name } = await store(mneme, freshNamespace(), { text: 'x', validFrom });
    const refused = await refusal(update({ name, validUntil: { seconds: 4n } }, 'valid_until'));

    expect(refused).toMatchObject({ reason: 'FIELD_INVALID', fields: ['memory.valid_until'] });
    expect((await get(mneme, name)).validUntil).toBeUndefined();
    await update({ name, validUntil: { seconds: 4n } }, 'valid_until', 'valid_from');
    expect(await get(mneme, name)).toMatchObject({ validFrom: undefined, validUntil: { seconds: 4n } });
  });

  it('when cleared fields have defaults › they get them', async () => {
    const memory = {
      text: 'x',
      type: 'fact',
      importance: 1,
      priority: 0,
      source: { speaker: 'Ann' },
      eventTime: { seconds: 5n },
    };
    const { name, createTime } = await store(mneme, freshNamespace(), memory);
    await update({ name }, 'type', 'importance', 'priority', 'event_time');

    expect(await get(mneme, name)).toMatchObject({
      type: 'message',
      importance: 0.5,
      priority: 1,
      eventTime: createTime,
    });
  });

  it('when the content changes › a derived text follows it and an explicit one stays', async () => {
    const parent = freshNamespace();
    const derived = await store(mneme, parent, { content: json({ a: 'one' }) });
    const provided = await store(mneme, parent, { text: 'mine', content: json({ a: 'one' }) });
    for (const { name } of [derived, provided]) await update({ name, content: json({ a: 'two' }) }, 'content');

    expect((await get(mneme, derived.name)).text).toBe('a two');
    expect((await get(mneme, provided.name)).text).toBe('mine');
    await update({ name: provided.name }, 'text');
    expect((await get(mneme, provided.name)).text).toBe('a two');
  });

  it('when the memory would be empty › INVALID_ARGUMENT and nothing changes', async () => {
    const { name, version } = await store(mneme, freshNamespace(), { text: 'x' });

    expect(await refusal(update({ name }, 'text'))).toMatchObject({ reason: 'FIELD_INVALID', fields: ['memory'] });
    expect((await get(mneme, name)).version).toBe(version);
  });

  it('when the version is another one › ABORTED names both', async () => {
    const { name, version } = await store(mneme, freshNamespace(), { text: 'x' });
    await updateAt(version, { name, text: 'y' });

    expect(await refusal(updateAt(version, { name, text: 'z' }))).toMatchObject({
      code: 'ABORTED',
      reason: 'VERSION_MISMATCH',
      metadata: { name, expected: String(version), actual: String((await get(mneme, name)).version) },
    });
    expect((await get(mneme, name)).text).toBe('y');
  });

  it('two concurrent updates without a version › both take effect', async () => {
    const { name } = await store(mneme, freshNamespace(), { text: 'x' });
    const parts = ['project', 'agent', 'session'] as const;
    await Promise.all(parts.map((part) => update({ name, scope: { [part]: part } }, `scope.${part}`)));

    expect((await get(mneme, name)).scope).toMatchObject({ project: 'project', agent: 'agent', session: 'session' });
  });

  it('when there is no such memory › NOT_FOUND', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'x' });

    expect(await refusal(update({ name: `${parent}/memories/none`, text: 'y' }, 'text'))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'MEMORY_NOT_FOUND',
    });
  });
});

describe('SetImportance', () => {
  const set = (name: string, importance: number, ifVersion?: bigint) =>
    ask(
      mneme.memories,
      mneme.memories.setMemoryImportance,
      SetMemoryImportanceRequest.fromPartial({ name, importance, ifVersion }),
    );

  it('when the memory is there › sets it', async () => {
    const { name } = await store(mneme, freshNamespace(), { text: 'x' });
    const { memory } = await set(name, 0.9);

    expect(await get(mneme, name)).toMatchObject({ importance: 0.9, version: memory?.version });
  });

  it('when the version is another one › ABORTED', async () => {
    const { name } = await store(mneme, freshNamespace(), { text: 'x' });
    for (const version of [0n, 9_007_199_254_740_991n]) {
      expect(await refusal(set(name, 0.9, version))).toMatchObject({ code: 'ABORTED', reason: 'VERSION_MISMATCH' });
    }
    expect((await get(mneme, name)).importance).toBe(0.5);
  });

  it('when there is no such memory › NOT_FOUND', async () => {
    expect(await refusal(set('namespaces/none/memories/x', 1))).toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
  });
});

describe('Delete', () => {
  const erase = (name: string, rest: { ifVersion?: bigint; allowMissing?: boolean } = {}) =>
    ask(mneme.memories, mneme.memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name, ...rest }));

  it('when the memory exists › it and its revisions are deleted', async () => {
    const { name, version } = await store(mneme, freshNamespace(), { text: 'x' });
    await erase(name, { ifVersion: version });

    expect(await refusal(get(mneme, name))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    const revisions = ask(
      mneme.memories,
      mneme.memories.listMemoryRevisions,
      ListMemoryRevisionsRequest.fromPartial({ name }),
    );
    expect(await refusal(revisions)).toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
  });

  it('when it is deleted already › NOT_FOUND, unless allow_missing is set', async () => {
    const { name } = await store(mneme, freshNamespace(), { text: 'x' });
    await erase(name);

    expect(await refusal(erase(name))).toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
    expect((await erase(name, { allowMissing: true })).revision).toBeGreaterThan(0n);
  });

  it('when the version is another one › ABORTED and the memory stays', async () => {
    const { name } = await store(mneme, freshNamespace(), { text: 'x' });

    expect(await refusal(erase(name, { ifVersion: 0n }))).toMatchObject({
      code: 'ABORTED',
      reason: 'VERSION_MISMATCH',
    });
    expect((await get(mneme, name)).text).toBe('x');
  });
});

describe('Forget', () => {
  const tagged = (tag: string) => ({
    node: {
      $case: 'comparison' as const,
      value: {
        target: { $case: 'field' as const, value: 19 as const },
        op: 1 as const,
        values: [{ kind: { $case: 'stringValue' as const, value: tag } }],
        ignoreCase: false,
      },
    },
  });
  const forget = (request: Parameters<typeof ForgetMemoriesRequest.fromPartial>[0]) =>
    ask(mneme.memories, mneme.memories.forgetMemories, ForgetMemoriesRequest.fromPartial(request));
  async function three() {
    const parent = freshNamespace();
    for (const id of ['a', 'b', 'c'])
      await store(mneme, parent, { text: id, tags: id === 'c' ? ['keep'] : ['old'] }, id);
    return parent;
  }

  it('when a filter is set › deletes the admitted memories and lists them', async () => {
    const parent = await three();
    const answer = await forget({ parent, filter: tagged('old') });

    expect(answer).toMatchObject({ forgottenCount: 2, tiers: [{ tier: Tier.TIER_SHORT_TERM, count: 2 }] });
    expect([...answer.names].sort()).toEqual(['a', 'b'].map((id) => `${parent}/memories/${id}`));
    const list = await ask(mneme.memories, mneme.memories.listMemories, ListMemoriesRequest.fromPartial({ parent }));
    expect(list.memories.map(({ text }) => text)).toEqual(['c']);
  });

  it('with dry_run › deletes nothing', async () => {
    const parent = await three();

    expect(await forget({ parent, filter: tagged('old'), dryRun: true })).toMatchObject({ forgottenCount: 2 });
    expect(await forget({ parent, all: true })).toMatchObject({ forgottenCount: 3 });
  });

  it('when there are more than a batch › erases all of them and the repeated call answers the same', async () => {
    const parent = freshNamespace();
    for (const from of [0, 1000]) {
      const requests = Array.from({ length: 1000 }, (_, i) => ({ memoryId: `m${from + i}`, memory: { text: 'x' } }));
      await ask(
        mneme.memories,
        mneme.memories.batchStoreMemories,
        BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
      );
    }
    const request = { parent, all: true, requestId: randomUUID() };
    const first = await forget(request);

    expect(first).toMatchObject({ forgottenCount: 2000, tiers: [{ count: 2000 }] });
    expect(first.names).toHaveLength(1000);
    expect(await forget(request)).toEqual(first);
    expect(await forget({ parent, all: true })).toMatchObject({ forgottenCount: 0, names: [] });
  });

  it('when neither a filter nor all is set, or both › INVALID_ARGUMENT', async () => {
    const parent = await three();

    expect(await refusal(forget({ parent }))).toMatchObject({ reason: 'FIELD_INVALID', fields: ['filter'] });
    expect(await refusal(forget({ parent, all: true, filter: tagged('x') }))).toMatchObject({ fields: ['filter'] });
  });
});
