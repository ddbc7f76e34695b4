import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest, GetServerStatisticsRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import type { Memory } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  BatchStoreMemoriesRequest,
  ConflictPolicy,
  ExportMemoriesRequest,
  type ExportMemoriesResponse,
  ImportMemoriesRequest,
  type ImportMemoriesResponse,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { expire, freshNamespace, get, json, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

async function exported(parent: string): Promise<{ parts: ExportMemoriesResponse[]; memories: Memory[] }> {
  const parts: ExportMemoriesResponse[] = [];
  const stream = mneme.memories.exportMemories(ExportMemoriesRequest.fromPartial({ parent }));
  for await (const part of stream) parts.push(part as ExportMemoriesResponse);
  return { parts, memories: parts.flatMap(({ memories }) => memories) };
}

/** Sends the messages one after the other and returns the acknowledgements. */
async function imported(
  ...messages: Parameters<typeof ImportMemoriesRequest.fromPartial>[0][]
): Promise<ImportMemoriesResponse[]> {
  const stream = mneme.memories.importMemories();
  const answers: ImportMemoriesResponse[] = [];
  stream.on('data', (answer: ImportMemoriesResponse) => answers.push(answer));
  const ended = once(stream, 'end');
  for (const message of messages) stream.write(ImportMemoriesRequest.fromPartial(message));
  stream.end();
  await ended;
  return answers;
}

describe('GetServerInfo', () => {
  it('when called › reports version and backends', async () => {
    const info = await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));

    expect(info.version).toMatch(/^\d+\.\d+\.\d+/);
    const technology = expect.stringMatching(/^sqlite [\d.]+$/);
    expect(info.backends).toEqual([
      { role: 'memories', technology, durability: 'power loss' },
      { role: 'sessions', technology, durability: 'power loss' },
    ]);
    expect(info.embedder).toMatchObject({ kind: 'static', model: 'static-minilm-v1', dimension: 256 });
    expect(info.limits).toContainEqual({ name: 'max_batch_size', value: 1000 });
    expect(info.degraded).toEqual([]);
    // Only version 1.0 of the API.
    expect(info.capabilities).toEqual([]);
  });
});

describe('GetStatistics', () => {
  it('when called › counts the contents of all namespaces', async () => {
    await store(mneme, freshNamespace(), { text: 'x' });
    const answer = await ask(mneme.admin, mneme.admin.getServerStatistics, GetServerStatisticsRequest.fromPartial({}));

    expect(answer.statistics?.memoryCount).toBeGreaterThan(0);
    expect(answer.namespaceCount).toBeGreaterThan(0);
    expect(answer.diskBytes).toBeGreaterThan(0);
  });
});

describe('Export', () => {
  it('when there are several messages of memories › each is sent once, in order, with its vector', async () => {
    const parent = freshNamespace();
    const requests = Array.from({ length: 600 }, (_, i) => ({
      memoryId: `m${i}`,
      memory: { embedding: vector(i + 1) },
    }));
    await ask(
      mneme.memories,
      mneme.memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
    );
    const { parts, memories } = await exported(parent);

    expect(memories.map(({ name }) => name)).toEqual(requests.map(({ memoryId }) => `${parent}/memories/${memoryId}`));
    expect(memories[599]?.embedding?.dataF32le).toEqual(vector(600).dataF32le);
    const counts = Array.from({ length: 10 }, (_, at) => [Math.min((at + 1) * 64, 600), 600]);
    expect(parts.map((part) => [part.sentCount, part.totalCount])).toEqual(counts);
  });

  it('without memories, or without the namespace › answers with one message', async () => {
    const parent = freshNamespace();
    await expire(mneme, (await store(mneme, parent, { text: 'x' })).name);

    expect((await exported(parent)).parts).toEqual([{ memories: [], damaged: [], sentCount: 0, totalCount: 0 }]);
    expect((await exported('namespaces/none')).parts).toEqual([
      { memories: [], damaged: [], sentCount: 0, totalCount: 0 },
    ]);
  });
});

describe('Import', () => {
  it('exported memories imported elsewhere › are equal except for the namespace', async () => {
    const [from, to] = [freshNamespace(), freshNamespace()];
    const memory = { text: 'x', tags: ['t'], step: 4n, eventTime: { seconds: 77n }, embedding: vector(1, 2) };
    await store(mneme, from, { ...memory, supersededBy: `${from}/memories/b` }, 'a');
    await mneme.storage.store.write({
      kind: 'touch',
      namespace: from.slice('namespaces/'.length),
      ids: ['a'],
      atUs: 5_000_000,
    });
    const { memories } = await exported(from);
    const answers = await imported({ parent: to, memories });

    expect(answers).toMatchObject([{ acknowledgedCount: 1, storedCount: 1, skippedCount: 0 }]);
    const [before, after] = [memories[0], (await exported(to)).memories[0]];
    const local = { name: '', scope: undefined, supersededBy: '', version: 0n };
    expect({ ...after, ...local }).toEqual({ ...before, ...local });
    expect(after).toMatchObject({ name: `${to}/memories/a`, supersededBy: `${to}/memories/b`, retrievalCount: 1 });
  });

  it('a memory with lossy compaction › keeps its record through export and import', async () => {
    const [from, to] = [freshNamespace(), freshNamespace()];
    const compaction = { checksum: 'd'.repeat(64), contentBytes: 90, droppedKeys: ['trace'], decimals: 2 };
    await imported({ parent: from, memories: [{ name: `${from}/memories/a`, content: json({ x: 1 }), compaction }] });
    const { memories } = await exported(from);
    await imported({ parent: to, memories });

    expect((await exported(to)).memories[0]?.compaction).toEqual(compaction);
    const again = await imported({ parent: to, memories, conflictPolicy: ConflictPolicy.CONFLICT_POLICY_REPLACE });
    expect(again).toMatchObject([{ storedCount: 0, skippedCount: 1 }]);
  });

  it('when memories are there already › the policy decides', async () => {
    const parent = freshNamespace();
    const [a, b] = [`${parent}/memories/a`, `${parent}/memories/b`];
    await store(mneme, parent, { text: 'old' }, 'a');
    const memories = [
      { name: a, text: 'new' },
      { name: b, text: 'b' },
    ];

    expect(await imported({ parent, memories })).toMatchObject([{ storedCount: 1, skippedCount: 1 }]);
    expect((await get(mneme, a)).text).toBe('old');
    const conflictPolicy = ConflictPolicy.CONFLICT_POLICY_REPLACE;
    expect(await imported({ parent, memories, conflictPolicy })).toMatchObject([{ storedCount: 1, skippedCount: 1 }]);
    expect((await get(mneme, a)).text).toBe('new');
    const failing = imported({ parent, memories, conflictPolicy: ConflictPolicy.CONFLICT_POLICY_FAIL });
    expect(await refusal(failing)).toMatchObject({ code: 'ALREADY_EXISTS', reason: 'MEMORY_EXISTS' });
  });

  it('when there are many messages › each is acknowledged in order, and the namespace of the first holds', async () => {
    const parent = freshNamespace();
    const rest = Array.from({ length: 9 }, () => ({ memories: [{ text: 'x' }] }));
    const answers = await imported({ parent, memories: [{ text: 'x' }] }, ...rest);

    expect(answers.map(({ acknowledgedCount }) => acknowledgedCount)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await exported(parent)).memories).toHaveLength(10);
  });

  it.each([
    [
      'another namespace later',
      [{ parent: 'namespaces/x', memories: [{ text: 'x' }] }, { parent: 'namespaces/y' }],
      'parent',
    ],
    ['no memories', [{ parent: 'namespaces/x' }], 'memories'],
    [
      'an unknown policy',
      [{ parent: 'namespaces/x', memories: [{ text: 'x' }], conflictPolicy: 9 }],
      'conflict_policy',
    ],
    ['a malformed name', [{ parent: 'namespaces/x', memories: [{ name: 'x', text: 'x' }] }], 'memories[0].name'],
    [
      'a record of loss without its checksum',
      [{ parent: 'namespaces/x', memories: [{ content: json({ x: 1 }), compaction: { contentBytes: 1 } }] }],
      'memories[0].compaction.checksum',
    ],
    [
      'a negative count',
      [{ parent: 'namespaces/x', memories: [{ text: 'x', retrievalCount: -1 }] }],
      'memories[0].retrieval_count',
    ],
  ])('when there is %s › FIELD_INVALID names it', async (_, messages, field) => {
    const refused = await refusal(imported(...(messages as Parameters<typeof imported>)));

    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID' });
    expect(refused.fields[0]).toBe(field);
  });
});
