import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { noEmbedder } from '../../src/embedding/embedder.ts';
import { encodedHits } from '../../src/grpc/recall/encoded-hits.ts';
import type { Call } from '../../src/memory/call.ts';
import type { Memory } from '../../src/memory/memory.ts';
import { SERVER_ITSELF } from '../../src/memory/principal.ts';
import { type RecallDeps, recall } from '../../src/operations/recall/recall.ts';
import { type RecallRequest, TEXT_RECALL } from '../../src/operations/recall/recall-request.ts';
import type { RecallEngine, RecallQuery } from '../../src/recall/recall-engine.ts';
import { openReadOnly } from '../../src/storage/sqlite/database.ts';
import { TieredEngine } from '../../src/storage/tiered/engine.ts';
import { NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { longMemory, moveTo } from '../support/moved-memories.ts';
import { seededRandom } from '../support/random.ts';
import { engineOver } from '../support/recall-fixture.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import { openTieredStore } from '../support/tiered-store.ts';

const { closers, serve } = redisOfTest();
const call: Call = {
  signal: new AbortController().signal,
  deadlineAtMs: Number.POSITIVE_INFINITY,
  callId: 'c',
  principal: SERVER_ITSELF,
  caller: 'c',
};
const request: RecallRequest = {
  ...TEXT_RECALL,
  namespace: SPACE,
  text: 'abstract',
  limit: 30,
  halfLifeUs: 6e11,
  view: 'full',
  isOpen: true,
  mayEncode: true,
};
const IDS = Array.from({ length: 20 }, (_, at) => `m${at}`);

it('Recall with Redis › the engine reads only hits that the folder owns, and all are those that the store returns', async () => {
  const random = seededRandom('redis-recall-hits');
  const folder = await mkdtemp(join(tmpdir(), 'mneme-recall-hits-'));
  closers.push(() => rm(folder, { recursive: true }));
  const { url } = await serve();
  const { store, cold, close } = await openTieredStore({ folder, urls: [url] });
  closers.push(close);
  const database = openReadOnly(folder);
  closers.push(async () => void database.close());
  const local = engineOver(folder, database, [], { encodeHits: encodedHits });
  let readByEngine: readonly Memory[] = [];
  const inner = (asksIds: boolean): RecallEngine => ({
    textModel: '',
    search: async ({ read, ...query }: RecallQuery) => {
      const result = local.search({ ...query, ...(read && !asksIds && { read }) });
      readByEngine = result.memories ?? [];
      return result;
    },
    statistics: async () => [],
    close: async () => undefined,
  });
  const depsOf = (asksIds: boolean) => {
    const { follower } = store;
    const getNamespace = (name: string) => store.getNamespace(name);
    const engine = new TieredEngine({ engine: inner(asksIds), cold, follower, getNamespace });
    return { store, engine, embedder: noEmbedder, clock: { nowUs: () => NOW_US } } satisfies RecallDeps;
  };
  await put(store, IDS.map(longMemory));
  let ownedCount = 0;
  for (let step = 0; step < 40; step++) {
    const some = IDS.filter(() => random.chance(0.2));
    await moveTo(store, random.pick(['short_term', 'intermediate', 'long_term']), some);
    await store.touch({ namespace: SPACE, ids: some, atUs: NOW_US + step });
    const expected = await recall(depsOf(true), { ...request, mayEncode: false }, call);
    const answer = await recall(depsOf(false), { ...request, mayEncode: false }, call);
    expect(answer).toEqual(expected);
    expect(readByEngine.filter(({ tier }) => tier !== 'long_term')).toEqual([]);
    ownedCount += readByEngine.length;
    const { encodedHits: encoded, hits } = await recall(depsOf(false), request, call);
    if (encoded) expect(Buffer.from(encoded).equals(encodedHits(expected.hits))).toBe(true);
    else expect(hits).toEqual(expected.hits);
  }
  expect(ownedCount).toBeGreaterThan(0);
});
