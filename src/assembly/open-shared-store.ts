import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { ChangeLog, LogSource } from '../change-log/change-log.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../memory/clock.ts';
import { compactedFor, isUnavailable, MnemeError, revisionAhead } from '../memory/errors.ts';
import type { MemoryGauge } from '../memory/memory-gauge.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import type { RecallEngine } from '../recall/recall-engine.ts';
import { ReportedLosses } from '../reported-losses.ts';
import type { CommandEntry } from '../storage/command-log.ts';
import type { JobLeases } from '../storage/job-leases.ts';
import { RedisCommandLog, SHARED_LOG } from '../storage/redis/command-log.ts';
import { keyspacePrefix } from '../storage/redis/keys.ts';
import { RedisMemoryGauge } from '../storage/redis/redis-memory-gauge.ts';
import {
  RedisSubscriptions,
  type RedisSubscriptionsOptions,
} from '../storage/redis/subscriptions/subscription-store.ts';
import { RenewedLeases } from '../storage/renewed-leases.ts';
import { bringInPending } from '../storage/shared/bring-in.ts';
import { discardCopy, prepareFolder } from '../storage/shared/prepare-folder.ts';
import { PrivateKeyspaces } from '../storage/shared/private-keyspaces.ts';
import { renewLog } from '../storage/shared/renew-log.ts';
import { SharedEngine } from '../storage/shared/shared-engine.ts';
import { SharedLog } from '../storage/shared/shared-log.ts';
import { SharedMemoryStore } from '../storage/shared/shared-memory-store.ts';
import { SnapshotKeeper } from '../storage/shared/snapshot-keeper.ts';
import type { SharedPosition } from '../storage/shared-position.ts';
import { checkFree } from '../storage/sqlite/folder.ts';
import { openStoreAs, type SqliteStoreOptions } from '../storage/sqlite/memory-store.ts';
import type { SubscriptionStore } from '../storage/subscription-store.ts';
import type { ThreadSource } from '../thread-source.ts';
import { type MemoryRedis, openMemoryRedis } from './open-hot-store.ts';
import { refusalsOf, watchedRedis } from './open-redis.ts';

/** Interval of polls for commands of other servers. */
const POLL_MS = 250;
const SERVICES = [
  'MemoryService',
  'IngestService',
  'NamespaceService',
  'AgentService',
  'ScopeService',
  'SubscriptionService',
];

/** Stores of a server that shares all data with others. */
export interface SharedStorage {
  readonly engine: RecallEngine;
  readonly logSource: LogSource;
  readonly subscriptions: SubscriptionStore;
  readonly jobLeases: JobLeases;
  readonly gauges: readonly MemoryGauge[];
  readonly backend: WatchedBackend;
  /** Parts that do not work, or have lost data since the start. */
  degraded(): readonly string[];
}

export interface JoinedLog {
  /** Opens the data folder, which holds a copy of the shared data. */
  openStore(options: SqliteStoreOptions): Promise<SharedMemoryStore>;
  /** Starts to follow the shared log, and imports data that only this folder has. */
  follow(engine: RecallEngine): Promise<SharedStorage>;
  close(): Promise<void>;
}

/** Joins the servers of the key prefix. Fails, in one line, when Redis is not reachable. */
export async function joinSharedLog(
  config: Config,
  logger: Logger,
  clock: Clock,
  writerThreads: ThreadSource,
): Promise<JoinedLog> {
  const redis = await openMemoryRedis(config, logger);
  try {
    const { redisKeyPrefix: prefix, idempotencyRetentionMs } = config;
    const log = new RedisCommandLog(redis.connection, keyspacePrefix(prefix, ...SHARED_LOG));
    const { connection } = redis;
    const own = new PrivateKeyspaces({ connection, prefix, clock, idempotencyRetentionMs, writerThreads });
    checkFree(config.data);
    const start = await prepareFolder({
      folder: config.data,
      log,
      complete: (folder) => own.completeCopies(folder),
      release: () => own.erase(),
    });
    return new Joined({ config, logger, clock, redis, log, start });
  } catch (error) {
    await redis.presence.close();
    await redis.durability.stop();
    await redis.connection.close();
    throw error;
  }
}

interface JoinedParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly redis: MemoryRedis;
  readonly log: RedisCommandLog;
  /** Position of the copy. */
  readonly start: SharedPosition;
}

class Joined implements JoinedLog {
  private readonly config: Config;
  private readonly logger: Logger;
  private readonly clock: Clock;
  private readonly redis: MemoryRedis;
  private readonly log: RedisCommandLog;
  private readonly start: SharedPosition;
  private readonly server: string;
  private readonly losses = new ReportedLosses();
  private store: SharedMemoryStore | undefined;
  private sharedLog: SharedLog | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly jobLeases: RenewedLeases;
  private readonly snapshots: SnapshotKeeper;

  constructor({ config, logger, clock, redis, log, start }: JoinedParts) {
    this.config = config;
    this.logger = logger;
    this.clock = clock;
    this.redis = redis;
    this.log = log;
    this.start = start;
    this.snapshots = new SnapshotKeeper(log, config.data);
    this.server = `${hostname()}:${resolve(config.data)}`;
    this.jobLeases = new RenewedLeases({
      table: log.leases,
      owner: randomUUID(),
      onFailure: (err) => {
        if (!isUnavailable(err)) logger.warn({ err }, 'the lease of a job could not be renewed; it ends by itself');
      },
    });
  }

  openStore = async (options: SqliteStoreOptions): Promise<SharedMemoryStore> => {
    // The same term at all servers, as they execute the same commands.
    this.store = await openStoreAs(SharedMemoryStore, { ...options, newTerm: () => this.start.epoch });
    return this.store;
  };

  async follow(engine: RecallEngine): Promise<SharedStorage> {
    const { store, start, log, config, clock, redis } = this;
    if (!store) throw new Error('the data folder is not open yet');
    const sharedLog = new SharedLog(
      {
        log,
        position: () => store.position(),
        apply: (entry) => store.apply(entry, start.epoch),
        renew: (at, recent) => this.renew(at, recent),
        onEnd: (error) => this.noteEnd(error.metadata['fault'] ?? '', error.message),
      },
      start,
    );
    this.sharedLog = sharedLog;
    const subscriptions = this.subscriptionsOf(store);
    store.join({
      log: sharedLog,
      retentionUs: config.idempotencyRetentionMs * 1000,
      onDelete: (namespace) => subscriptions.deleteAll(namespace),
      describe: () => {
        const { technology, durability } = redis.durability.current;
        return { role: 'memories', technology, durability };
      },
    });
    await sharedLog.current();
    await bringInPending({
      folder: config.data,
      shared: store,
      clock,
      onDone: (folder, memories) =>
        this.logger.info({ folder, memories }, 'brought memories of this folder into what the servers share'),
    });
    this.poll();
    return {
      engine: new SharedEngine(engine, sharedLog, () => store.revision),
      logSource: {
        adopt: async (name) => void (await store.getNamespace(name)),
        keep: () => () => undefined,
        reach: () => sharedLog.current(),
      },
      subscriptions,
      jobLeases: this.jobLeases,
      gauges: [new RedisMemoryGauge(redis.connection, config.redisKeyPrefix)],
      backend: watchedRedis(redis.connection, 'memories', 'calls of memories are refused', async () => SERVICES),
      degraded: () => [...refusalsOf(redis.connection, 'memories'), ...this.losses.texts],
    };
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.snapshots.settled();
    await this.jobLeases.close();
    await this.redis.presence.close();
    await this.redis.durability.stop();
    await this.redis.connection.close();
  }

  private subscriptionsOf(store: SharedMemoryStore): RedisSubscriptions {
    const { config, clock, redis, start } = this;
    return new RedisSubscriptions({
      connection: redis.connection,
      prefix: config.redisKeyPrefix,
      idempotencyRetentionMs: config.idempotencyRetentionMs,
      log: sharedPlaces(store.streams, start.epoch, this.server),
      clock,
    });
  }

  private poll(): void {
    const again = () => {
      this.timer = setTimeout(() => this.poll(), POLL_MS).unref();
    };
    this.timer = setTimeout(() => undefined, 0);
    this.sharedLog
      ?.current()
      .then(() => {
        this.snapshots.look().catch((err: unknown) => this.logger.error({ err }, 'no snapshot could be made'));
      })
      .catch((err: unknown) => {
        const isClosing = err instanceof MnemeError && err.reason === 'DRAINING';
        if (!isClosing && !isUnavailable(err))
          this.logger.error({ err }, 'what the servers share could not be followed');
      })
      .finally(() => this.timer && again());
  }

  /** Redis has lost all data: the server with the highest position writes its data there. */
  private async renew(at: SharedPosition, recent: readonly CommandEntry[]): Promise<void> {
    const { log, config, server } = this;
    const isDone = await renewLog({ log, folder: config.data, server, graceMs: 4 * POLL_MS }, at, recent);
    const text = 'Redis has lost what the servers share: it has got back what they have of it in their data folders';
    this.logger.error({ here: isDone }, text);
    this.losses.note(text);
    this.redis.durability.readAgain();
  }

  private noteEnd(fault: string, message: string): void {
    this.logger.error({ fault }, message);
    this.losses.note(message);
    if (fault === 'damaged_view') {
      discardCopy(this.config.data).catch((err: unknown) =>
        this.logger.error({ err }, 'the folder cannot be written to'),
      );
    }
  }
}

/** Places in the log of the copy, which is equal at all servers. `server`: name of the claims. */
function sharedPlaces(log: ChangeLog, epoch: string, server: string): RedisSubscriptionsOptions['log'] {
  return {
    get revision() {
      return log.revision;
    },
    watchedNamespace: (name) => log.watchedNamespace(name),
    async place(namespace, revision) {
      return { ...(await log.place(namespace, revision)), log: server, epoch, origin: revision };
    },
    async revisionAt(_namespace, place) {
      if (place.epoch !== epoch) throw compactedFor(place.revision, await log.compactedRevision());
      if (place.origin > log.revision) throw revisionAhead(place.origin, log.revision);
      return place.origin;
    },
  };
}
