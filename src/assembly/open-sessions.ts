import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../memory/clock.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import type { AgentSnapshots } from '../storage/agent-snapshots.ts';
import type { HookPeers } from '../storage/hook-peers.ts';
import type { LifecycleEvents } from '../storage/lifecycle-events.ts';
import type { ScopePolicies } from '../storage/scope-policies.ts';
import type { SessionStore } from '../storage/session-store.ts';
import { SqliteAgentSnapshots } from '../storage/sqlite/agents/agent-snapshots.ts';
import { SqliteScopePolicies } from '../storage/sqlite/agents/scope-policies.ts';
import type { SqliteMemoryStore } from '../storage/sqlite/memory-store.ts';
import { SqliteSeenRooms } from '../storage/sqlite/seen-rooms.ts';
import { SqliteLifecycleEvents } from '../storage/sqlite/sessions/lifecycle-events.ts';
import { SqliteSessionStore } from '../storage/sqlite/sessions/session-store.ts';
import type { openLocalSessions } from './open-local-sessions.ts';
import { openRedisSessions } from './open-redis-sessions.ts';

/** Where sessions are kept, and what happens to them. */
export interface SessionParts {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly agents: AgentSnapshots;
  readonly policies: ScopePolicies;
  /** Absent where no other server shares the sessions. */
  readonly hookPeers?: HookPeers;
}

export interface OpenedSessions extends SessionParts {
  /** Stores outside of the process that sessions depend on. */
  readonly sessionBackends: readonly WatchedBackend[];
  /** Parts that have lost something since the start. */
  degradedSessions(): readonly string[];
}

export async function openSessions(
  store: SqliteMemoryStore,
  config: Config,
  logger: Logger,
  clock: Clock,
  closers: (() => Promise<void>)[],
): Promise<OpenedSessions> {
  const remote =
    config.redisUrl === ''
      ? undefined
      : await openRedisSessions(config, store, new SqliteSeenRooms(store), logger, closers);
  const local = remote && (await openLocal(config, remote.sessions, store, clock, logger, closers));
  return {
    sessions: (local ?? remote)?.sessions ?? new SqliteSessionStore(store),
    events: remote?.events ?? new SqliteLifecycleEvents(store),
    agents: new SqliteAgentSnapshots(store),
    policies: new SqliteScopePolicies(store),
    ...(remote && { hookPeers: remote.hookPeers }),
    sessionBackends: remote ? [remote.backend] : [],
    degradedSessions: () => [...(remote?.degraded() ?? []), ...(local?.degraded() ?? [])],
  };
}

/** Loaded only where it is wanted: start-up is what everybody waits for. */
async function openLocal(...parts: Parameters<typeof openLocalSessions>): ReturnType<typeof openLocalSessions> {
  const loaded = await import('./open-local-sessions.ts');
  return loaded.openLocalSessions(...parts);
}
