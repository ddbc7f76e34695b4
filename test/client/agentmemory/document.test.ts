import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  ActionResult,
  AgentMemoryAPI,
  AgentState,
  BaseAgent,
  cacheable,
  flushMemoryHooks,
  installMemoryHooks,
  MemoryConfig,
  MemoryRetrievalException,
  MemoryStoreException,
  RedisSTMConfig,
  setDefaultApi,
  withMemory,
} from '../../../clients/typescript/src/agentmemory/index.ts';
import type { ServedMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp, onCleanUp } from '../support/clean-up.ts';
import { startVectorServer, steps } from './support.ts';

/**
 * Every code example of the document of the Agent Memory API, in its order, in TypeScript: names are camelCase, calls are
 * awaited, models take one object. `agent_id` of calls of a memory space is left out.
 */

let server: ServedMneme;
beforeAll(async () => {
  server = await startVectorServer();
});
afterAll(() => server.stop());
afterEach(async () => {
  setDefaultApi(undefined);
  await cleanUp();
});

/** Each `new AgentMemoryAPI()` uses the server of the test. */
function useServer(): void {
  const variables = { MNEME_SERVER: server.address, MNEME_NAMESPACE: `document-${randomUUID()}` };
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    onCleanUp(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

function opened(config?: MemoryConfig): AgentMemoryAPI {
  const api = new AgentMemoryAPI(config);
  onCleanUp(() => api.close());
  return api;
}

async function store(api: AgentMemoryAPI): Promise<void> {
  await api.storeAgentState(
    'agent-123',
    { position: [10, 20], health: 0.85, inventory: { wood: 5, stone: 2 } },
    1234,
    0.75,
  );
  await api.storeAgentInteraction(
    'agent-123',
    {
      interaction_type: 'conversation',
      other_agent_id: 'agent-456',
      content: 'Hello, do you have any wood to trade?',
      sentiment: 0.6,
    },
    1235,
  );
  await api.storeAgentAction(
    'agent-123',
    {
      action_type: 'trade',
      target_agent: 'agent-456',
      items_given: { wood: 2 },
      items_received: { stone: 1 },
      outcome: 'success',
    },
    1236,
  );
  const agentState = new AgentState({
    agent_id: 'agent-123',
    step_number: 1234,
    health: 0.85,
    position_x: 10,
    position_y: 20,
    extra_data: { inventory: { wood: 5, stone: 2 } },
  });
  await api.storeAgentState(agentState.agent_id, agentState.asDict(), agentState.step_number);
  const result = new ActionResult({
    action_type: 'trade',
    params: { target: 'agent-456', item: 'wood' },
    reward: 0.5,
  });
  expect(result.asDict()).toMatchObject({ action_type: 'trade', reward: 0.5 });
}

it('document of the Agent Memory API › its examples of storing, retrieving and maintenance run', async () => {
  useServer();
  // Initialization
  expect(opened().config.cleanupInterval).toBe(100);
  const memoryApi = opened(new MemoryConfig({ cleanupInterval: 100, stmConfig: { memoryLimit: 10_000 } }));
  // Storing agent information, structured models
  await store(memoryApi);
  // Retrieving memories
  const memorySpace = memoryApi.getMemorySpace('agent-123');
  expect(steps(await memorySpace.retrieveRecentStates(5, 'state'))).toEqual([1234, 1234]);
  const currentState = { position: [12, 22], health: 0.8 };
  expect(await memoryApi.retrieveSimilarStates('agent-123', currentState, 5)).toHaveLength(4);
  expect(steps(await memoryApi.retrieveByTimeRange('agent-123', 1000, 2000, 'action'))).toEqual([1236]);
  const attributes = { action_type: 'trade', outcome: 'success' };
  const [trade, ...others] = await memoryApi.retrieveByAttributes('agent-123', attributes, 'action');
  expect([trade?.contents['items_given'], others]).toEqual([{ wood: 2 }, []]);
  // Memory management
  await memoryApi.forceMemoryMaintenance('agent-123');
  const stats = await memoryApi.getMemoryStatistics('agent-123');
  expect(`Total memories: ${stats.total_memories}`).toBe('Total memories: 4');
  expect(stats.memory_type_distribution).toEqual({ state: 2, interaction: 1, action: 1 });
  memoryApi.clearCache();
  memoryApi.setCacheTtl(300);
  // Raw vector search, content-based search, specific tiers
  const [entry] = await memorySpace.retrieveRecentStates(1);
  const embedding = entry?.embeddings.full_vector ?? [];
  expect(await memorySpace.searchByEmbedding(embedding, 10, ['stm', 'im'])).toHaveLength(4);
  const found = await memorySpace.searchByContent('trade wood', 5);
  expect(steps(found)).toEqual(expect.arrayContaining([1235, 1236]));
  // Merge sorting, result caching
  expect(steps(await memorySpace.retrieveByTimeRange(1000, 2000))).toEqual([1234, 1234, 1235, 1236]);
  const similarStates = await memorySpace.retrieveSimilarStates(currentState, 5);
  expect(await memorySpace.retrieveSimilarStates(currentState, 5)).toEqual(similarStates);
  memorySpace.setCacheTtl(300);
  memorySpace.clearCache();
  memorySpace.setCacheTtl(60);
});

it('document of the Agent Memory API › its examples of hooks run', async () => {
  useServer();
  const MyAgent = installMemoryHooks(
    class MyAgent extends BaseAgent {
      readonly someInternalState = 'calm';

      override act(observation: unknown): unknown {
        return this.process(observation);
      }

      override getState(): AgentState {
        const state = super.getState();
        state.extra_data['custom_field'] = this.someInternalState;
        return state;
      }

      process(observation: unknown): unknown {
        return { action_type: 'go', reward: 1, seen: observation };
      }
    },
  );
  class ExistingAgentClass {
    act(observation: unknown): string {
      return `seen ${JSON.stringify(observation)}`;
    }
  }
  const agent = new ExistingAgentClass();
  const memoryEnhancedAgent = withMemory(agent, 'agent-456');
  const observation = { user_input: "What's the weather today?" };
  expect(memoryEnhancedAgent.act(observation)).toBe(`seen ${JSON.stringify(observation)}`);
  expect(new MyAgent(undefined, 'agent-789').act('here')).toMatchObject({ seen: 'here' });
  const reports = await flushMemoryHooks(60_000);
  expect(reports.map(({ complete }) => complete)).not.toContain(false);
  const memoryApi = opened();
  const [state] = await memoryApi.retrieveRecentStates('agent-789', 10, 'state');
  expect(state?.contents['extra_data']).toEqual({ custom_field: 'calm' });
  const [act] = await memoryApi.retrieveRecentStates('agent-456', 10, 'action');
  expect(act?.contents['observation']).toEqual(observation);
});

it('document of the Agent Memory API › its examples of caching, errors and configuration run', async () => {
  useServer();
  // Caching expensive operations
  let calls = 0;
  const expensiveMemoryOperation = cacheable(60)((agentId: string, query: string) => [agentId, query, ++calls]);
  const result1 = expensiveMemoryOperation('agent-123', 'find wood');
  expect(expensiveMemoryOperation('agent-123', 'find wood')).toEqual(result1);
  expect(expensiveMemoryOperation('agent-123', 'find stone')).not.toEqual(result1);
  expect(calls).toBe(2);
  // Example error handling
  const memoryApi = opened();
  const problems: string[] = [];
  try {
    await memoryApi.storeAgentState('agent-123', { position: [10, 20], health: 0.8 }, 42);
  } catch (error) {
    if (error instanceof MemoryStoreException) problems.push(`Storage failed: ${error.message}`);
  }
  try {
    await memoryApi.retrieveSimilarStates('agent-123', { position: [12, 22] });
  } catch (error) {
    if (error instanceof MemoryRetrievalException) problems.push(`Retrieval failed: ${error.message}`);
  }
  expect(problems).toEqual([]);
  expect((await memoryApi.retrieveByTimeRange('agent-123', 42, 42))[0]?.contents['health']).toBe(0.8);
  // Configuration options
  const config = new MemoryConfig({
    cleanupInterval: 100,
    memoryPriorityDecay: 0.95,
    stmConfig: new RedisSTMConfig({ host: 'localhost', port: 6379, memoryLimit: 10_000, ttl: 3_600 }),
  });
  const configured = opened(config);
  await configured.storeAgentState('agent-123', { health: 1 }, 43);
  expect((await configured.client.namespaces.get()).settings).toMatchObject({
    'importance.decay_factor': '0.95',
    'short_term.memory_limit': '10000',
    'short_term.ttl': '3600000ms',
  });
});
