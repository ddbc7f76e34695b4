import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BatchStoreMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from '../support/ask.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** More texts than the sentence encoder reads within one recall. */
const COUNT = 200;
const PLACES = ['harbour', 'market', 'museum', 'tower', 'bakery', 'garden', 'library'];
const DOINGS = ['was painted', 'is being repaired', 'closes at noon', 'was full of children', 'has a new roof'];

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

async function answer(parent: string, fields: Parameters<typeof RecallRequest.fromPartial>[0] = {}) {
  const query = RecallRequest.fromPartial({
    minRelevance: 0,
    parent,
    text: 'Where do people grow flowers?',
    limit: 50,
    ...fields,
  });
  const { hits, degraded } = await ask(mneme.recalls, mneme.recalls.recall, query);
  return { order: hits.map(({ memory }) => memory?.text), parts: degraded.map(({ part }) => part) };
}

async function storeMany(parent: string): Promise<void> {
  const requests = Array.from({ length: COUNT }, (_, at) => ({
    memory: {
      text: `On day ${at} the old ${PLACES[at % PLACES.length]} by the river ${DOINGS[at % DOINGS.length]}.`,
      eventTime: { seconds: BigInt(1_799_000_000 + at) },
    },
  }));
  const request = BatchStoreMemoriesRequest.fromPartial({ parent, requests });
  await ask(mneme.memories, mneme.memories.batchStoreMemories, request);
}

async function settledOrder(parent: string) {
  for (;;) {
    const { order, parts } = await answer(parent);
    if (parts.length === 0) return order;
    expect(['ranker', 'encoder']).toContain(parts[0]);
  }
}

describe('Recall of texts that the sentence encoder is still reading', () => {
  it('reports it, unless the order does not depend on it', async () => {
    const parent = 'namespaces/unread';
    await storeMany(parent);
    expect((await answer(parent, { ranking: 2 })).parts).not.toContain('encoder');
    let { parts } = await answer(parent);
    while (parts.includes('ranker')) ({ parts } = await answer(parent));
    await storeMany(parent);
    expect((await answer(parent)).parts).toEqual(['encoder']);
  });

  it('once it reports nothing, the order is stable, and equals that of the same memories elsewhere', async () => {
    await storeMany('namespaces/one');
    const order = await settledOrder('namespaces/one');
    expect((await answer('namespaces/one')).order).toEqual(order);
    await storeMany('namespaces/two');
    expect(await settledOrder('namespaces/two')).toEqual(order);
  });
});
