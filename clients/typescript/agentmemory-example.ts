/**
 * A gatherer with a memory by hooks: it acts, fails once, and its API says what it did.
 *
 *     MNEME_SERVER=127.0.0.1:50051 node clients/typescript/agentmemory-example.ts
 */
import {
  ActionResult,
  AgentMemoryAPI,
  type AgentState,
  BaseAgent,
  installMemoryHooks,
} from './src/agentmemory/index.ts';

const api = new AgentMemoryAPI({
  namespace: 'gatherers',
  cleanupInterval: 10,
  stmConfig: { memoryLimit: 1_000, ttl: 3_600 },
});
await api.clearAgentMemory('ada');

const Gatherer = installMemoryHooks({ api })(
  class Gatherer extends BaseAgent {
    wood = 0;

    override act(place?: unknown): ActionResult {
      if (place === 'cliff') throw new RangeError('nothing grows here');
      this.wood += 2;
      return new ActionResult({ action_type: 'gather', params: { at: place }, reward: 0.2 });
    }

    override getState(): AgentState {
      const state = super.getState();
      state.extra_data['wood'] = this.wood;
      return state;
    }
  },
);

const ada = new Gatherer(undefined, 'ada');
for (const place of ['forest', 'cliff', 'river']) {
  try {
    ada.act(place);
  } catch (error) {
    console.log(`at the ${place}: ${(error as Error).message}`);
  }
}
await api.storeAgentInteraction('ada', { interaction_type: 'trade', with: 'bob', wood: 1 }, ada.stepNumber);

console.log('all stored:', (await api.flush()).complete);
const changes = await api.getAttributeChangeHistory('ada', 'extra_data.wood');
console.log('wood over time:', changes.map((change) => change.new_value).join(', '));
const [failed] = await api.search('ada', { path: 'content.error.type', value: 'RangeError' }, 'path');
console.log('failed at step:', failed?.step_number);
const [trade] = await api.searchByContent('ada', 'trade bob', 1);
console.log('found:', trade?.type, JSON.stringify(trade?.contents));
const { memory_type_distribution: counts } = await api.getMemoryStatistics('ada');
console.log(
  'memories:',
  `${counts['state']} states, ${counts['action']} actions, ${counts['interaction']} interaction`,
);
await api.close();
