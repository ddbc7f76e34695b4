import { isDeepStrictEqual } from 'node:util';
import type { AgentState } from '../../rules/agent-states.ts';
import { stateAt } from '../agents/snapshot-rows.ts';
import { CHANGE, readCompactedRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceKeyOf } from '../schema.ts';
import type { BackedUpLog, LogsOfPostgres } from './manifest.ts';
import { type Limits, type Point, refused } from './rewind-limits.ts';

/** The logs of PostgreSQL in a backup, and those in the newest backup from before the point. */
export interface KnownLogs {
  readonly own: LogsOfPostgres;
  readonly before: LogsOfPostgres | undefined;
}

/** The log of a namespace in the database of a backup. */
interface Log extends BackedUpLog {
  /** Key in the database. */
  readonly rowKey: number;
  readonly createdAtUs: number;
  /** Entries up to this revision are removed. */
  readonly start: number;
}

const US_PER_MS = 1000;
/** A limit where no change is undone one by one: the namespace is gone as a whole. */
const GONE = Number.MAX_SAFE_INTEGER;

/**
 * In PostgreSQL, each namespace has a log: each is undone to its last revision before its first change after the point,
 * so that all are of one moment. The point is a time, or the change of a namespace with that revision. Fails with
 * FolderError where a log begins later, or a namespace may have been deleted since: such a log is not kept.
 */
export function limitsByNamespace(database: SqliteDatabase, point: Point, { own, before }: KnownLogs): Limits {
  const logs = logsIn(database, own);
  const change = 'timeMs' in point ? undefined : changeAt(database, logs, point);
  const atUs = 'timeMs' in point ? point.timeMs * US_PER_MS : (change?.atUs ?? 0);
  const created = logs.filter(({ rowKey, createdAtUs }) => rowKey !== change?.rowKey && createdAtUs > atUs);
  checkKept(own, before);
  const isKnown = ({ rowKey, key, start, offset }: Log) =>
    rowKey === change?.rowKey ||
    (before?.namespaces.some((known) => known.key === key && known.revision + offset >= start) ?? false);
  const kept = logs.filter((log) => !created.includes(log));
  const limits = lastBefore(database, kept, { atUs, isKnown });
  if (change) limits.set(change.rowKey, change.revision);
  for (const { rowKey } of created) limits.set(rowKey, GONE);
  const starts = new Map(logs.map(({ rowKey, start }) => [rowKey, start]));
  const isExact = exactness(database, { limits, starts });
  return {
    isKept: ({ namespace_key: key, revision }) => revision <= (limits.get(key) ?? 0),
    stateOf: (pk, present) => {
      const state = stateAt(database, pk, present, limits.get(namespaceKeyOf(pk)) ?? 0);
      return state && isExact(pk, state, present) ? state : undefined;
    },
    least: kept.length === 0 ? 0 : Math.min(...kept.map(({ rowKey }) => limits.get(rowKey) ?? 0)),
    created: created.map(({ rowKey }) => rowKey),
    reached: {
      ...('revision' in point && { revision: point.revision }),
      time: new Date(Math.floor(atUs / US_PER_MS)).toISOString(),
    },
  };
}

function logsIn(database: SqliteDatabase, { namespaces }: LogsOfPostgres): Log[] {
  const rows = database
    .prepare<[number], { key: number; name: string; at: number; gap: number | null }>(
      `SELECT key, name, created_at_us AS at, gap FROM namespace LEFT JOIN
        (SELECT namespace_key, max(revision) AS gap FROM change_log WHERE kind = ? GROUP BY 1) ON namespace_key = key`,
    )
    .all(CHANGE.gap);
  const known = new Map(namespaces.map((log) => [log.name, log]));
  const compacted = readCompactedRevision(database);
  return rows.flatMap(({ key: rowKey, name, at: createdAtUs, gap }) => {
    const log = known.get(name);
    return log ? [{ ...log, rowKey, createdAtUs, start: Math.max(compacted, gap ?? 0) }] : [];
  });
}

/**
 * Fails where a namespace of the earlier backup, or one that was created after it, was deleted before this one: a new one
 * has revisions above the floor, so that its deletion raises it.
 */
function checkKept(own: LogsOfPostgres, before: LogsOfPostgres | undefined): void {
  if (!before) {
    if (own.revisionFloor === 0) return;
    throw refused('a namespace may have been deleted later, and no earlier backup shows it');
  }
  const keys = new Set(own.namespaces.map(({ key }) => key));
  const lost = before.namespaces.filter(({ key }) => !keys.has(key));
  if (lost.length > 0) {
    throw refused(
      `${lost.length} of its namespaces, such as ${lost[0]?.name}, may have been deleted later, and a deletion erases for good`,
    );
  }
  if (own.revisionFloor === before.revisionFloor) return;
  throw refused('a namespace was created and deleted since the backup before it, and may have been there');
}

interface Change {
  readonly rowKey: number;
  readonly revision: number;
  readonly atUs: number;
}

/** The change with a revision; revisions have gaps. */
function changeAt(
  database: SqliteDatabase,
  logs: readonly Log[],
  point: { readonly namespace?: string; readonly revision: number },
): Change {
  const log = logs.find(({ name }) => name === point.namespace);
  if (!log) throw refused(`the backup has no namespaces/${point.namespace}`);
  const { rowKey, offset, start } = log;
  const revision = point.revision + offset;
  if (start > 0 && revision <= start) {
    throw refused(`the change log of namespaces/${point.namespace} begins behind revision ${start - offset}`);
  }
  const atUs = database
    .prepare<[number, number], number>('SELECT at_us FROM change_log WHERE namespace_key = ? AND revision = ?')
    .pluck()
    .get(rowKey, revision);
  if (atUs !== undefined) return { rowKey, revision, atUs };
  throw refused(`revision ${point.revision} of namespaces/${point.namespace} is not one of its changes`);
}

/**
 * The last revision of each log before its first change after the time. `isKnown`: removed entries of a log are from before
 * the time; otherwise an entry from before it has to show that.
 */
function lastBefore(
  database: SqliteDatabase,
  logs: readonly Log[],
  { atUs, isKnown }: { readonly atUs: number; readonly isKnown: (log: Log) => boolean },
): Map<number, number> {
  const rows = database
    .prepare<[], [key: number, revision: number, atUs: number]>(
      'SELECT namespace_key, revision, at_us FROM change_log ORDER BY revision',
    )
    .raw();
  const last = new Map(logs.map(({ rowKey, start }) => [rowKey, start]));
  const starts = new Map(last);
  const ended = new Set<number>();
  for (const [key, revision, at] of rows.iterate()) {
    if (ended.has(key) || revision <= (starts.get(key) ?? revision)) continue;
    if (at > atUs) ended.add(key);
    else last.set(key, revision);
  }
  const unknown = logs.find((log) => log.start > 0 && last.get(log.rowKey) === log.start && !isKnown(log));
  if (!unknown) return last;
  const { name, start, offset } = unknown;
  throw refused(`the change log of namespaces/${name} begins behind its revision ${start - offset}, after that time`);
}

/**
 * A change may drop the state before it, so that an earlier one seems to be its predecessor. The log shows that; where it
 * is cut, the record of dropped contents does, which such a change writes.
 */
function exactness(
  database: SqliteDatabase,
  { limits, starts }: { readonly limits: ReadonlyMap<number, number>; readonly starts: ReadonlyMap<number, number> },
): (pk: number, state: AgentState, present: AgentState) => boolean {
  const next = database
    .prepare<[number, number], number | null>(
      'SELECT min(revision) FROM change_log WHERE pk = ? AND former IS NOT NULL AND revision > ?',
    )
    .pluck();
  let updates: ReadonlyMap<number, number> | undefined;
  return (pk, state, present) => {
    const key = namespaceKeyOf(pk);
    updates ??= lastUpdates(database, limits);
    if ((updates.get(pk) ?? 0) > state.revision) return false;
    if (state.revision >= (starts.get(key) ?? 0)) return true;
    const after = stateAt(database, pk, present, next.get(pk, limits.get(key) ?? 0) ?? present.revision);
    return after !== undefined && isDeepStrictEqual(after.compaction, state.compaction);
  };
}

/** Revision of the last update of each memory that stays, by its key. */
function lastUpdates(database: SqliteDatabase, limits: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const rows = database
    .prepare<[number], [pk: number, namespaceKey: number, revision: number]>(
      'SELECT pk, namespace_key, revision FROM change_log WHERE kind = ? AND pk > 0 ORDER BY revision',
    )
    .raw();
  const last = new Map<number, number>();
  for (const [pk, key, revision] of rows.iterate(CHANGE.updated)) {
    if (revision <= (limits.get(key) ?? 0)) last.set(pk, revision);
  }
  return last;
}
