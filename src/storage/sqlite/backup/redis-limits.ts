import { CHANGE, readCompactedRevision, readRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { readSharedPosition } from '../shared-position.ts';
import { FormerStates, revisionOf } from './former-states.ts';
import type { CopiedUpTo } from './manifest.ts';
import { checkStart, type Limits, type LogChange, type Point, refused, revisionAt } from './rewind-limits.ts';

export interface RedisPoint {
  readonly until: Point;
  /** What the server had copied when the backup began; `undefined` where it was not asked. */
  readonly copied: CopiedUpTo | undefined;
  /** Newest revision of the newest backup before the point. */
  readonly revisionBefore: number | undefined;
}

const US_PER_MS = 1000;
/** The limit of a namespace without later changes. */
const ALL = Number.MAX_SAFE_INTEGER;
const REMEDY = 'a backup that is made later with --after-copies leads to it';
const OF_MEMORIES = [CHANGE.stored, CHANGE.updated, CHANGE.deleted, CHANGE.expired].join();
/** Revision by which clients know a change. */
const KNOWN = 'CASE origin WHEN 0 THEN revision ELSE abs(origin) END';

/** Limits of a folder with copies of Redis. Fails with FolderError where the copies do not lead to the point. */
export function limitsBesideRedis(database: SqliteDatabase, point: RedisPoint): Limits {
  return readSharedPosition(database) ? limitOfSharedLog(database, point) : limitsOfCopies(database, point);
}

/** Servers that carry out one log give each change the same revision, which is that of the log of each folder. */
function limitOfSharedLog(database: SqliteDatabase, { until, copied }: RedisPoint): Limits {
  const limit = 'timeMs' in until ? sharedRevisionAt(database, until.timeMs, copied) : until.revision;
  checkStart(database, limit);
  const alone = numberIn(
    database,
    'SELECT max(revision) FROM change_log WHERE origin NOT IN (0, revision) AND kind <> ?',
    CHANGE.gap,
  );
  if (limit < alone) throw refused(`up to revision ${alone} the folder was that of one server with Redis`);
  const isKept = ({ revision }: LogChange) => revision <= limit;
  const states = new FormerStates(database, isKept);
  return {
    isKept,
    // A memory that was imported has a revision of another log.
    stateOf: (pk, present) => states.before(pk, present),
    least: limit,
    created: [],
    reached: { revision: limit },
  };
}

function sharedRevisionAt(database: SqliteDatabase, timeMs: number, copied: CopiedUpTo | undefined): number {
  const revision = revisionAt(database, timeMs);
  if (revision < readRevision(database) || isCopiedAt(copied, timeMs)) return revision;
  throw refused(`the server may have been behind the log of Redis at that time; ${REMEDY}`);
}

interface Copies {
  readonly key: number;
  readonly name: string;
  readonly createdAtUs: number;
  /** Revision in Redis up to which its log was followed. */
  readonly followed: number;
  /** Entries up to this revision may be missing. */
  readonly completeFrom: number;
}

/**
 * A change that was copied from Redis keeps the revision of Redis, by which clients know it, as `origin`; its place in the
 * log is that of its copy. A revision means all changes with revisions up to it, wherever they were made. A time means, in
 * each namespace, the changes before the first later one.
 */
function limitsOfCopies(database: SqliteDatabase, point: RedisPoint): Limits {
  const { until } = point;
  const namespaces = copiesIn(database);
  const limitOf = 'timeMs' in until ? limitsAtTime(database, until.timeMs, point) : () => until.revision;
  const isThere = new Set(namespaces.map(({ key }) => key));
  const isKept = (row: LogChange) => {
    if (row.kind === CHANGE.gap) return true;
    // Each namespace that is deleted has a limit of its own as well, but its creation is no longer known.
    if ('timeMs' in until && !isThere.has(row.namespace_key)) return row.at_us <= until.timeMs * US_PER_MS;
    return revisionOf(row) <= limitOf(row.namespace_key);
  };
  const created = 'timeMs' in until ? createdAfter(namespaces, until.timeMs) : createdBehind(database, until.revision);
  const older = namespaces.filter(({ key }) => !created.has(key));
  if ('revision' in until) checkStart(database, until.revision);
  checkGaps(database, older, { until, limitOf });
  checkComplete(database, older, point);
  const states = new FormerStates(database, isKept);
  states.checkCopied();
  return {
    isKept,
    stateOf: (pk, present) => states.linked(pk, present),
    // A copy that came late is behind changes with higher revisions.
    least: readCompactedRevision(database),
    created: [...created],
    reached: 'timeMs' in until ? { time: new Date(until.timeMs).toISOString() } : { revision: until.revision },
  };
}

function copiesIn(database: SqliteDatabase): Copies[] {
  const rows = database.prepare<[], Omit<Copies, 'followed'> & { position: string | null }>(
    `SELECT key, name, created_at_us AS createdAtUs, position, ifnull(complete_from, 0) AS completeFrom
      FROM namespace LEFT JOIN mirror ON namespace_key = key`,
  );
  return rows.all().map(({ position, ...row }) => ({ ...row, followed: Number.parseInt(position ?? '0', 10) }));
}

function createdAfter(namespaces: readonly Copies[], timeMs: number): Set<number> {
  return new Set(namespaces.flatMap(({ key, createdAtUs }) => (createdAtUs > timeMs * US_PER_MS ? [key] : [])));
}

function createdBehind(database: SqliteDatabase, revision: number): Set<number> {
  const keys = database
    .prepare<[number, number], number>('SELECT namespace_key FROM change_log WHERE kind = ? AND revision > ?')
    .pluck();
  return new Set(keys.all(CHANGE.namespaceCreated, revision));
}

/** The last revision of each namespace before its first change of a memory after the time. */
function limitsAtTime(database: SqliteDatabase, timeMs: number, { revisionBefore = 0 }: RedisPoint) {
  const atUs = timeMs * US_PER_MS;
  const compacted = readCompactedRevision(database);
  // Copies of old changes may follow changes that are removed.
  if (compacted > revisionBefore)
    throw refused(`the change log begins behind revision ${compacted}, maybe after that time`);
  const anew = `SELECT count(*) FROM change_log WHERE at_us > ? AND origin < 0 AND kind IN (${OF_MEMORIES})`;
  if (numberIn(database, anew, atUs) > 0) {
    throw refused(
      'memories were copied anew later, after Redis had lost data, and the times of their changes are not known',
    );
  }
  const firsts = database.prepare<[number], [key: number, revision: number]>(
    `SELECT namespace_key, min(${KNOWN}) FROM change_log WHERE at_us > ? AND kind IN (${OF_MEMORIES}) GROUP BY 1`,
  );
  const limits = new Map(firsts.raw().all(atUs));
  return (key: number) => (limits.get(key) ?? ALL) - 1;
}

/** Behind a gap everything was copied; what changed within it is not known. */
function checkGaps(
  database: SqliteDatabase,
  namespaces: readonly Copies[],
  { until, limitOf }: { readonly until: Point; readonly limitOf: (key: number) => number },
): void {
  const gaps = database.prepare<[number, number], { revision: number; at_us: number }>(
    'SELECT revision, at_us FROM change_log WHERE kind = ? AND namespace_key = ?',
  );
  for (const { key, name, completeFrom } of namespaces) {
    for (const { revision, at_us } of gaps.all(CHANGE.gap, key)) {
      const end = Math.max(revision, completeFrom);
      const isLater = 'timeMs' in until && at_us > until.timeMs * US_PER_MS;
      if (isLater || limitOf(key) < end) throw refused(`the log of namespaces/${name} has a gap up to revision ${end}`);
    }
  }
}

/** Fails where changes before the point may not have been copied before the backup. */
function checkComplete(database: SqliteDatabase, namespaces: readonly Copies[], { until, copied }: RedisPoint): void {
  const later = `SELECT count(*) FROM change_log WHERE namespace_key = ? AND origin > 0 AND kind IN (${OF_MEMORIES})`;
  if ('timeMs' in until ? isCopiedAt(copied, until.timeMs) : (copied?.revision ?? -1) >= until.revision) return;
  for (const { key, name, followed } of namespaces) {
    const isShown =
      'timeMs' in until
        ? numberIn(database, `${later} AND at_us > ?`, key, until.timeMs * US_PER_MS) > 0
        : followed >= until.revision;
    if (isShown) continue;
    throw refused(
      `memories of namespaces/${name} in Redis from before it may have been copied after the backup; ${REMEDY}`,
    );
  }
}

function isCopiedAt(copied: CopiedUpTo | undefined, timeMs: number): boolean {
  return copied !== undefined && Date.parse(copied.time) >= timeMs;
}

function numberIn(database: SqliteDatabase, sql: string, ...values: number[]): number {
  return (
    database
      .prepare<number[], number | null>(sql)
      .pluck()
      .get(...values) ?? 0
  );
}
