import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Memory } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  BatchStoreMemoriesRequest,
  ImportMemoriesRequest,
  StoreMemoryRequest,
  SupersedeMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { TestIngest } from '../support/ingest.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const START_US = Date.parse('2026-11-29T08:00:00Z') * 1000;
let nowUs = START_US;
let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ embedder: 'none' }, { clock: { nowUs: () => nowUs } });
});
afterAll(() => mneme.stop());

const inSeconds = (seconds: number) => ({ seconds: BigInt(nowUs / 1e6 + seconds), nanos: 0 });
const countOf = async (parent: string) => {
  const name = parent.slice('namespaces/'.length);
  const statistics = await mneme.storage.view.statistics(name).catch(() => undefined);
  return statistics?.memoryCount ?? 0;
};

describe('A5 an expiry that is over', () => {
  it.each([
    ['an hour ago', -3600],
    ['now', 0],
    ['long ago', -nowUs / 1e6],
  ])(
    'in StoreMemory, %s › refused by the name of the field, with both times; nothing is stored',
    async (_, seconds) => {
      const parent = freshNamespace();
      const expireTime = inSeconds(seconds);
      const refused = await refusal(store(mneme, parent, { text: 'x', expireTime }));
      expect(refused).toMatchObject({
        code: 'INVALID_ARGUMENT',
        reason: 'FIELD_INVALID',
        fields: ['memory.expire_time'],
      });
      const given = new Date(Number(expireTime.seconds) * 1000).toISOString().replace('Z', '000Z');
      expect(refused.message).toContain(`must be after now, 2026-11-29T08:00:00.000000Z, got ${given}`);
      expect(await countOf(parent)).toBe(0);
    },
  );

  it('in one memory of BatchStoreMemories › all are refused, and this one is named', async () => {
    const parent = freshNamespace();
    const requests = [inSeconds(60), undefined, inSeconds(-1)].map((expireTime) => ({
      memory: { text: 'x', expireTime },
    }));
    const { memories } = mneme;
    const request = BatchStoreMemoriesRequest.fromPartial({ parent, requests });
    const refused = await refusal(ask(memories, memories.batchStoreMemories, request));
    expect(refused.fields).toEqual(['requests[2].memory.expire_time']);
    expect(await countOf(parent)).toBe(0);
  });

  it('in UpdateMemory and SupersedeMemory › refused, and the memory stays as it was', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'x', expireTime: inSeconds(60) });
    const { memories } = mneme;
    const change = { name, expireTime: inSeconds(-1) };
    const update = UpdateMemoryRequest.fromPartial({ memory: change, updateMask: ['expire_time'] });
    const refused = [
      await refusal(ask(memories, memories.updateMemory, update)),
      await refusal(
        ask(
          memories,
          memories.supersedeMemory,
          SupersedeMemoryRequest.fromPartial({ name, memory: { text: 'y', expireTime: inSeconds(0) } }),
        ),
      ),
    ];
    expect(refused.map(({ fields }) => fields)).toEqual([['memory.expire_time'], ['memory.expire_time']]);
    expect(await get(mneme, name)).toMatchObject({ text: 'x', expireTime: inSeconds(60), supersededBy: '' });
    // Fields outside of the mask are not looked at.
    const other = UpdateMemoryRequest.fromPartial({ memory: { ...change, text: 'z' }, updateMask: ['text'] });
    await ask(memories, memories.updateMemory, other);
    expect((await get(mneme, name)).text).toBe('z');
  });

  it('in an item of IngestMemories › this item is refused, the others are stored', async () => {
    const parent = freshNamespace();
    const memoryOf = (at: number, seconds?: number) => ({
      memory: Memory.fromPartial({
        text: `m${at}`,
        expireTime: seconds === undefined ? undefined : inSeconds(seconds),
      }),
      memoryId: `m${at}`,
    });
    const sent = [memoryOf(0), { memory: Memory.fromPartial({}), memoryId: 'empty' }, memoryOf(2, -1), memoryOf(3, 30)];
    const ingested = async () => {
      const stream = new TestIngest(mneme.ingests, { parent, streamId: 's' });
      stream.batch(1, sent);
      stream.stream.end();
      expect(await stream.ended).toBeUndefined();
      return stream.results.map(({ outcome }) =>
        outcome?.$case === 'error' ? outcome.value.message : outcome?.value.name,
      );
    };
    const first = await ingested();
    expect(first).toEqual([
      `${parent}/memories/m0`,
      expect.stringMatching(/^items\[1\]\.memory/),
      expect.stringMatching(/^items\[2\]\.memory\.expire_time: must be after now/),
      `${parent}/memories/m3`,
    ]);
    expect(await countOf(parent)).toBe(2);
    // The batch is repeated by a process that does not know its outcome, after another expiry.
    nowUs += 60_000_000;
    expect((await ingested()).filter((_, at) => at !== 2)).toEqual(first.filter((_, at) => at !== 2));
    expect(await countOf(parent)).toBe(2);
  });

  it('in a message of ImportMemories › refused by the place of the memory, and nothing of the message is stored', async () => {
    const parent = freshNamespace();
    const call = mneme.memories.importMemories();
    const memories = [{ text: 'a' }, { text: 'b', expireTime: inSeconds(-1) }];
    call.write(ImportMemoriesRequest.fromPartial({ parent, memories }));
    call.end();
    const failed = (async () => {
      for await (const _ of call);
    })().catch((error: unknown) => refusalOf(error as Parameters<typeof refusalOf>[0]));
    expect((await failed)?.fields).toEqual(['memories[1].expire_time']);
    expect(await countOf(parent)).toBe(0);
  });

  it('a request that is repeated with its request_id after the expiry › gets its first answer', async () => {
    const parent = freshNamespace();
    const { memories } = mneme;
    const memory = { text: 'short', expireTime: inSeconds(10) };
    const request = StoreMemoryRequest.fromPartial({ parent, memory, memoryId: 'a', requestId: 'r' });
    const first = await ask(memories, memories.storeMemory, request);
    const update = UpdateMemoryRequest.fromPartial({
      memory: { name: `${parent}/memories/a`, expireTime: inSeconds(5) },
      updateMask: ['expire_time'],
      requestId: 'u',
    });
    const changed = await ask(memories, memories.updateMemory, update);
    nowUs += 20_000_000;
    expect(await ask(memories, memories.storeMemory, request)).toEqual(first);
    expect(await ask(memories, memories.updateMemory, update)).toEqual(changed);
    const other = StoreMemoryRequest.fromPartial({ ...request, requestId: 'other' });
    expect((await refusal(ask(memories, memories.storeMemory, other))).fields).toEqual(['memory.expire_time']);
  });
});
