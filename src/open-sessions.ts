import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import { openRedisSessions } from './open-redis-sessions.ts';
import type { AgentSnapshots } from './storage/agent-snapshots.ts';
import type { LifecycleEvents } from './storage/lifecycle-events.ts';
import type { ScopePolicies } from './storage/scope-policies.ts';
import type { SessionStore } from './storage/session-store.ts';
import { SqliteAgentSnapshots } from './storage/sqlite/agents/agent-snapshots.ts';
import { SqliteScopePolicies } from './storage/sqlite/agents/scope-policies.ts';
import type { SqliteMemoryStore } from './storage/sqlite/memory-store.ts';
import { SqliteLifecycleEvents } from './storage/sqlite/sessions/lifecycle-events.ts';
import { SqliteSessionStore } from './storage/sqlite/sessions/session-store.ts';

/** Where sessions are kept, and what happens to them. */
export interface SessionParts {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly agents: AgentSnapshots;
  readonly policies: ScopePolicies;
}

export async function openSessions(
  store: SqliteMemoryStore,
  config: Config,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<SessionParts> {
  const remote = config.redisUrl === '' ? undefined : await openRedisSessions(config, store, logger, closers);
  return {
    sessions: remote?.sessions ?? new SqliteSessionStore(store),
    events: remote?.events ?? new SqliteLifecycleEvents(store),
    agents: new SqliteAgentSnapshots(store),
    policies: new SqliteScopePolicies(store),
  };
}
