import type { Clock } from '../../memory/clock.ts';
import type { AgentSnapshots } from '../../storage/agent-snapshots.ts';
import type { HookPeers } from '../../storage/hook-peers.ts';
import type { LifecycleEvents } from '../../storage/lifecycle-events.ts';
import type { ScopePolicies } from '../../storage/scope-policies.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import { sqliteAgentSnapshots } from '../../storage/sqlite/agents/agent-snapshots.ts';
import type { SqliteMemoryStore } from '../../storage/sqlite/memory-store.ts';
import { sqliteSessions } from '../../storage/sqlite/sessions/session-store.ts';
import { sqliteLifecycleEvents, sqliteSeenKeyspaces } from '../../storage/sqlite/store-parts.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import type { openLocalSessions } from './open-local-sessions.ts';
import type { openRedisSessions } from './open-redis-sessions.ts';

/** The session store and its lifecycle events. */
export interface SessionParts {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly agents: AgentSnapshots;
  readonly policies: ScopePolicies;
  /** Absent where no other server shares the sessions. */
  readonly hookPeers?: HookPeers;
}

export interface OpenedSessions extends SessionParts {
  /** External stores of sessions. */
  readonly sessionBackends: readonly WatchedBackend[];
  /** Parts that have lost data since the start. */
  degradedSessions(): readonly string[];
}

export async function openSessions(
  store: SqliteMemoryStore,
  config: Config,
  logger: Logger,
  clock: Clock,
  closers: (() => Promise<void>)[],
): Promise<OpenedSessions> {
  const records = {
    checkNamespace: (name: string) => store.getNamespace(name),
    seen: sqliteSeenKeyspaces(store),
  };
  const ofRedis = logger.child({ part: 'redis' });
  const hasRedis = config.redisUrl.length > 0;
  const remote = hasRedis ? await openRemote(config, 'one server', records, ofRedis, closers) : undefined;
  const local = remote && (await openLocal(config, remote.sessions, store, clock, ofRedis, closers));
  return {
    sessions: (local ?? remote)?.sessions ?? sqliteSessions(store),
    events: remote?.events ?? sqliteLifecycleEvents(store),
    agents: sqliteAgentSnapshots(store),
    policies: store.policies,
    sessionBackends: remote ? [remote.backend] : [],
    degradedSessions: () => [...(remote?.degraded() ?? []), ...(local?.degraded() ?? [])],
  };
}

/** Loaded only on demand, to keep the start short. */
async function openLocal(...parts: Parameters<typeof openLocalSessions>): ReturnType<typeof openLocalSessions> {
  const loaded = await import('./open-local-sessions.ts');
  return loaded.openLocalSessions(...parts);
}

/** Loaded only on demand, to keep the start short. */
async function openRemote(...parts: Parameters<typeof openRedisSessions>): ReturnType<typeof openRedisSessions> {
  const loaded = await import('./open-redis-sessions.ts');
  return loaded.openRedisSessions(...parts);
}
