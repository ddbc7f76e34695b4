/**
 * What hooks of the Agent Memory API cost an agent, beside the same act without hooks: processor time for each act, in
 * microseconds, of the acts alone and with the sending of their memories, which Node does in the same thread.
 *
 *     MNEME_SERVER=127.0.0.1:50051 node clients/typescript/bench/hooks.ts [ACTS]
 */
import { ActionResult, AgentMemoryAPI, AgentState, BaseAgent, withMemory } from '../src/agentmemory/index.ts';

/** An agent with a state of the size that the document of the API shows. */
class Agent extends BaseAgent {
  override act(_observation?: unknown): ActionResult {
    this.stepNumber += 1;
    return new ActionResult({ action_type: 'move', params: { to: [this.stepNumber, 20] }, reward: 0.5 });
  }

  override getState(): AgentState {
    return new AgentState({
      agent_id: this.agentId,
      step_number: this.stepNumber,
      health: 0.85,
      position_x: 10,
      extra_data: { wood: 5, stone: this.stepNumber },
    });
  }
}

const acts = Number(process.argv[2] ?? 2_000);
const warmUp = 2_000;
const api = new AgentMemoryAPI({ namespace: `bench-${process.pid}`, queueLimit: 20 * (acts + warmUp) });
await shown('without hooks', new Agent(undefined, 'plain'));
await shown('with hooks', withMemory(new Agent(undefined, 'hooked'), undefined, { api }));
await api.close();

async function shown(name: string, agent: Agent): Promise<void> {
  for (let step = 0; step < warmUp; step += 1) agent.act(step);
  await api.flush(120_000);
  const begun = process.cpuUsage();
  for (let step = 0; step < acts; step += 1) agent.act(step);
  const acted = process.cpuUsage(begun);
  const { stored } = await api.flush(120_000);
  const sent = process.cpuUsage(begun);
  const each = ({ user, system }: NodeJS.CpuUsage) => `${((user + system) / acts).toFixed(1)} us`.padStart(10);
  console.log(`${name.padEnd(14)}${each(acted)} acts${each(sent)} with sending, ${stored} memories stored`);
}
