import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AgentMemoryAPI,
  type MemoryAPIException,
  MemoryConfigException,
  MemoryMaintenanceException,
  MemoryRetrievalException,
  MemoryStoreException,
} from '../../../clients/typescript/src/agentmemory/index.ts';
import type { ServedMneme } from '../../cli/support/serve-mneme.ts';
import { freePort } from '../../support/free-port.ts';
import { cleanUp } from '../support/clean-up.ts';
import { AGENT, freshApi, only, startVectorServer, steps } from './support.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await startVectorServer();
});
afterAll(() => server.stop());
afterEach(cleanUp);

const failure = async (call: () => unknown): Promise<unknown> => {
  try {
    return await call();
  } catch (error) {
    return error;
  }
};

describe('agent memory API › retrieval', () => {
  it('recent, range and attributes › filter by type and have their orders', async () => {
    const api = freshApi(server);
    for (const step of [5, 1, 3]) {
      await api.storeAgentState(AGENT, { position: { room: 'hall' }, step }, step);
      await api.storeAgentAction(AGENT, { action_type: 'trade', outcome: 'success' }, step);
    }
    expect(steps(await api.retrieveRecentStates(AGENT, 3, 'state'))).toEqual([3, 1, 5]);
    expect(await api.retrieveRecentStates(AGENT)).toHaveLength(6);
    expect(steps(await api.retrieveByTimeRange(AGENT, 1, 3, 'action'))).toEqual([1, 3]);
    expect(steps(await api.retrieveByTimeRange(AGENT, 0, 9))).toEqual([1, 1, 3, 3, 5, 5]);
    const trade = { action_type: 'trade', outcome: 'success' };
    expect(steps(await api.retrieveByAttributes(AGENT, trade, 'action'))).toEqual([5, 3, 1]);
    expect(steps(await api.retrieveByAttributes(AGENT, { 'position.room': 'hall' }))).toEqual([5, 3, 1]);
    expect(await api.retrieveByAttributes(AGENT, { 'position.room': 'hall' }, 'action')).toEqual([]);
  });

  it('attributes › are equal and not alike', async () => {
    const api = freshApi(server);
    await api.storeAgentState(AGENT, { tags: ['a', 'b'], at: [1, 2], alive: true, none: null, n: 1 }, 1);
    for (const wanted of [{ tags: ['a', 'b'] }, { at: [1, 2] }, { alive: true }, { none: null }, { n: 1 }])
      expect([wanted, await api.retrieveByAttributes(AGENT, wanted)]).toMatchObject([wanted, [{ step_number: 1 }]]);
    for (const other of [{ tags: 'a' }, { at: [2, 1] }, { alive: 1 }, { n: true }, { n: '1' }, { gone: null }])
      expect([other, await api.retrieveByAttributes(AGENT, other)]).toEqual([other, []]);
  });

  it('reads › are not limited to a thousand', async () => {
    const api = freshApi(server);
    const memories = [...Array(1_010).keys()].map((step) => {
      return { scope: { agent: AGENT }, type: 'state', step, content: { odd: step % 2 } };
    });
    await api.client.namespaces.create(api.client.namespace);
    await api.client.batchStore(memories.slice(0, 505));
    await api.client.batchStore(memories.slice(505));
    expect(steps(await api.retrieveByTimeRange(AGENT, 0, 2_000))).toEqual([...Array(1_010).keys()]);
    expect(await api.retrieveByAttributes(AGENT, { odd: 1 })).toHaveLength(505);
    expect(await api.retrieveRecentStates(AGENT, 1_005)).toHaveLength(1_005);
    expect(await api.getAttributeChangeHistory(AGENT, 'odd')).toHaveLength(1_010);
    expect(await api.getMemorySnapshots(AGENT, [...Array(1_010).keys()])).toHaveProperty('size', 1_010);
  });

  it('similar states › come best first over all tiers', async () => {
    const api = freshApi(server);
    await api.storeAgentState(AGENT, { place: 'harbour', weather: 'storm' }, 1);
    await api.client.demote([only(await api.retrieveRecentStates(AGENT)).memory_id], { toTier: 'long_term' });
    await api.storeAgentState(AGENT, { place: 'museum', weather: 'sun' }, 2);
    await api.storeAgentAction(AGENT, { place: 'harbour', weather: 'storm' }, 3);
    const found = await api.retrieveSimilarStates(AGENT, { place: 'harbour', weather: 'storm' }, 3);
    expect(steps(found).slice(0, 2).sort()).toEqual([1, 3]);
    const scores = found.map((entry) => entry._similarity_score ?? 0);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores[0]).toBeCloseTo(1, 3);
    expect(found[0]).toMatchObject({ similarity_score: scores[0], metadata: { similarity_score: scores[0] } });
    expect(steps(await api.retrieveSimilarStates(AGENT, { place: 'harbour' }, 1, 'state'))).toEqual([1]);
    const space = api.getMemorySpace(AGENT);
    expect(await space.retrieveSimilarStates({ nothing: 'alike' }, 3, undefined, 0.6)).toEqual([]);
    const state = { place: 'museum', weather: 'storm' };
    expect(steps(await space.retrieveSimilarStates(state, 5, undefined, 0, { place: 9 }))[0]).toBe(2);
  });

  it('a vector › is searched in the tiers asked for', async () => {
    const api = freshApi(server);
    for (const step of [1, 2]) await api.storeAgentState(AGENT, { place: 'harbour' }, step);
    const [first, second] = await api.retrieveByTimeRange(AGENT, 1, 2);
    await api.client.demote([first?.memory_id ?? ''], { toTier: 'intermediate' });
    const vector = second?.embeddings.full_vector ?? [];
    expect(steps(await api.searchByEmbedding(AGENT, vector)).sort()).toEqual([1, 2]);
    expect(steps(await api.searchByEmbedding(AGENT, Float32Array.from(vector), 5, ['stm']))).toEqual([2]);
    expect(steps(await api.searchByEmbedding(AGENT, vector, 5, ['im', 'ltm']))).toEqual([1]);
    const other = await failure(() => api.searchByEmbedding(AGENT, [0.1, 0.2]));
    expect(other).toBeInstanceOf(MemoryRetrievalException);
    expect(other).toMatchObject({ recoverability: 'recoverable' });
  });

  it('content › is searched by words in any order', async () => {
    const api = freshApi(server);
    await api.storeAgentAction(AGENT, { action_type: 'trade', item: 'wood' }, 1);
    await api.storeAgentAction(AGENT, { action_type: 'trade', item: 'stone' }, 2);
    expect(steps(await api.searchByContent(AGENT, 'wood trade'))[0]).toBe(1);
    expect(steps(await api.searchByContent(AGENT, { text: 'stone' }))).toEqual([2]);
    expect(steps(await api.searchByContent(AGENT, { item: 'stone' }, 1))).toEqual([2]);
    expect(await api.searchByContent(AGENT, 'gold')).toEqual([]);
  });

  it('snapshots and changes › are of states', async () => {
    const api = freshApi(server);
    const states = [{ health: 1 }, { health: 1 }, { health: 0.5, at: { x: 1 } }, { at: { x: 2 } }];
    for (const [place, state] of states.entries()) await api.storeAgentState(AGENT, state, 10 * place);
    await api.storeAgentAction(AGENT, { health: 9 }, 5);
    const shots = await api.getMemorySnapshots(AGENT, [20, 5, 20, 0]);
    expect([...shots.keys()]).toEqual([20, 5, 0]);
    expect([shots.get(5), shots.get(20)?.contents['health']]).toEqual([null, 0.5]);
    const changes = await api.getAttributeChangeHistory(AGENT, 'health');
    expect(changes).toMatchObject([
      { step_number: 0, previous_value: null, new_value: 1, change: 'appeared' },
      { step_number: 20, previous_value: 1, new_value: 0.5, change: 'changed' },
      { step_number: 30, previous_value: 0.5, new_value: null, change: 'disappeared' },
    ]);
    expect(steps(await api.getAttributeChangeHistory(AGENT, 'at.x', 0, 29))).toEqual([20]);
    expect(changes[0]).toMatchObject({ memory_id: expect.any(String), timestamp: expect.any(Number) });
  });

  it('results › are kept until a write of the same API', async () => {
    const api = freshApi(server);
    const found = () => api.retrieveSimilarStates(AGENT, { wood: 1 });
    const store = (step: number) =>
      api.client.store({ scope: { agent: AGENT }, type: 'state', step, content: { wood: 1 } });
    await api.storeAgentState(AGENT, { wood: 1 }, 1);
    expect(await found()).toHaveLength(1);
    await store(2);
    const kept = await found();
    expect(kept).toHaveLength(1);
    kept.length = 0;
    expect(await found()).toHaveLength(1);
    api.clearCache();
    expect(await found()).toHaveLength(2);
    await api.storeAgentState(AGENT, { wood: 1 }, 3);
    expect(await found()).toHaveLength(3);
    try {
      api.setCacheTtl(1e-9);
      await store(4);
      expect(await found()).toHaveLength(4);
    } finally {
      api.setCacheTtl(60);
    }
  });

  it('a space › has the same calls, and memories of any type', async () => {
    const space = freshApi(server).getMemorySpace(AGENT);
    expect(await space.storeState({ a: 1 }, 1)).toBe(true);
    expect(await space.storeAction({ action_type: 'wait' }, 1)).toBe(true);
    expect(await space.storeInteraction({ with: 'b' }, 1)).toBe(true);
    const id = await space.addMemory('plan', { goal: 'wood' }, 2, 0.4);
    expect((await space.retrieveRecentStates(5, 'plan')).map((entry) => entry.memory_id)).toEqual([id]);
    expect(await space.retrieveByTimeRange(0, 9)).toHaveLength(4);
    expect(steps(await space.hybridRetrieve({ health: 1, a: 1 }, 1))).toEqual([1]);
  });
});

describe('agent memory API › bad input', () => {
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  const store = MemoryStoreException;
  const retrieval = MemoryRetrievalException;
  const maintenance = MemoryMaintenanceException;
  const CALLS: readonly [(api: AgentMemoryAPI) => unknown, new () => MemoryAPIException, string][] = [
    [(api) => api.storeAgentState('', {}, 1), store, 'agentId'],
    [(api) => api.storeAgentState(5 as never, {}, 1), store, 'agentId'],
    [(api) => api.storeAgentState(AGENT, [1] as never, 1), store, 'stateData'],
    [(api) => api.storeAgentState(AGENT, { a: new Set([1]) }, 1), store, 'stateData'],
    [(api) => api.storeAgentState(AGENT, { a: new Float32Array(2) }, 1), store, 'stateData'],
    [(api) => api.storeAgentState(AGENT, loop, 1), store, 'stateData'],
    [(api) => api.storeAgentState(AGENT, { a: Number.NaN }, 1), store, 'stateData'],
    [(api) => api.storeAgentState(AGENT, {}, -1), store, 'stepNumber'],
    [(api) => api.storeAgentState(AGENT, {}, 1.5), store, 'stepNumber'],
    [(api) => api.storeAgentState(AGENT, {}, true as never), store, 'stepNumber'],
    [(api) => api.storeAgentState(AGENT, {}, undefined as never), store, 'stepNumber'],
    [(api) => api.storeAgentAction(AGENT, {}, 1, 1.1), store, 'priority'],
    [(api) => api.storeAgentInteraction(AGENT, {}, 1, 'high' as never), store, 'priority'],
    [(api) => api.retrieveSimilarStates(AGENT, 'x' as never), retrieval, 'queryState'],
    [(api) => api.retrieveSimilarStates(AGENT, { a: 1 }, 0), retrieval, 'k'],
    [(api) => api.retrieveSimilarStates(AGENT, { a: 1 }, 5, 7 as never), retrieval, 'memoryType'],
    [(api) => api.retrieveStateById(AGENT, ''), retrieval, 'memoryId'],
    [(api) => api.retrieveByTimeRange(AGENT, 5, 4), retrieval, 'startStep'],
    [(api) => api.retrieveByTimeRange(AGENT, -1, 4), retrieval, 'startStep'],
    [(api) => api.retrieveByAttributes(AGENT, {}), retrieval, 'attributes'],
    [(api) => api.retrieveByAttributes(AGENT, { '': 1 }), retrieval, 'attributes'],
    [(api) => api.retrieveRecentStates(AGENT, 0), retrieval, 'count'],
    [(api) => api.searchByEmbedding(AGENT, []), retrieval, 'queryEmbedding'],
    [(api) => api.searchByEmbedding(AGENT, [1, 'x'] as never), retrieval, 'queryEmbedding[1]'],
    [(api) => api.searchByEmbedding(AGENT, [1], 5, ['hot'] as never), retrieval, 'memoryTiers'],
    [(api) => api.searchByContent(AGENT, ' '), retrieval, 'contentQuery'],
    [(api) => api.searchByContent(AGENT, {}), retrieval, 'contentQuery'],
    [(api) => api.search(AGENT, 'x', 'similarity', -1), retrieval, 'limit'],
    [(api) => api.getMemorySnapshots(AGENT, []), retrieval, 'steps'],
    [(api) => api.getMemorySnapshots(AGENT, [1, '2'] as never), retrieval, 'steps[1]'],
    [(api) => api.getAttributeChangeHistory(AGENT, ''), retrieval, 'attributeName'],
    [(api) => api.getAttributeChangeHistory(AGENT, 'a', 2, 1), retrieval, 'startStep'],
    [(api) => api.getMemorySpace(''), retrieval, 'agentId'],
    [(api) => api.triggerMemoryEvent(AGENT, 'e', 5 as never), retrieval, 'data'],
    [(api) => api.setImportanceScore(AGENT, 'm', 1.5), maintenance, 'importanceScore'],
    [(api) => api.clearAgentMemory(AGENT, []), maintenance, 'memoryTiers'],
    [(api) => api.forceMemoryMaintenance(''), maintenance, 'agentId'],
    [(api) => api.setCacheTtl(0), MemoryConfigException, 'ttl'],
  ];

  it.each(CALLS.map(([call, kind, field], place) => ({ call, kind, field, place })))(
    'argument $field of case $place › is refused by its name',
    async ({ call, kind, field }) => {
      const error = await failure(() => call(freshApi(server)));
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ reason: 'FIELD_INVALID', recoverability: 'recoverable', context: { field } });
      expect((error as Error).message).toMatch(new RegExp(`^${field.replace(/[[\]]/g, '\\$&')}: `));
    },
  );

  it('what the server refuses › names its reason', async () => {
    const api = freshApi(server);
    const stored = await failure(() => api.storeAgentState(AGENT, { text: 'x'.repeat(2 * 2 ** 20) }, 1));
    expect(stored).toBeInstanceOf(MemoryStoreException);
    expect(stored).toMatchObject({ context: { operation: 'storeAgentState', agentId: AGENT, stepNumber: 1 } });
    expect(stored).not.toMatchObject({ reason: 'UNKNOWN' });
    const searched = await failure(() => api.search(AGENT, 'x', 'no-such-strategy'));
    expect(searched).toMatchObject({ name: 'MemoryRetrievalException', context: { field: 'preset.name' } });
    await expect(api.retrieveSimilarStates(AGENT, { a: 1 }, 5_000)).rejects.toThrow('limit');
  });

  it('a server that is away › fails by operation', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const api = freshApi({ address }, { connect: { timeoutMs: 300, waitForReady: false, retry: false } });
    const calls: [Promise<unknown>, string][] = [
      [api.storeAgentState(AGENT, {}, 1), 'MemoryStoreException'],
      [api.retrieveRecentStates(AGENT), 'MemoryRetrievalException'],
      [api.forceMemoryMaintenance(AGENT), 'MemoryMaintenanceException'],
      [api.configureMemorySystem({ cleanupInterval: 5 }), 'MemoryConfigException'],
    ];
    for (const [call, name] of calls) {
      const error = await failure(() => call);
      expect(error).toMatchObject({ name, reason: 'UNAVAILABLE', recoverability: 'potentially_recoverable' });
      expect(error).toMatchObject({ context: { operation: expect.any(String), code: 'UNAVAILABLE' } });
    }
  });
});
