import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../memory/clock.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import { ReportedLosses } from '../reported-losses.ts';
import type { AgentSnapshots } from '../storage/agent-snapshots.ts';
import type { HookPeers } from '../storage/hook-peers.ts';
import type { LifecycleEvents } from '../storage/lifecycle-events.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import type { RedisConnection } from '../storage/redis/connection.ts';
import type { SessionLoss } from '../storage/redis/sessions/session-keyspaces.ts';
import type { ScopePolicies, SeenKeyspaces } from '../storage/scope-policies.ts';
import type { SessionStore } from '../storage/session-store.ts';
import { SqliteAgentSnapshots } from '../storage/sqlite/agents/agent-snapshots.ts';
import { SqliteScopePolicies } from '../storage/sqlite/agents/scope-policies.ts';
import type { SqliteMemoryStore } from '../storage/sqlite/memory-store.ts';
import { SqliteSeenKeyspaces } from '../storage/sqlite/seen-keyspaces.ts';
import { SqliteLifecycleEvents } from '../storage/sqlite/sessions/lifecycle-events.ts';
import { SqliteSessionStore } from '../storage/sqlite/sessions/session-store.ts';
import type { openLocalSessions } from './open-local-sessions.ts';

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
  const remote =
    config.redisUrl.length === 0
      ? undefined
      : await openRedisSessions(config, store, new SqliteSeenKeyspaces(store.ofThisServer()), logger, closers);
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

/** Loaded only on demand, to keep the start short. */
async function openLocal(...parts: Parameters<typeof openLocalSessions>): ReturnType<typeof openLocalSessions> {
  const loaded = await import('./open-local-sessions.ts');
  return loaded.openLocalSessions(...parts);
}

/** Interval of polls for changes of other servers in watched sessions. */
const POLL_MS = 250;
/** Time after which the hooks of a dead server are no longer called. */
const HOOK_LEASE_MS = 5000;
const LOSSES: Readonly<Record<SessionLoss, string>> = {
  flushed: 'sessions are lost: Redis was emptied or restarted without its data',
  rolled_back: 'the latest writes of sessions are lost: Redis has gone back to an older state',
};

/** Sessions in the Redis of the settings. Loaded only on demand, to keep the start short. */
async function openRedisSessions(
  config: Config,
  store: MemoryStore,
  seen: SeenKeyspaces,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<{
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly hookPeers: HookPeers;
  readonly redis: RedisConnection;
  readonly backend: WatchedBackend;
  degraded(): readonly string[];
}> {
  const { openRedisOf, openWatchedRedis, refusalsOf, watchedRedis } = await import('./open-redis.ts');
  const { RedisSessionStore } = await import('../storage/redis/sessions/session-store.ts');
  const { connection: redis, durability } = await openWatchedRedis(config, logger, 'sessions');
  closers.push(() => redis.close());
  closers.push(() => durability.stop());
  const losses = new ReportedLosses();
  const sessions = new RedisSessionStore(redis, {
    prefix: config.redisKeyPrefix,
    pollMs: POLL_MS,
    durability,
    retentionMs: config.idempotencyRetentionMs,
    checkNamespace: (name) => store.getNamespace(name),
    seen,
    lossHoldMs: config.sessionLossHoldMs,
    onLoss: (namespace, loss) => {
      logger.error({ namespace, loss }, LOSSES[loss]);
      losses.note(`namespaces/${namespace}: ${LOSSES[loss]}`);
      durability.readAgain();
    },
  });
  closers.push(() => sessions.close());
  const { RedisLifecycleEvents } = await import('../storage/redis/sessions/lifecycle-events.ts');
  const { RedisHookPeers } = await import('../storage/redis/sessions/hook-peers.ts');
  const hookPeers = new RedisHookPeers({
    redis,
    prefix: config.redisKeyPrefix,
    connect: () => openRedisOf(config, logger, 'hooks of other servers'),
    // Redis must have answered before the command times out.
    waitMs: config.redisCommandTimeoutMs / 2,
    leaseMs: HOOK_LEASE_MS,
  });
  closers.push(() => hookPeers.close());
  return {
    sessions,
    events: new RedisLifecycleEvents(redis, config.redisKeyPrefix),
    hookPeers,
    redis,
    backend: watchedRedis(redis, 'sessions', async () => lostServices(config)),
    degraded: () => [...refusalsOf(redis, 'sessions'), ...losses.texts],
  };
}

function lostServices({ sessionsWhenLost }: Config): readonly string[] {
  return sessionsWhenLost === 'fail' ? ['WorkingMemoryService', 'LifecycleService'] : ['LifecycleService'];
}
