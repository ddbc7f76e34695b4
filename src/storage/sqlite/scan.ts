import type { Statement } from 'better-sqlite3';
import type { Memory, Micros, Tier } from '../../memory/memory.ts';
import type { SessionKey, SessionSnapshot } from '../../memory/session.ts';
import type { Steps } from '../../memory/slices.ts';
import type { AgentDiff, AgentDiffRead } from '../agent-snapshots.ts';
import type { CountRead, ListPage, ListRead } from '../records.ts';
import type { Answer, Asked, StoreStatistics } from '../view.ts';
import { diffAgent } from './agents/snapshot-rows.ts';
import { getAround, listAround } from './damage/read-around.ts';
import { endRead, openReadOnly, type SqliteDatabase } from './database.ts';
import { isPageDamage, translated } from './driver-error.ts';
import { countMemories, countSteps, listScopes, statistics } from './queries/count.ts';
import { listMemories, listSteps } from './queries/list.ts';
import { expiredMemories } from './queries/pending-embeddings.ts';
import { readSnapshot } from './sessions/read-snapshot.ts';

/** Reads that may take long, with their request and result; both can be sent between threads. */
interface Scans {
  get: { read: Asked<'get'>; result: (Memory | undefined)[] };
  list: { read: ListRead; result: ListPage };
  count: { read: CountRead; result: ReadonlyMap<Tier, number> };
  listScopes: { read: Asked<'listScopes'>; result: Awaited<Answer<'listScopes'>> };
  statistics: { read: { namespace: string | undefined }; result: StoreStatistics };
  expired: { read: Asked<'expired'>; result: { namespace: string; ids: string[] }[] };
  diffAgent: { read: AgentDiffRead; result: AgentDiff };
  sessionSnapshot: {
    read: SessionKey & { checkpoint?: string; nowUs: Micros };
    result: SessionSnapshot | undefined;
  };
}

type ScanKind = keyof Scans;

export type ScanRequest = { readonly [K in ScanKind]: { readonly kind: K; readonly read: Scans[K]['read'] } }[ScanKind];
export type ScanResult<R extends ScanRequest = ScanRequest> = Scans[R['kind']]['result'];

/** Runs a scan, in another thread or on the caller's. */
export type Scan = (request: ScanRequest) => Promise<ScanResult>;

/**
 * A scan in steps between which other work may be done: each reads one state of the store. Only lists and counts with a
 * filter have several. Fails as `runScan`.
 */
export function* scanSteps(database: SqliteDatabase, request: ScanRequest): Steps<ScanResult> {
  const inOneState = <T>(read: () => T): T => readIn(database, read);
  if (request.kind === 'count') return yield* countSteps(database, request.read, inOneState);
  if (request.kind !== 'list' || damaged.has(database)) return runScan(database, request);
  try {
    return yield* listSteps(database, request.read, inOneState);
  } catch (error) {
    if (!damaged.has(database)) throw error;
  }
  return runScan(database, request);
}

/** Runs a scan on the caller's thread, in one state of the store. Fails with NAMESPACE_NOT_FOUND. */
export function runScan(database: SqliteDatabase, request: ScanRequest): ScanResult {
  return readIn(database, () => scan(database, request));
}

function readIn<T>(database: SqliteDatabase, read: () => T): T {
  const isOwn = !database.inTransaction;
  if (isOwn) database.exec('BEGIN');
  try {
    return read();
  } catch (error) {
    if (isPageDamage(error)) damaged.add(database);
    throw translated(error);
  } finally {
    if (isOwn) endRead(database);
  }
}

function scan(database: SqliteDatabase, request: ScanRequest): ScanResult {
  switch (request.kind) {
    case 'get':
      return getAround(database, request.read);
    case 'list':
      return listIn(database, request.read);
    case 'count':
      return countMemories(database, request.read);
    case 'listScopes':
      return listScopes(database, request.read);
    case 'statistics':
      return statistics(database, request.read.namespace);
    case 'expired':
      return expiredMemories(database, request.read);
    case 'diffAgent':
      return diffAgent(database, request.read);
    case 'sessionSnapshot':
      return database.transaction(() => readSnapshot(database, request.read))();
  }
}

/** Connections that have met a damaged page. */
const damaged = new WeakSet<SqliteDatabase>();

/** From the first damaged page on, every list is read around damage: a list over several pages names all that is lost. */
function listIn(database: SqliteDatabase, read: ListRead): ListPage {
  if (damaged.has(database)) return listAround(database, read);
  try {
    return listMemories(database, read);
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    damaged.add(database);
    return listAround(database, read);
  }
}

/**
 * A read-only connection whose reads of one event-loop turn share a transaction: locking and unlocking is half of the
 * cost of a read by id. `renew` is to be called whenever this thread learns of a commit, from any thread: later reads
 * see that commit.
 */
export class SharedReader {
  private readonly database: SqliteDatabase;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private isBegun = false;
  private isOpen = true;
  private isEndScheduled = false;

  constructor(folder: string) {
    this.database = openReadOnly(folder);
    this.begin = this.database.prepare('BEGIN');
    this.commit = this.database.prepare('COMMIT');
  }

  /** False after `close`. */
  get isReadable(): boolean {
    return this.isOpen;
  }

  read<A>(query: (database: SqliteDatabase) => A): A {
    if (!this.isBegun) this.start();
    return query(this.database);
  }

  /** The next read sees all commits before it. */
  renew(): void {
    if (!this.isBegun) return;
    this.isBegun = false;
    endRead(this.database, this.commit);
  }

  close(): void {
    this.renew();
    this.isOpen = false;
    this.database.close();
  }

  private start(): void {
    this.begin.run();
    this.isBegun = true;
    if (this.isEndScheduled) return;
    this.isEndScheduled = true;
    setImmediate(() => {
      this.isEndScheduled = false;
      this.renew();
    });
  }
}
