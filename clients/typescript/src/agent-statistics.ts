import type { AgentStatistics as AgentMessage } from '../../../gen/ts/mneme/v1/namespace_service.ts';
import { badInput, incompleteAnswer } from './bad-input.ts';
import { tierOf } from './enums.ts';
import type { TierStatistics } from './statistics.ts';

/**
 * Statistics of one agent, from totals that the server maintains: importance, retrievals and vectors are not counted by
 * agent.
 */
export interface AgentStatistics {
  readonly agent: string;
  readonly memoryCount: number;
  /** Bytes of text and content, before any compression. */
  readonly contentBytes: number;
  /** Most first. */
  readonly types: readonly { readonly type: string; readonly memoryCount: number }[];
  readonly tiers: readonly Pick<TierStatistics, 'tier' | 'memoryCount' | 'contentBytes'>[];
}

/** An empty name would ask for all agents. */
export function named(agent: string): string {
  if (agent === '') throw badInput('agent', 'must not be empty');
  return agent;
}

export function agentStatisticsOf(message: AgentMessage | undefined): AgentStatistics {
  if (message === undefined) throw incompleteAnswer('statistics of the agent');
  return { ...message, tiers: message.tiers.map((each) => ({ ...each, tier: tierOf(each.tier) })) };
}
