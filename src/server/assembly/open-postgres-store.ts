import { randomUUID } from 'node:crypto';
import type { Clock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { TransactionMeter } from '../../memory/meters.ts';
import type { RecallEngine } from '../../search/recall/recall-engine.ts';
import type { StandingQueryIndex } from '../../search/standing/standing-query.ts';
import type { LogSource } from '../../storage/change-log/change-log.ts';
import { PostgresAgentSnapshots } from '../../storage/postgres/agents/agent-snapshots.ts';
import { PostgresLeaseTable } from '../../storage/postgres/lease-table.ts';
import { openPostgresRecords, type PostgresRecords } from '../../storage/postgres/record-store.ts';
import { PostgresSubscriptions } from '../../storage/postgres/subscriptions/subscription-store.ts';
import { RenewedLeases } from '../../storage/renewed-leases.ts';
import { FolderError } from '../../storage/sqlite/driver-error.ts';
import { openSqliteStore, type SqliteMemoryStore, type SqliteStoreOptions } from '../../storage/sqlite/memory-store.ts';
import { emptyView, markDamaged, prepareView } from '../../storage/sqlite/view-folder.ts';
import { FollowedView, viewedEngine } from '../../storage/viewed/followed-view.ts';
import { followedLog, viewedLog } from '../../storage/viewed/viewed-log.ts';
import type { Config } from '../config/config.ts';
import { SERVICES } from '../grpc/edge/service-names.ts';
import type { Logger } from '../logger.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import { postgresFailure } from './check-postgres.ts';
import { openPostgresSessionParts } from './open-postgres-sessions.ts';
import type { OpenedStorage } from './storage-parts.ts';

/** The search of the view, and its folder as a backend. */
export interface ViewParts {
  readonly engine: RecallEngine;
  readonly standing: StandingQueryIndex;
  readonly folder: WatchedBackend;
}

/** Stores of a server that shares PostgreSQL with others. */
export interface PostgresStorage extends Omit<OpenedStorage, 'search' | 'measureStorage'> {
  /** Brings namespaces of the view to the end of their logs, as far as calls would wait for it. */
  readonly reachEach: (namespaces: readonly string[]) => Promise<void>;
  /** Closes the records and the view. */
  close(): Promise<void>;
}

export interface JoinedPostgres {
  /** Opens the data folder as a view of the records. */
  openStore(options: SqliteStoreOptions): Promise<SqliteMemoryStore>;
  /** Begins to follow the records. */
  follow(parts: ViewParts): Promise<PostgresStorage>;
  /** Measures transactions from now on. */
  measure(meter: TransactionMeter): void;
  close(): Promise<void>;
}

/** Connects with the PostgreSQL of the settings. Fails, in one line, when it is not reachable. */
export async function joinPostgres(config: Config, logger: Logger, clock: Clock): Promise<JoinedPostgres> {
  const joined = new Joined(config, logger, clock);
  await joined.open();
  return joined;
}

class Joined implements JoinedPostgres {
  private readonly config: Config;
  /** The logger of the whole server: a child of a child would name its part twice in each line. */
  private readonly serverLogger: Logger;
  private readonly logger: Logger;
  private readonly clock: Clock;
  private readonly failures: ReportedFailures;
  private opened: PostgresRecords | undefined;
  private view: SqliteMemoryStore | undefined;
  private isReadOnly = false;

  constructor(config: Config, serverLogger: Logger, clock: Clock) {
    this.config = config;
    this.serverLogger = serverLogger;
    this.logger = serverLogger.child({ part: 'postgres' });
    this.clock = clock;
    this.failures = new ReportedFailures(this.logger);
  }

  private get records(): PostgresRecords {
    if (!this.opened) throw new Error('PostgreSQL is not connected yet');
    return this.opened;
  }

  async open(): Promise<void> {
    const { config, clock, failures } = this;
    try {
      this.opened = await openPostgresRecords({
        url: config.postgresUrl,
        schema: config.postgresSchema,
        tlsCa: config.postgresTlsCa,
        connectionsMax: config.postgresConnectionsMax,
        connectTimeoutMs: config.postgresConnectTimeoutMs,
        statementTimeoutMs: config.postgresStatementTimeoutMs,
        idempotencyRetentionMs: config.idempotencyRetentionMs,
        queue: { queueMax: config.maxWriteQueueCount, queueBytesMax: config.maxWriteQueueBytes },
        revisionFloor: () => this.view?.revision ?? 0,
        clock,
        onFailure: (error) => failures.note('work in the background of PostgreSQL has failed', error),
        onConnectionError: (error) => failures.note('a connection to PostgreSQL was lost', error),
      });
    } catch (error) {
      throw new Error(postgresFailure(error, config.postgresUrl), { cause: error });
    }
  }

  openStore = async (options: SqliteStoreOptions): Promise<SqliteMemoryStore> => {
    const { logger, config } = this;
    const { anew } = await prepareView(config.data, this.records.facts.identity);
    if (anew !== undefined) logger.warn({ why: anew }, 'the view in the data folder is made anew from PostgreSQL');
    try {
      this.view = await openSqliteStore(options);
    } catch (err) {
      if (!(err instanceof FolderError)) throw err;
      await emptyView(config.data);
      logger.warn({ err }, 'the view in the data folder cannot be opened: it is made anew from PostgreSQL');
      this.view = await openSqliteStore(options);
    }
    return this.view;
  };

  async follow({ engine, standing, folder }: ViewParts): Promise<PostgresStorage> {
    const { records, view, failures, clock, config, serverLogger } = this;
    if (!view) throw new Error('the data folder is not open yet');
    const jobLeases = new RenewedLeases({
      table: new PostgresLeaseTable(records.access),
      owner: randomUUID(),
      onFailure: (error) => failures.note('the lease of a job could not be renewed', error),
    });
    const sessions = await openPostgresSessionParts(config, records, jobLeases, serverLogger);
    const followed = new FollowedView({
      records,
      view,
      clock,
      buildWaitMs: this.config.viewBuildWaitMs,
      diskBytesMax: spaceOf(config),
      onFailure: (namespace, error) => failures.note(failureOf(namespace), error),
    });
    const { follower } = followed;
    records.bodies.restoreFrom(followed.bodyCopies);
    const changes = viewedLog(view.streams, view);
    const logSource: LogSource = {
      adopt: (name) => follower.catchUp(name),
      keep: (name) => follower.keep(name),
      reach: (name) => follower.catchUp(name),
    };
    return {
      store: records,
      view: followed,
      engine: viewedEngine({
        engine,
        follower,
        revision: () => view.revision,
        degraded: (name) => this.lostTexts(name, view),
      }),
      standing,
      changes,
      logSource,
      policies: records.policies,
      sessions: sessions.sessions,
      events: sessions.events,
      hookPeers: sessions.hookPeers,
      agents: new PostgresAgentSnapshots(records.access),
      reembeddings: records.reembeddings,
      subscriptions: new PostgresSubscriptions({
        access: records.access,
        log: followedLog(changes, follower),
        takeChanged: () => followed.changed.take(),
      }),
      jobLeases,
      trimLogs: (limits, signal) => records.trimLogs(limits, signal),
      folderView: view,
      describeStorage: () => [...records.describe(), ...followed.describe()],
      queuedCount: () => records.queuedCount + view.queuedCount,
      viewState: () => followed.viewState,
      postgresPool: () => records.core.database.connections,
      idle: followed.idle,
      backends: [folder, this.backend(), ...sessions.backends],
      gauges: sessions.gauges,
      degraded: () => [...this.degraded(view), ...[records.bodies.degraded ?? []].flat(), ...sessions.degraded()],
      reachEach: (namespaces) => follower.reachEach(namespaces),
      async close() {
        await jobLeases.close();
        await sessions.close();
        await followed.end();
        await records.close();
        await view.close();
      },
    };
  }

  measure(meter: TransactionMeter): void {
    this.records.core.database.measure(meter);
  }

  async close(): Promise<void> {
    await this.opened?.close();
  }

  private backend(): WatchedBackend {
    return {
      technology: 'PostgreSQL',
      keeps: 'memories',
      isAvailable: true,
      probe: async () => {
        this.isReadOnly = await this.records.isReadOnly();
      },
      services: async () => SERVICES.map((name) => name.slice(name.lastIndexOf('.') + 1)),
      served: 'nothing is served until it answers',
    };
  }

  private async lostTexts(namespace: string, { copies }: SqliteMemoryStore): Promise<string | undefined> {
    const { bodies } = this.records;
    if (bodies.degraded === undefined) return undefined;
    const position = await copies.position(namespace);
    return position && bodies.degradedIn(position.epoch);
  }

  private degraded({ damage }: SqliteMemoryStore): string[] {
    const texts = this.isReadOnly ? ['memories: PostgreSQL is read only, writes fail'] : [];
    if (damage.pageCount === 0) return texts;
    markDamaged(this.config.data);
    return [...texts, 'view: pages of the data folder are damaged; the next start of this server makes it anew'];
  }
}

/** The log of changes is in the same database; it has its own limit, and does not shrink by evictions. */
function spaceOf({ viewDiskMaxBytes, maxLogBytes }: Config): number {
  return viewDiskMaxBytes === 0 ? 0 : viewDiskMaxBytes + maxLogBytes;
}

/** `-`: of no namespace in particular. */
function failureOf(namespace: string): string {
  return namespace === '-'
    ? 'namespaces could not be evicted from the view'
    : `the view of namespaces/${namespace} could not follow`;
}

/** Failures that repeat, such as while PostgreSQL is away, are logged once a minute. */
class ReportedFailures {
  private readonly logger: Logger;
  private readonly loggedAtMs = new Map<string, number>();

  constructor(logger: Logger) {
    this.logger = logger;
  }

  note(message: string, err: unknown): void {
    const reason = err instanceof MnemeError ? err.reason : '';
    const known = `${message} ${reason}`;
    const nowMs = performance.now();
    if (nowMs - (this.loggedAtMs.get(known) ?? Number.NEGATIVE_INFINITY) < SILENCE_MS) return;
    if (this.loggedAtMs.size >= KNOWN_MAX) this.loggedAtMs.clear();
    this.loggedAtMs.set(known, nowMs);
    this.logger.warn({ err }, `${message}; it is tried again`);
  }
}

const SILENCE_MS = 60_000;
const KNOWN_MAX = 1000;
