import type { Config } from '../config/config.ts';
import { sessionLimitsOf } from '../config/session-limits.ts';
import type { Route } from '../grpc/edge/handler.ts';
import { scopeService } from '../grpc/namespaces/scope-service.ts';
import { agentService } from '../grpc/sessions/agent-service.ts';
import { type HookDeps, lifecycleService } from '../grpc/sessions/lifecycle-service.ts';
import { workingMemoryService } from '../grpc/sessions/working-memory-service.ts';
import type { RepeatingJob } from '../jobs/repeating-job.ts';
import { sessionJob } from '../jobs/session-jobs.ts';
import type { Logger } from '../logger.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import { type LifecycleHook, LifecycleHooks } from '../operations/sessions/lifecycle/hooks.ts';
import type { LifecycleDeps } from '../operations/sessions/lifecycle/lifecycle-deps.ts';
import { VisibilityRules } from '../operations/visibility/visibility.ts';
import { SeenAgents, SeenSessions } from '../operations/visibility/visible-sessions.ts';
import { visibleRecords, visibleView } from '../operations/visibility/visible-store.ts';
import type { Records } from '../storage/memory-store.ts';
import type { SessionParts } from './open-sessions.ts';
import type { LeasedAs } from './shared-jobs.ts';

/** The session methods, and the background jobs of sessions. */
export interface SessionServices {
  readonly routes: readonly Route[];
  readonly job: RepeatingJob;
}

export async function sessionServices(
  config: Config,
  memories: MemoryDeps & Pick<HookDeps, 'streams' | 'mayRequireHooks' | 'awaited'> & { readonly limited: Records },
  parts: SessionParts,
  hooks: readonly LifecycleHook[],
  logger: Logger,
  leased: LeasedAs,
): Promise<SessionServices> {
  const all = new LifecycleHooks(config.maxHooks + hooks.length, parts.hookPeers, config.maxHooksPerCaller);
  for (const hook of hooks) await all.register(hook);
  const visibilityRules = new VisibilityRules(parts.policies);
  const deps: LifecycleDeps = {
    ...memories,
    ...parts,
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
  const seen: LifecycleDeps = {
    ...deps,
    store: visibleRecords(memories.limited, visibilityRules),
    view: visibleView(memories.view, visibilityRules),
    sessions: new SeenSessions(deps.sessions, visibilityRules),
    agents: new SeenAgents(deps.agents, visibilityRules),
  };
  return {
    routes: [
      ...workingMemoryService(seen, config),
      ...lifecycleService({ ...memories, ...seen, maxStreamStallMs: config.maxStreamStallMs }, config),
      ...agentService(seen, config),
      ...scopeService({ ...deps, ...parts }),
    ],
    job: sessionJob(deps, times, logger.child({ part: 'sessions' }), leased('sessions', times.intervalMs)),
  };
}
