import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import { BatchStoreMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

describe('Store', () => {
  it('when every field is set › Get returns them unchanged', async () => {
    const parent = freshNamespace();
    const time = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 123_456_000 });
    const memory = {
      scope: { namespace: '', project: 'p', agentType: 'planner', agent: 'a', session: 's' },
      type: 'episode',
      step: 9_007_199_254_740_991n,
      eventTime: time(-1_000_000_000),
      text: 'naïve “text” 🙂',
      content: { mediaType: 'image/png', body: { $case: 'data' as const, value: Buffer.from([0, 255, 1, 254]) } },
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

    const receipt = await store(mneme, parent, { ...memory, tags: ['b', 'a', 'b'] }, 'the-one');
    const found = await get(mneme, receipt.name);

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
      version: receipt.version,
    });
  });

  it('when only a text is set › fills in the documented defaults', async () => {
    const { name, createTime } = await store(mneme, freshNamespace(), { text: 'x' });

    expect(name).toMatch(/\/memories\/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(await get(mneme, name)).toMatchObject({
      type: 'statement',
      importance: 0.5,
      priority: 1,
      eventTime: createTime,
      tags: [],
    });
  });

  it('when a speaker is set › the type is message', async () => {
    const { name } = await store(mneme, freshNamespace(), { text: 'x', source: { speaker: 'Ann' } });

    expect((await get(mneme, name)).type).toBe('message');
  });

  it('when only JSON is set › the text is its keys and values in reading order', async () => {
    const data = Buffer.from('{"z":"one","10":[true,null,{"a":12345678901234567890}],"b":"\\u00e9\\u0000"}');
    const { name } = await store(mneme, freshNamespace(), {
      content: { mediaType: 'application/json', body: { $case: 'data' as const, value: data } },
    });

    expect((await get(mneme, name)).text).toBe('z one 10 true a 12345678901234567890 b é ');
  });

  it('when a text/* content is set without text › the text is the content', async () => {
    const data = Buffer.from('é'.repeat(40_000));
    const { name } = await store(mneme, freshNamespace(), {
      content: { mediaType: 'text/markdown; charset=utf-8', body: { $case: 'data' as const, value: data } },
    });
    const found = await get(mneme, name);

    expect(found.text).toBe(data.toString());
    expect(found.content?.body).toEqual({ $case: 'text', value: data.toString() });
  });

  it('when the id exists › ALREADY_EXISTS names it and the first memory stays', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'first' }, 'x');

    expect(await refusal(store(mneme, parent, { text: 'second' }, 'x'))).toMatchObject({
      code: 'ALREADY_EXISTS',
      reason: 'MEMORY_EXISTS',
      metadata: { name },
    });
    expect((await get(mneme, name)).text).toBe('first');
  });

  it('when the vector has another dimension or model than the namespace › INVALID_ARGUMENT names both', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { embedding: vector(1, 2) });

    expect(await refusal(store(mneme, parent, { embedding: vector(1, 2, 3) }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'DIMENSION_MISMATCH',
      metadata: { expected: '2', actual: '3' },
      fields: ['memory.embedding.dimension'],
    });
    expect(await refusal(store(mneme, parent, { embedding: { ...vector(1, 2), model: 'other' } }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'MODEL_MISMATCH',
      metadata: { expected: 'm', actual: 'other' },
      fields: ['memory.embedding.model'],
    });
    const requests = [{ memory: { embedding: vector(3, 4) } }, { memory: { embedding: vector(1, 2, 3) } }];
    const batch = BatchStoreMemoriesRequest.fromPartial({ parent, requests });
    expect(await refusal(ask(mneme.memories, mneme.memories.batchStoreMemories, batch))).toMatchObject({
      reason: 'DIMENSION_MISMATCH',
      fields: ['requests[1].memory.embedding.dimension'],
    });
  });
});

describe('BatchStore', () => {
  it('when all are well › stores them in order', async () => {
    const parent = freshNamespace();
    const requests = ['a', 'b', 'c'].map((memoryId) => ({ parent, memoryId, memory: { text: memoryId } }));
    const request = BatchStoreMemoriesRequest.fromPartial({ parent, requests });
    const { memories, revision } = await ask(mneme.memories, mneme.memories.batchStoreMemories, request);

    expect(memories.map(({ name }) => name)).toEqual(['a', 'b', 'c'].map((id) => `${parent}/memories/${id}`));
    expect(revision).toBe((await get(mneme, `${parent}/memories/c`)).version);
  });

  it('when one id exists › stores none of them', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'x' }, 'b');
    const requests = ['a', 'b'].map((memoryId) => ({ memoryId, memory: { text: memoryId } }));
    const call = ask(
      mneme.memories,
      mneme.memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
    );

    expect(await refusal(call)).toMatchObject({ code: 'ALREADY_EXISTS', reason: 'MEMORY_EXISTS' });
    expect(await refusal(get(mneme, `${parent}/memories/a`))).toMatchObject({ code: 'NOT_FOUND' });
  });
});
