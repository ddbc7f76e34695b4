import type { ChangeLog, LogSource } from '../change-log/change-log.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../memory/clock.ts';
import type { MemoryGauge } from '../memory/memory-gauge.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import { namespaceNames } from '../operations/namespaces/namespaces.ts';
import { policyOf } from '../operations/tiers/tier-config.ts';
import type { RecallEngine } from '../recall/recall-engine.ts';
import { ReportedLosses } from '../reported-losses.ts';
import type { AgentSnapshots } from '../storage/agent-snapshots.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import type { RedisDurability } from '../storage/redis/durability.ts';
import { eraseFormerIndexes } from '../storage/redis/former-indexes.ts';
import { RedisMemoryStore } from '../storage/redis/memory-store.ts';
import { RedisMemoryGauge } from '../storage/redis/redis-memory-gauge.ts';
import type { ServerPresence } from '../storage/redis/server-presence.ts';
import {
  RedisSubscriptions,
  type RedisSubscriptionsOptions,
} from '../storage/redis/subscriptions/subscription-store.ts';
import type { ReembeddingStore } from '../storage/reembedding-store.ts';
import { SqliteAgentSnapshots } from '../storage/sqlite/agents/agent-snapshots.ts';
import { SqliteScopePolicies } from '../storage/sqlite/agents/scope-policies.ts';
import type { SqliteMemoryStore } from '../storage/sqlite/memory-store.ts';
import type { SubscriptionStore } from '../storage/subscription-store.ts';
import type { TierStore } from '../storage/tier-store.ts';
import { TieredAgentSnapshots } from '../storage/tiered/agent-snapshots.ts';
import { TieredEngine } from '../storage/tiered/engine.ts';
import { TieredMemoryStore } from '../storage/tiered/memory-store.ts';
import { NamespacePolling } from '../storage/tiered/namespace-polling.ts';
import { TieredReembeddings } from '../storage/tiered/reembeddings.ts';
import { openWatchedRedis, refusalsOf, watchedRedis } from './open-redis.ts';
import { takePrefix } from './take-prefix.ts';

const SERVED = 'long-term memories are read, and Recall answers from the data folder; other calls are refused';
const LOSSES = {
  flushed: 'Redis has lost all of it; what was copied into the data folder is there, later writes are lost',
  rolled_back:
    'Redis has gone back to an older state; what was copied into the data folder is there, later writes are lost',
  unfollowed: 'Redis has lost its latest writes before they could be copied into the data folder',
  gap: 'so much has changed in Redis that not all of it could be followed: some deleted memories may be found again',
  damaged: 'an entry of the change log in Redis is damaged and was passed by: all that is there was copied',
};
/** Interval of polls for changes of other servers in watched namespaces. */
const POLL_MS = 250;

export interface Tiered {
  readonly store: MemoryStore;
  readonly tiers: TierStore;
  readonly reembeddings: ReembeddingStore;
  readonly engine: RecallEngine;
  readonly agents: AgentSnapshots;
  readonly logSource: LogSource;
  readonly subscriptions: SubscriptionStore;
  readonly gauges: readonly MemoryGauge[];
  readonly backend: WatchedBackend;
  close(): Promise<void>;
  /** Parts that do not work, or have lost data since the start. */
  degraded(): readonly string[];
}

/** Opens the upper tiers in the Redis of the settings. Fails, in one line, when it is not reachable. */
export async function openHotStore(
  config: Config,
  cold: SqliteMemoryStore,
  engine: RecallEngine,
  logger: Logger,
  clock: Clock,
): Promise<Tiered> {
  const { connection, durability, presence } = await openMemoryRedis(config, logger);
  const hot = new RedisMemoryStore({
    connection,
    prefix: config.redisKeyPrefix,
    idempotencyRetentionMs: config.idempotencyRetentionMs,
    revisionFloor: () => cold.revision,
    isRecovered: true,
    onLoss: (namespace) => store.follower.wake(namespace),
    durability,
  });
  const losses = new ReportedLosses();
  const onFailure = (namespace: string, err: unknown): void =>
    logger.warn({ namespace, err }, 'memories in Redis could not be copied; tried again until they can');
  const store = new TieredMemoryStore({
    hot,
    cold,
    clock,
    mayLag: () => durability.isReliable,
    policies: new SqliteScopePolicies(cold),
    onDelete: (namespace) => subscriptions.deleteAll(namespace),
    onLoss: (namespace, loss) => {
      logger.error({ namespace, loss }, LOSSES[loss]);
      losses.note(`namespaces/${namespace}: ${LOSSES[loss]}`);
      durability.readAgain();
    },
    onFailure,
  });
  const getNamespace = (name: string) => store.getNamespace(name);
  const subscriptions: RedisSubscriptions = new RedisSubscriptions({
    connection,
    prefix: config.redisKeyPrefix,
    idempotencyRetentionMs: config.idempotencyRetentionMs,
    log: followedLog(cold.streams, store),
    clock,
  });
  const polling = new NamespacePolling({ adopt: getNamespace, follower: store.follower, pollMs: POLL_MS, onFailure });
  // Writes acknowledged before the last end of the server may not have been copied.
  const names: string[] = [];
  for await (const name of namespaceNames(cold)) names.push(name);
  polling.begin(names);
  return {
    store,
    tiers: store.tiers,
    reembeddings: new TieredReembeddings({ hot, cold, store }),
    engine: new TieredEngine({ engine, cold, follower: store.follower, getNamespace }),
    agents: new TieredAgentSnapshots({
      agents: new SqliteAgentSnapshots(cold),
      hot,
      ownership: store.ownership,
      follower: store.follower,
    }),
    logSource: polling,
    subscriptions,
    gauges: [new RedisMemoryGauge(connection, config.redisKeyPrefix)],
    async close() {
      await presence.close();
      await polling.stop();
      await durability.stop();
      await store.close();
    },
    backend: watchedRedis(connection, 'short_term and intermediate', SERVED, () => lostServices(cold)),
    degraded: () => [...refusalsOf(connection, 'short_term and intermediate'), ...losses.texts],
  };
}

export type MemoryRedis = Awaited<ReturnType<typeof openWatchedRedis>> & { readonly presence: ServerPresence };

/**
 * Takes the key prefix, logs the deficits of the durability, and erases data in Redis that only a former version read.
 */
export async function openMemoryRedis(config: Config, logger: Logger): Promise<MemoryRedis> {
  const kept = 'short-term and intermediate memories';
  const warn = ({ weaknesses }: RedisDurability) => weaknesses.map((weakness) => logger.warn(weakness));
  const opened = await openWatchedRedis(config, logger, kept, (now) => {
    logger.info({ survives: now.durability }, 'Redis has other settings than before');
    warn(now);
  });
  const { connection, durability } = opened;
  warn(durability.current);
  try {
    const presence = await takePrefix(config, config.redisShared ? 'shared' : 'one server', connection, logger);
    await eraseFormerIndexes(connection, config.redisKeyPrefix, (keys) =>
      logger.info({ keys }, 'erased from Redis the indexes of a former version, which nothing reads'),
    );
    return { ...opened, presence };
  } catch (error) {
    await durability.stop();
    await connection.close();
    throw error;
  }
}

/**
 * New memories go to short-term memory, so writes fail while Redis is away, unless the settings allow long-term memory.
 */
async function lostServices(cold: SqliteMemoryStore): Promise<readonly string[]> {
  const { whenLost } = await policyOf(cold, '');
  const subscriptions = 'SubscriptionService';
  return whenLost === 'store_below' ? [subscriptions] : ['MemoryService', 'IngestService', subscriptions];
}

/** The log of the copies, which first copies the changes of other servers. */
function followedLog(log: ChangeLog, store: TieredMemoryStore): RedisSubscriptionsOptions['log'] {
  return {
    get revision() {
      return log.revision;
    },
    place: (namespace, revision) => log.place(namespace, revision),
    async revisionAt(namespace, place) {
      if (place.log !== (await log.place(namespace, 0)).log) await store.follower.catchUp(namespace.name);
      return log.revisionAt(namespace, place);
    },
    async watchedNamespace(name) {
      await store.getNamespace(name);
      return log.watchedNamespace(name);
    },
  };
}
