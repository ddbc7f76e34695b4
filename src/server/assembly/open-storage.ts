import type { Clock } from '../../memory/clock.ts';
import type { ThreadSource } from '../../search/threads/thread-source.ts';
import { databaseFileIn } from '../../storage/sqlite/database.ts';
import { openToOthers } from '../../storage/sqlite/folder.ts';
import { LinkedFiles } from '../../storage/sqlite/linked-files.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../storage/sqlite/memory-store.ts';
import type { Scan } from '../../storage/sqlite/scan.ts';
import { writerThreads } from '../../storage/sqlite/writer-threads.ts';
import type { Config } from '../config/config.ts';
import { SERVICES } from '../grpc/edge/service-names.ts';
import type { Logger } from '../logger.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import { searchThreads } from '../search-thread/search-threads.ts';
import { refuseFolder } from './check-folder.ts';
import type { JoinedPostgres } from './open-postgres-store.ts';
import { openSearch, type Search } from './open-search.ts';
import { openSessions } from './open-sessions.ts';
import type { OpenedStorage } from './storage-parts.ts';

/** Opens the data folder. The store comes first: it creates the folder that the search thread reads. */
export async function openStorage(
  config: Config,
  logger: Logger,
  clock: Clock,
  closers: (() => Promise<void>)[],
  threads: ServerThreads,
): Promise<OpenedStorage> {
  let scan: Scan | undefined;
  refuseFolder(config);
  const postgres = config.postgresUrl === '' ? undefined : await joinPostgres(config, logger, clock, closers);
  const openStore = postgres?.openStore ?? openSqliteStore;
  const store = await openStore({
    folder: config.data,
    queue: { queueMax: config.maxWriteQueueCount, queueBytesMax: config.maxWriteQueueBytes },
    idempotencyRetentionMs: config.idempotencyRetentionMs,
    writerThreads: threads.writer,
    mayUpkeepWait: true,
    onFilesKept: (err) => logger.warn({ err }, 'files of deleted namespaces could not be deleted'),
    scan: (request) => {
      if (!scan) throw new Error('the search thread has not started');
      return scan(request);
    },
  });
  closers.push(() => store.close());
  const exposed = openToOthers(config.data);
  if (exposed.length > 0) logger.warn({ paths: exposed }, `other users can use the data: chmod -R go= ${config.data}`);
  const folder = watchedFolder(config.data);
  const search = openSearch(config, threads.search, {
    onFault: (part, err, damage) => {
      store.damage.note(damage);
      logger.error({ part, err }, 'a part of the search has failed');
    },
    onNotice: ({ level, part, message }) => logger[level]({ part }, message),
    onAnswer: () => store.renewReads(),
    withUpkeep: (read) =>
      store.withUpkeep(read).catch((error: unknown) => {
        throw store.damage.noted(error);
      }),
  });
  scan = search.scan;
  closers.push(() => search.engine.close());
  const { engine } = search;
  const observed = observedParts(store, search, postgres);
  if (postgres) {
    const { close, reachEach, ...followed } = await postgres.follow({ engine, standing: search.standing, folder });
    closers.push(close);
    // Other servers answer meanwhile: this one takes calls when its first recalls need not wait.
    await reachEach(await search.prepare());
    return { ...observed, ...followed };
  }
  const { degradedSessions, sessionBackends, ...sessions } = await openSessions(store, config, logger, clock, closers);
  const { streams: log } = store;
  return {
    store,
    view: store,
    folderView: store,
    describeStorage: () => store.describe(),
    engine,
    reembeddings: store.reembedding,
    changes: log,
    subscriptions: log,
    standing: search.standing,
    queuedCount: () => store.queuedCount,
    ...sessions,
    ...observed,
    backends: [folder, ...sessionBackends],
    degraded: () => [...store.damage.texts, ...degradedSessions()],
  };
}

function observedParts(
  store: SqliteMemoryStore,
  search: Search,
  postgres: JoinedPostgres | undefined,
): Pick<OpenedStorage, 'search' | 'measureStorage'> {
  return {
    search: { pendingCount: search.pendingCount },
    measureStorage(meters) {
      store.measure(meters.commits);
      search.measure(meters.search);
      if (meters.postgres) postgres?.measure(meters.postgres);
    },
  };
}

/** The data folder as a backend: removed or moved away, it ends every service. */
function watchedFolder(data: string): WatchedBackend {
  const files = new LinkedFiles(databaseFileIn(data));
  return {
    technology: 'SQLite',
    keeps: 'data folder',
    isAvailable: true,
    probe: async () => files.check(),
    services: async () => SERVICES.map((name) => name.slice(name.lastIndexOf('.') + 1)),
    served: 'nothing is served until it is there and the server is started again',
  };
}

/** Threads of a server besides its main thread. */
export interface ServerThreads {
  readonly writer: ThreadSource;
  readonly search: ThreadSource;
}

/** A writer and search threads for each server. */
export function serverThreads(): ServerThreads {
  return { writer: writerThreads(), search: searchThreads() };
}

/** Loaded only on demand, to keep the start short. */
async function joinPostgres(config: Config, logger: Logger, clock: Clock, closers: (() => Promise<void>)[]) {
  const { joinPostgres: join } = await import('./open-postgres-store.ts');
  const postgres = await join(config, logger, clock);
  closers.push(() => postgres.close());
  return postgres;
}
