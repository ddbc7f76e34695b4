import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentMemoryAPI, MemoryRetrievalException } from '../../../clients/typescript/src/agentmemory/index.ts';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp } from '../support/clean-up.ts';
import { AGENT, freshApi, steps } from './support.ts';

let server: ServedMneme;
let folder: string;
beforeAll(async () => {
  server = await serveMneme();
  folder = await mkdtemp(join(tmpdir(), 'own-vectors-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await server.stop();
});
afterEach(cleanUp);

/** States with vectors of a model of the caller, in the schema of that library. */
async function loadVectors(api: AgentMemoryAPI): Promise<void> {
  const memories = [
    [1, 0, 0],
    [0, 1, 0],
  ].map((vector, at) => ({
    memory_id: `m${at + 1}`,
    agent_id: AGENT,
    step_number: at + 1,
    timestamp: 1_760_000_000 + at,
    contents: { place: `room ${at + 1}` },
    metadata: { memory_type: 'state', importance_score: 0.5 },
    embeddings: { full_vector: vector, compressed_vector: null, abstract_vector: null },
  }));
  const file = join(folder, 'vectors.json');
  await writeFile(file, JSON.stringify({ agents: { [AGENT]: { agent_id: AGENT, memories } } }));
  expect(await api.loadFromJson(file, { embeddingModel: 'own' })).toBe(2);
}

describe('P5 vectors on a server with default settings', () => {
  it.each([3, 256, 384])('none is stored, %d values are searched for › NO_VECTORS', async (count) => {
    const api = freshApi(server);
    await api.storeAgentState(AGENT, { place: 'harbour' }, 1);
    const vector = Array.from({ length: count }, () => 0.1);
    await expect(api.searchByEmbedding(AGENT, vector)).rejects.toMatchObject({ cause: { reason: 'NO_VECTORS' } });
    await expect(api.searchByEmbedding(AGENT, vector)).rejects.toThrow(MemoryRetrievalException);
    const preset = { name: 'similarity', parameters: { query: vector } };
    await expect(api.client.recall({ preset })).rejects.toMatchObject({ reason: 'NO_VECTORS' });
  });

  it('own vectors are stored › they are searched, and entries have them', async () => {
    const api = freshApi(server);
    await loadVectors(api);
    const found = await api.searchByEmbedding(AGENT, [0.1, 0.9, 0], 2);
    expect(steps(found)).toEqual([2, 1]);
    expect(found[0]?.embeddings.full_vector).toEqual([0, 1, 0]);
    expect(steps(await api.searchByEmbedding(AGENT, [1, 0, 0], 1, ['stm']))).toEqual([1]);
    const preset = { name: 'similarity', parameters: { query: [1, 0, 0] } };
    expect((await api.client.recall({ preset, limit: 1 })).hits.map(({ memory }) => memory.step)).toEqual([1]);
  });

  it.each([1, 2, 4, 256])('own vectors have 3 values, %d are searched for › DIMENSION_MISMATCH', async (count) => {
    const api = freshApi(server);
    await loadVectors(api);
    const asked = api.searchByEmbedding(
      AGENT,
      Array.from({ length: count }, () => 1),
    );
    await expect(asked).rejects.toMatchObject({ cause: { reason: 'DIMENSION_MISMATCH' } });
  });

  it('a namespace without memories › nothing is near', async () => {
    expect(await freshApi(server).searchByEmbedding(AGENT, [1, 0, 0])).toEqual([]);
  });
});
