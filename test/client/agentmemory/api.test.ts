import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AgentMemoryAPI,
  AgentState,
  MemoryConfigException,
  MemoryStoreException,
} from '../../../clients/typescript/src/agentmemory/index.ts';
import type { ServedMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp, onCleanUp } from '../support/clean-up.ts';
import { AGENT, freshApi, only, startVectorServer, steps } from './support.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await startVectorServer();
});
afterAll(() => server.stop());
afterEach(cleanUp);

describe('agent memory API › entries', () => {
  it('an entry › has the documented structure', async () => {
    const api = freshApi(server);
    expect(await api.storeAgentState(AGENT, { position: [10, 20], health: 0.85 }, 1234, 0.75)).toBe(true);
    const entry = only(await api.retrieveRecentStates(AGENT));
    expect(entry).toMatchObject({ agent_id: AGENT, step_number: 1234, type: 'state' });
    expect(entry.contents).toEqual({ position: [10, 20], health: 0.85 });
    expect(entry.content).toBe(entry.contents);
    expect(entry.metadata).toMatchObject({
      importance_score: 0.75,
      priority: 0.75,
      retrieval_count: 0,
      memory_type: 'state',
      current_tier: 'stm',
      compression_level: 0,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(entry.metadata.creation_time).toBe(entry.metadata.last_access_time);
    expect(Math.abs(entry.metadata.creation_time - entry.timestamp)).toBeLessThan(60);
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
    expect(Object.values<number[] | null>({ ...entry.embeddings }).map((vector) => vector?.length)).toEqual([
      384, 384, 384,
    ]);
  });

  it('vectors of the tiers › are those that the server compares', async () => {
    const api = freshApi(server, { autoencoderConfig: { stmDim: 384, imDim: 100, ltmDim: 20 } });
    await api.storeAgentState(AGENT, { text: 'wood and stone' }, 1);
    const { embeddings } = only(await api.retrieveRecentStates(AGENT));
    const full = embeddings.full_vector ?? [];
    const { compressed_vector: compressed, abstract_vector: abstract } = embeddings;
    expect([compressed?.length, abstract?.length]).toEqual([100, 20]);
    compressed?.forEach((value, place) => {
      expect(Math.abs(value - (full[place] ?? 0))).toBeLessThanOrEqual(Math.abs(full[place] ?? 0) * 2 ** -8);
    });
    const largest = Math.max(...full.slice(0, 20).map(Math.abs));
    abstract?.forEach((value, place) => {
      expect(Math.abs(value - (full[place] ?? 0))).toBeLessThanOrEqual(largest / 127);
    });
  });

  it('two memories of one step › are two, of the priority 1 unless it is set', async () => {
    const api = freshApi(server);
    for (const item of ['wood', 'stone']) await api.storeAgentAction(AGENT, { action_type: 'gather', item }, 3);
    const found = await api.retrieveByTimeRange(AGENT, 3, 3);
    expect(found.map(({ contents }) => contents['item'])).toEqual(['wood', 'stone']);
    expect(new Set(found.map((entry) => entry.memory_id)).size).toBe(2);
    expect(found[0]?.metadata.importance_score).toBe(1);
  });

  it('a model › is stored as its fields', async () => {
    const api = freshApi(server);
    const state = new AgentState({ agent_id: AGENT, step_number: 4, health: 0.5, inventory: { wood: 1 } });
    await api.storeAgentState(AGENT, state, 4);
    expect(only(await api.retrieveRecentStates(AGENT)).contents).toEqual(state.asDict());
    expect(steps(await api.retrieveSimilarStates(AGENT, state))).toEqual([4]);
  });

  it('an agent › sees its own memories only', async () => {
    const api = freshApi(server);
    for (const agent of ['a', 'b']) await api.storeAgentState(agent, { name: agent, wood: 1 }, 1);
    expect(only(await api.retrieveByAttributes('a', { wood: 1 })).contents['name']).toBe('a');
    expect(only(await api.retrieveSimilarStates('b', { wood: 1 })).agent_id).toBe('b');
    expect(only(await api.searchByContent('b', 'wood')).agent_id).toBe('b');
    const { memory_id: other } = only(await api.retrieveRecentStates('a'));
    expect(await api.retrieveStateById('b', other)).toBeNull();
    expect(await api.setImportanceScore('b', other, 0.1)).toBe(false);
    expect(await api.retrieveRecentStates('nobody')).toEqual([]);
  });
});

describe('agent memory API › statistics and maintenance', () => {
  it('reading by id › counts, unless in test mode', async () => {
    const counted = async (testMode: boolean) => {
      const api = freshApi(server, { stmConfig: { testMode } });
      await api.storeAgentState(AGENT, { testMode }, 1);
      const { memory_id: id } = only(await api.retrieveRecentStates(AGENT));
      await api.retrieveStateById(AGENT, id);
      expect(await api.retrieveStateById(AGENT, 'no-such-id')).toBeNull();
      return (await api.retrieveStateById(AGENT, id))?.metadata.retrieval_count;
    };
    expect([await counted(false), await counted(true)]).toEqual([2, 0]);
  });

  it('importance can be set › and memories cleared', async () => {
    const api = freshApi(server);
    for (const step of [1, 2]) await api.storeAgentState(AGENT, { step }, step);
    const [first, second] = await api.retrieveByTimeRange(AGENT, 1, 2);
    expect(await api.setImportanceScore(AGENT, first?.memory_id ?? '', 0.2)).toBe(true);
    expect(only(await api.retrieveByTimeRange(AGENT, 1, 1)).metadata.importance_score).toBe(0.2);
    expect(await api.setImportanceScore(AGENT, 'no-such-id', 0.2)).toBe(false);
    await api.client.demote([second?.memory_id ?? ''], { toTier: 'long_term' });
    expect(await api.clearAgentMemory(AGENT, ['ltm'])).toBe(true);
    expect(steps(await api.retrieveRecentStates(AGENT))).toEqual([1]);
    expect(await api.clearMemory(AGENT)).toBe(true);
    expect(await api.retrieveRecentStates(AGENT)).toEqual([]);
  });

  it('statistics › count all tiers', async () => {
    const api = freshApi(server);
    for (const step of [0, 1, 2]) await api.storeAgentState(AGENT, { step }, step);
    await api.storeAgentAction(AGENT, { action_type: 'wait' }, 3);
    await api.client.demote([only(await api.retrieveByTimeRange(AGENT, 0, 0)).memory_id], { toTier: 'long_term' });
    const before = await api.getMemoryStatistics(AGENT);
    expect(before).toMatchObject({ total_memories: 4, stm_count: 3, im_count: 0, ltm_count: 1 });
    expect(before).toMatchObject({ insert_count_since_maintenance: 4, last_maintenance_time: null });
    expect(before.memory_type_distribution).toEqual({ state: 3, action: 1 });
    expect(before.tiers.ltm.count).toBe(1);
    expect(before.tiers.stm.size_bytes).toBeGreaterThan(0);
    expect((await api.getMemoryStatistics('nobody')).total_memories).toBe(0);
    expect(await api.forceMemoryMaintenance()).toBe(true);
    const after = await api.getMemoryStatistics(AGENT);
    expect(after.insert_count_since_maintenance).toBe(0);
    expect(after.last_maintenance_time).toBeGreaterThan(0);
  });

  it('every cleanupInterval inserts › move what is over the limit', async () => {
    const api = freshApi(server, {
      cleanupInterval: 10,
      stmConfig: { memoryLimit: 4 },
      imConfig: { memoryLimit: 3 },
      memoryPriorityDecay: 0.9,
    });
    for (let step = 0; step < 9; step += 1) await api.storeAgentState(AGENT, { step }, step);
    expect((await api.getMemoryStatistics(AGENT)).insert_count_since_maintenance).toBe(9);
    await api.storeAgentState(AGENT, { step: 9 }, 9);
    const after = await api.getMemoryStatistics(AGENT);
    expect(after).toMatchObject({ stm_count: 4, im_count: 3, ltm_count: 3, insert_count_since_maintenance: 0 });
    expect(after.last_maintenance_time).toBeGreaterThan(0);
    expect(await api.retrieveByTimeRange(AGENT, 0, 9)).toHaveLength(10);
    const { settings } = await api.client.namespaces.get();
    expect(settings).toMatchObject({ 'short_term.memory_limit': '4', 'importance.decay_factor': '0.9' });
  });

  it('the time to live › moves down, and the whitelist keeps up', async () => {
    const api = freshApi(server, {
      stmConfig: { ttl: 0.001 },
      imConfig: { ttl: 0.001 },
      ltmConfig: { whitelistedTypes: ['state'] },
    });
    await api.storeAgentState(AGENT, { step: 1 }, 1);
    await api.storeAgentAction(AGENT, { action_type: 'wait' }, 1);
    for (let round = 0; round < 2; round += 1) await api.forceMemoryMaintenance(AGENT);
    const found = await api.retrieveRecentStates(AGENT);
    const byType = Object.fromEntries(found.map(({ type, metadata }) => [type, metadata]));
    expect(byType['state']).toMatchObject({ current_tier: 'ltm', compression_level: 2 });
    expect(byType['action']).toMatchObject({ current_tier: 'im', compression_level: 1 });
  });
});

describe('agent memory API › configuration', () => {
  it('changes at run time › all or nothing', async () => {
    const api = freshApi(server);
    expect(await api.configureMemorySystem({ cleanupInterval: 5, 'stmConfig.memoryLimit': 200 })).toBe(true);
    expect([api.config.cleanupInterval, api.config.stmConfig.memoryLimit]).toEqual([5, 200]);
    expect((await api.client.namespaces.get()).settings['short_term.memory_limit']).toBe('200');
    const refused = (changes: object) => api.configureMemorySystem(changes as never);
    await expect(refused({ cleanupInterval: 6, stmConfig: { ttl: 0 } })).rejects.toThrow('stmConfig.ttl: ');
    await expect(refused({ 'stmConfig.host': 'elsewhere' })).rejects.toThrow('stmConfig.host: has no equivalent');
    await expect(refused({ namespace: 'other' })).rejects.toThrow('namespace: cannot be changed');
    await expect(refused([1])).rejects.toThrow(MemoryConfigException);
    expect(api.config.cleanupInterval).toBe(5);
  });

  it("a model or a size that is not the server's › is refused, and sent again by the next call", async () => {
    for (const options of [{ textModelName: 'other-model' }, { autoencoderConfig: { stmDim: 768 } }]) {
      const api = freshApi(server, options);
      for (let call = 0; call < 2; call += 1) {
        const stored = api.storeAgentState(AGENT, { a: 1 }, 1);
        await expect(stored).rejects.toThrow(MemoryConfigException);
        await expect(stored).rejects.toThrow('--embedder');
      }
    }
    const same = freshApi(server, { textModelName: 'hashing-v1-384' });
    expect(await same.storeAgentState(AGENT, { a: 1 }, 1)).toBe(true);
  });

  it('without the embedding engine › there are no vectors', async () => {
    const api = freshApi(server, { useEmbeddingEngine: false });
    await api.storeAgentState(AGENT, { a: 1 }, 1);
    const { embeddings } = only(await api.retrieveRecentStates(AGENT));
    expect(Object.values(embeddings)).toEqual([null, null, null]);
    await expect(api.retrieveSimilarStates(AGENT, { a: 1 })).rejects.toThrow('useEmbeddingEngine: is false');
  });

  it('a client that is given › stays open', async () => {
    const api = freshApi(server);
    const other = new AgentMemoryAPI({ cleanupInterval: 3 }, { client: api.client });
    await other.storeAgentState(AGENT, { a: 1 }, 1);
    await other.close();
    expect(await api.retrieveRecentStates(AGENT)).toHaveLength(1);
    expect(() => new AgentMemoryAPI(5 as never)).toThrow('config: must be a MemoryConfig');
  });

  it('a file of memories › comes back, each in its tier', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-agentmemory-'));
    onCleanUp(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'memories.json');
    const [api, copy] = [freshApi(server), freshApi(server)];
    for (const step of [0, 1, 2]) await api.storeAgentState(AGENT, { wood: step }, step, 0.5);
    await api.client.demote([only(await api.retrieveByTimeRange(AGENT, 1, 1)).memory_id], { toTier: 'intermediate' });
    expect(await api.saveToJson(file)).toBe(3);
    expect([await copy.loadFromJson(file), await copy.loadFromJson(file)]).toEqual([3, 3]);
    const [originals, copies] = [
      await api.retrieveByTimeRange(AGENT, 0, 9),
      await copy.retrieveByTimeRange(AGENT, 0, 9),
    ];
    const compared = originals.map(({ memory_id, step_number, timestamp, type, contents, metadata }) => {
      const { checksum, importance_score, current_tier } = metadata;
      const kept = { checksum, importance_score, current_tier };
      return { memory_id, step_number, timestamp, type, contents, metadata: expect.objectContaining(kept) };
    });
    expect(copies).toMatchObject(compared);
    expect(steps(await copy.retrieveByAttributes(AGENT, { wood: 2 }))).toEqual([2]);
    expect(steps(await copy.getAttributeChangeHistory(AGENT, 'wood'))).toEqual([0, 1, 2]);
    await writeFile(join(folder, 'bad.json'), '{"agents": []}');
    for (const name of ['bad.json', 'none.json']) {
      const loaded = api.loadFromJson(join(folder, name));
      await expect(loaded).rejects.toThrow(MemoryStoreException);
      await expect(loaded).rejects.toThrow('file: ');
    }
  });
});
