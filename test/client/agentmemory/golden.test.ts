import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AgentMemoryAPI,
  type MemoryEntry,
  MemoryRetrievalException,
} from '../../../clients/typescript/src/agentmemory/index.ts';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp } from '../support/clean-up.ts';
import { freshApi, SHARED } from './support.ts';

interface Case {
  readonly id: string;
  readonly memory_file: string;
  readonly agent_id: string;
  readonly query: {
    readonly strategy: string;
    readonly input: unknown;
    readonly params?: Record<string, unknown>;
    readonly strategy_options?: Record<string, unknown>;
  };
  readonly expected: {
    readonly checksums: readonly string[];
    readonly error?: boolean;
    readonly error_also_accepted?: boolean;
  };
  readonly adjust?: { readonly now?: string; readonly limit?: number };
}

const FOLDER = `${SHARED}/data/agentmemory-validation`;
const CASES: readonly Case[] = SHARED ? (jsonOf('cases.json') as { cases: Case[] }).cases : [];

interface Agent {
  readonly agent_id: string;
  readonly memories: readonly [MemoryEntry, ...MemoryEntry[]];
}

function jsonOf(file: string): unknown {
  return JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'));
}

let server: ServedMneme;
/** An API for each file of memories. */
const loaded = new Map<string, AgentMemoryAPI>();
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(async () => {
  await cleanUp();
  await server.stop();
});

async function apiOf(file: string): Promise<AgentMemoryAPI> {
  const api = loaded.get(file) ?? freshApi(server);
  if (!loaded.has(file)) await api.loadFromJson(`${FOLDER}/${file}`);
  loaded.set(file, api);
  return api;
}

async function found({ memory_file: file, agent_id: agent, query, adjust }: Case): Promise<Set<unknown>> {
  const { limit = 10, ...parameters } = { ...query.strategy_options, ...query.params };
  const space = (await apiOf(file)).getMemorySpace(agent);
  const options = { ...parameters, ...(adjust?.now !== undefined && { now: new Date(adjust.now) }) };
  const most = adjust?.limit ?? (limit as number);
  const entries = await space.search(query.input, query.strategy, most, undefined, undefined, options);
  return new Set(entries.map(({ metadata }) => metadata.checksum));
}

// The folder of the cases is not part of the checkout.
(SHARED ? describe : describe.skip)('agent memory API › golden cases', () => {
  it('there are › all of them', () => expect(CASES).toHaveLength(69));

  for (const each of CASES) {
    it(`${each.id} › finds the expected set`, async () => {
      const { checksums, error, error_also_accepted: errorAlsoAccepted } = each.expected;
      const result = await found(each).catch((failure: unknown) => failure);
      if (error || (errorAlsoAccepted && result instanceof Error)) {
        expect(result).toBeInstanceOf(MemoryRetrievalException);
        expect(result).toMatchObject({ recoverability: 'recoverable' });
      } else expect(result).toEqual(new Set(checksums));
    });
  }

  it('entries of a file › keep their vectors where their model is named', async () => {
    const file = `${FOLDER}/agent_farm_memories.json`;
    const [agent] = Object.values((jsonOf('agent_farm_memories.json') as { agents: Record<string, Agent> }).agents) as [
      Agent,
    ];
    const api = freshApi(server);
    expect(await api.loadFromJson(file, { embeddingModel: 'all-MiniLM-L6-v2' })).toBe(37);
    expect(await api.getMemoryStatistics(agent.agent_id)).toMatchObject({
      ltm_count: 37,
      memory_type_distribution: { state: 20, action: 17 },
    });
    const [first] = agent.memories;
    const vector = first.embeddings.compressed_vector ?? [];
    const [nearest] = await api.searchByEmbedding(agent.agent_id, vector, 3, ['ltm']);
    const read32 = nearest?.embeddings.full_vector ?? [];
    expect(read32).toEqual(vector.map((value) => expect.closeTo(value, 6)));
    expect(nearest?._similarity_score).toBeCloseTo(1, 2);
    const read = await api.getMemorySpace(agent.agent_id).retrieveByTimeRange(0, 19);
    const same = read.filter((entry) => entry.memory_id === first.memory_id);
    expect(same.map(({ metadata }) => metadata.checksum)).toEqual([first.metadata.checksum]);
    const shots = await api.getMemorySnapshots(agent.agent_id, [...Array(20).keys()]);
    for (const entry of shots.values()) expect(entry?.contents).toHaveProperty('position');
    expect(await api.getAttributeChangeHistory(agent.agent_id, 'position.x')).not.toHaveLength(0);
  });
});
