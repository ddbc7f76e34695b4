import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryView, Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  BatchStoreMemoriesRequest,
  DeleteMemoryRequest,
  DemoteMemoriesRequest,
  GetMemoryRequest,
  StoreMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { untilRead } from '../../../search/evaluation/support/until-read.ts';
import { longText, SHORT_TEXTS } from '../../../support/long-texts.ts';
import { ask } from '../support/ask.ts';
import { FollowedAnswer } from '../support/followed-answer.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const ANSWER = 'The spare key of the boat house hangs behind the blue barometer. – Ключ 🗝️';
const QUESTION = 'Where is the spare key of the boat house?';

describe('A long text', () => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startTestServer();
  });
  afterAll(async () => {
    await mneme.stop();
  });

  /** Repeated until passages are read, for which a recall on a busy machine does not wait. */
  const recall = (parent: string, extra: object = {}) => {
    const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: QUESTION, ...extra });
    return untilRead(() => ask(mneme.recalls, mneme.recalls.recall, request), ['passages', 'ranker']);
  };
  const get = (name: string) => ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name }));
  const storeAll = async (parent: string, texts: Readonly<Record<string, string>>) => {
    const requests = Object.entries(texts).map(([memoryId, text]) => ({ parent, memoryId, memory: { text } }));
    const request = BatchStoreMemoriesRequest.fromPartial({ parent, requests });
    await ask(mneme.memories, mneme.memories.batchStoreMemories, request);
  };

  it('is found by its last paragraph, shown by its passage, and read whole', async () => {
    const parent = 'namespaces/whole';
    const text = longText(300_000, ANSWER);
    await storeAll(parent, { ...SHORT_TEXTS, long: text });
    const { hits } = await recall(parent);
    const [first] = hits;
    expect(first?.memory?.name).toBe(`${parent}/memories/long`);
    expect(first?.memory?.text === text).toBe(true);
    expect(first?.passage?.text).toContain(ANSWER);
    const from = first?.passage?.offsetBytes ?? 0;
    expect(Buffer.from(text).subarray(from).toString()).toBe(first?.passage?.text);
    expect(hits.slice(1).filter(({ passage }) => passage)).toEqual([]);
    expect((await get(`${parent}/memories/long`)).memory?.text === text).toBe(true);
  });

  it('is represented by its passage in a view without texts, and fits into a budget of tokens', async () => {
    const parent = 'namespaces/whole';
    const { hits } = await recall(parent, { view: MemoryView.MEMORY_VIEW_METADATA });
    expect([hits[0]?.memory?.text, hits[0]?.passage?.text.includes(ANSWER)]).toEqual(['', true]);
    const { passages, tokenCount } = await recall(parent, { tokenBudget: 400 });
    expect(passages[0]?.text).toContain(ANSWER);
    expect(tokenCount).toBeLessThanOrEqual(400);
  });

  it('is found and returned unchanged in a lower tier', async () => {
    const parent = 'namespaces/lower';
    const text = longText(100_000, ANSWER);
    await storeAll(parent, { ...SHORT_TEXTS, long: text });
    for (const toTier of [Tier.TIER_INTERMEDIATE, Tier.TIER_LONG_TERM]) {
      const request = DemoteMemoriesRequest.fromPartial({ parent, names: [`${parent}/memories/long`], toTier });
      await ask(mneme.memories, mneme.memories.demoteMemories, request);
      const { hits } = await recall(parent);
      expect(hits[0]?.memory).toMatchObject({ name: `${parent}/memories/long`, tier: toTier });
      expect(hits[0]?.passage?.text).toContain(ANSWER);
      expect((await get(`${parent}/memories/long`)).memory?.text === text).toBe(true);
    }
  });

  it('is found by its new text after an update, and not after it is deleted', async () => {
    const parent = 'namespaces/changes';
    const name = `${parent}/memories/long`;
    await storeAll(parent, { ...SHORT_TEXTS, long: longText(50_000, ANSWER) });
    const update = (text: string) => {
      const request = UpdateMemoryRequest.fromPartial({ memory: { name, text }, updateMask: ['text'] });
      return ask(mneme.memories, mneme.memories.updateMemory, request);
    };
    await update(longText(50_000, 'Nobody knows.'));
    const found = (await recall(parent, { limit: 60 })).hits.find(({ memory }) => memory?.name === name);
    expect(found?.passage?.text ?? '').not.toContain('barometer');
    await update(longText(5000, ANSWER));
    expect((await recall(parent)).hits[0]?.passage?.text).toContain(ANSWER);
    await ask(mneme.memories, mneme.memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }));
    expect((await recall(parent, { limit: 60 })).hits.map(({ memory }) => memory?.name)).not.toContain(name);
  });

  it('comes into a standing query with its passage', async () => {
    const parent = 'namespaces/standing';
    await storeAll(parent, SHORT_TEXTS);
    const followed = new FollowedAnswer(mneme, { parent, text: QUESTION, limit: 3 });
    const name = `${parent}/memories/long`;
    const request = StoreMemoryRequest.fromPartial({
      parent,
      memoryId: 'long',
      memory: { text: longText(100_000, ANSWER) },
    });
    const { revision } = await ask(mneme.memories, mneme.memories.storeMemory, request);
    expect((await followed.at(revision))[0]).toBe(name);
    expect(followed.hit(name)?.passage?.text).toContain(ANSWER);
    followed.cancel();
  });

  it('of the greatest length is found by its passages', async () => {
    const parent = 'namespaces/greatest';
    const text = `${longText(1_040_000, '').slice(0, 1_040_000)}\n\n${ANSWER}`;
    const store = (memoryId: string, of: string) => {
      const request = StoreMemoryRequest.fromPartial({ parent, memoryId, memory: { text: of } });
      return ask(mneme.memories, mneme.memories.storeMemory, request);
    };
    await store('long', text);
    expect((await recall(parent)).hits[0]?.passage?.text).toContain(ANSWER);
  });
});
