import type { Config } from '../config/config.ts';
import { sessionLimitsOf } from '../config/session-limits.ts';
import type { Route } from '../grpc/edge/handler.ts';
import { scopeService } from '../grpc/namespaces/namespace-service.ts';
import { agentService } from '../grpc/sessions/agent-service.ts';
import { type HookDeps, lifecycleService } from '../grpc/sessions/lifecycle-service.ts';
import { workingMemoryService } from '../grpc/sessions/working-memory-service.ts';
import type { RepeatingJob } from '../jobs/repeating-job.ts';
import { sessionJob } from '../jobs/session-jobs.ts';
import type { Logger } from '../logger.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import { type LifecycleHook, LifecycleHooks } from '../operations/sessions/lifecycle/hooks.ts';
import type { LifecycleDeps } from '../operations/sessions/lifecycle/lifecycle-deps.ts';
import type { VisibilityRules } from '../operations/visibility/visibility.ts';
import { seenAgents, seenSessions } from '../operations/visibility/visible-sessions.ts';
import type { SessionParts } from './open-sessions.ts';
import type { LeasedAs } from './shared-jobs.ts';

/** The session methods, and the background jobs of sessions. */
export interface SessionServices {
  readonly routes: readonly Route[];
  readonly job: RepeatingJob;
}

export interface SessionInputs extends Pick<HookDeps, 'streams' | 'mayRequireHooks' | 'awaited'> {
  /** All memories. */
  readonly memories: MemoryDeps;
  /** Memories as visible to the caller. */
  readonly seen: MemoryDeps;
  readonly visibilityRules: VisibilityRules;
}

export async function sessionServices(
  config: Config,
  { memories, seen, visibilityRules, ...hookParts }: SessionInputs,
  parts: SessionParts,
  hooks: readonly LifecycleHook[],
  logger: Logger,
  leased: LeasedAs,
): Promise<SessionServices> {
  const all = new LifecycleHooks(config.maxHooks + hooks.length, parts.hookPeers, config.maxHooksPerCaller);
  for (const hook of hooks) await all.register(hook);
  const deps: LifecycleDeps = {
    ...memories,
    sessions: parts.sessions,
    events: parts.events,
    agents: parts.agents,
    hooks: all,
    visibilityRules,
    sessionLimits: sessionLimitsOf(config),
    defaultTtlUs: config.workingMemoryTtlMs * 1000,
    idleTtlUs: config.sessionIdleTtlMs * 1000,
    checkpointRetentionUs: config.checkpointRetentionMs * 1000,
    sessionRetentionUs: config.sessionRetentionMs * 1000,
  };
  const times = { intervalMs: config.expiryIntervalMs, eventRetentionMs: config.eventRetentionMs };
  // Background jobs see all scopes, and have no limits.
  const visible: LifecycleDeps = {
    ...deps,
    store: seen.store,
    view: seen.view,
    sessions: seenSessions(deps.sessions, visibilityRules),
    agents: seenAgents(deps.agents, visibilityRules),
  };
  return {
    routes: [
      ...workingMemoryService(visible, config),
      ...lifecycleService({ ...visible, ...hookParts, maxStreamStallMs: config.maxStreamStallMs }, config),
      ...agentService(visible, config),
      ...scopeService({ store: memories.store, clock: memories.clock, policies: parts.policies }),
    ],
    job: sessionJob(deps, times, logger.child({ part: 'sessions' }), leased('sessions', times.intervalMs)),
  };
}
