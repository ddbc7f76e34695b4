import { isDamage } from '../../../memory/errors.ts';
import { readRevision, readSettledRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { isPageDamage } from '../driver-error.ts';
import { readSnapshot } from '../sessions/read-snapshot.ts';
import { lostEntriesThrough } from './lost-entries.ts';

/** A session that lacks rows, or one of whose checkpoints cannot be restored. */
export interface DamagedSession {
  readonly namespace: string;
  readonly session: string;
  /** Of the checkpoint that cannot be restored. */
  readonly checkpoint?: string;
  readonly problem: string;
}

export interface DamagedTable {
  readonly name: string;
  readonly problem: string;
}

/** Tables of contents, whose rows belong to a row of `session`. */
export const TABLES_OF_SESSIONS = [
  'session_entry',
  'session_note',
  'session_checkpoint',
  'session_manifest',
  'session_pack',
] as const;

/** Before any expiry. */
const ALWAYS_US = 0;

const COUNTS = `
  SELECT namespace, id AS session, key_count AS keys, note_count AS notes, checkpoint_count AS checkpoints,
    (SELECT count(*) FROM session_entry WHERE session_key = session.key) AS keysFound,
    (SELECT count(*) FROM session_note WHERE session_key = session.key) AS notesFound,
    (SELECT count(*) FROM session_checkpoint WHERE session_key = session.key) AS checkpointsFound
  FROM session`;

interface CountRow {
  readonly namespace: string;
  readonly session: string;
  readonly keys: number;
  readonly notes: number;
  readonly checkpoints: number;
  readonly keysFound: number;
  readonly notesFound: number;
  readonly checkpointsFound: number;
}

/** Sessions whose rows do not belong together any more, as on a disk that acknowledged a write and lost it. */
export function damagedSessions(database: SqliteDatabase): DamagedSession[] {
  return unlessDamaged(database, () => {
    const rows = database.prepare<[], CountRow>(COUNTS).all();
    return rows.flatMap((row) => [...countedProblems(row), ...checkpointProblems(database, row)]);
  }, []);
}

function countedProblems({ namespace, session, ...row }: CountRow): DamagedSession[] {
  const parts = (['keys', 'notes', 'checkpoints'] as const).filter((part) => row[part] !== row[`${part}Found`]);
  return parts.map((part) => {
    return { namespace, session, problem: `it has ${row[`${part}Found`]} of ${row[part]} ${part}` };
  });
}

function checkpointProblems(database: SqliteDatabase, { namespace, session }: CountRow): DamagedSession[] {
  const ids = database.prepare<[string, string], { id: string }>(
    `SELECT id FROM session_checkpoint WHERE session_key = (SELECT key FROM session WHERE namespace = ? AND id = ?)`,
  );
  return ids.all(namespace, session).flatMap(({ id: checkpoint }) => {
    try {
      readSnapshot(database, { namespace, session, checkpoint, nowUs: ALWAYS_US });
      return [];
    } catch (error) {
      if (!isDamage(error) && !isPageDamage(error)) throw error;
      return [{ namespace, session, checkpoint, problem: `checkpoint ${checkpoint} cannot be restored` }];
    }
  });
}

/** Tables that lack rows which other tables show, in pages that are whole by themselves. */
export function incompleteTables(database: SqliteDatabase): DamagedTable[] {
  const problems: readonly (readonly [string, () => string | undefined])[] = [
    ['change_log', () => logProblem(database)],
    ['memory_words', () => wordProblem(database)],
    ['session', () => orphanProblem(database)],
    ['tier_total', () => totalProblem(database)],
  ];
  return problems.flatMap(([name, find]) => {
    const problem = unlessDamaged(database, find, undefined);
    return problem === undefined ? [] : [{ name, problem }];
  });
}

function logProblem(database: SqliteDatabase): string | undefined {
  const through = lostEntriesThrough(database);
  return through === undefined ? undefined : `entries up to revision ${through} are lost`;
}

/** The index has a row for each memory with upkeep. */
function wordProblem(database: SqliteDatabase): string | undefined {
  const without = database
    .prepare<[], { count: number }>(
      'SELECT count(*) AS count FROM memory WHERE is_settled = 1 AND pk NOT IN (SELECT id FROM memory_words_docsize)',
    )
    .get();
  return without?.count ? `${without.count} memories are not in the index of words` : undefined;
}

function orphanProblem(database: SqliteDatabase): string | undefined {
  const keys = TABLES_OF_SESSIONS.map((table) => `SELECT session_key FROM ${table}`).join(' UNION ');
  const lost = database
    .prepare<[], { count: number }>(
      `SELECT count(*) AS count FROM (${keys}) WHERE session_key NOT IN (SELECT key FROM session)
         AND session_key NOT IN (SELECT session_key FROM session_erasure)`,
    )
    .get();
  return lost?.count ? `${lost.count} sessions are lost whose contents are there` : undefined;
}

function totalProblem(database: SqliteDatabase): string | undefined {
  // Written together with the head.
  if (readSettledRevision(database) !== readRevision(database)) return undefined;
  const others = database
    .prepare<[], { count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT namespace_key, tier, count(*) AS number FROM memory WHERE is_settled = 1 GROUP BY namespace_key, tier
         EXCEPT SELECT namespace_key, tier, sum(count) FROM tier_total GROUP BY namespace_key, tier)`,
    )
    .get();
  return others?.count ? 'the number of memories in the tiers is another one than is counted' : undefined;
}

/** On one state of the folder. Pages that cannot be read are reported by the check of their table. */
function unlessDamaged<A>(database: SqliteDatabase, find: () => A, otherwise: A): A {
  try {
    return database.transaction(find)();
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return otherwise;
  }
}
