import { readCompactedRevision, readRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';

/** In the table `meta`: revision after which every revision has an entry, in a folder that was filled from another store. */
const BEGINS = 'log_begins';

/** To be called where a folder was filled with the log of another store. */
export function noteLogBegins(database: SqliteDatabase): void {
  database.prepare(`INSERT OR REPLACE INTO meta(key, value) VALUES ('${BEGINS}', ?)`).run(readRevision(database));
}

/**
 * Revision up to which entries of the change log are lost, as on a disk that acknowledged a write and lost it;
 * `undefined` where the log is whole. Since the first opening that wrote, every revision of a folder has an entry, but
 * for a folder that follows the log of another store.
 */
export function lostEntriesThrough(database: SqliteDatabase): number | undefined {
  const log = database.prepare<[], { start: number | null; begins: number; follows: number }>(
    `SELECT (SELECT min(start_revision) FROM log_term) AS start, EXISTS(SELECT 1 FROM mirror) AS follows,
       ifnull((SELECT value FROM meta WHERE key = '${BEGINS}'), 0) AS begins`,
  );
  const { start, begins, follows } = log.get() ?? { start: null, begins: 0, follows: 0 };
  if (start === null || follows === 1) return undefined;
  const after = Math.max(start, begins, readCompactedRevision(database));
  const newest = readRevision(database);
  // Counted alone: aggregates beside the count would take five times as long at each start.
  const counted = database.prepare<[number], { count: number }>(
    'SELECT count(*) AS count FROM change_log WHERE revision > ?',
  );
  if ((counted.get(after)?.count ?? 0) >= newest - after) return undefined;
  const ofLast = database.prepare<[number], { last: number; origin: number | null }>(
    'SELECT revision AS last, ifnull(origin, copied_revision) AS origin FROM change_log WHERE revision > ? ORDER BY revision DESC LIMIT 1',
  );
  const { last, origin } = ofLast.get(after) ?? {};
  if ((last ?? after) < newest && !origin) return newest;
  const gap = database.prepare<[number, number], { revision: number | null }>(
    `SELECT max(revision) - 1 AS revision FROM change_log AS entry WHERE revision > ? AND revision - 1 > ? AND origin IS NULL AND copied_revision IS NULL
       AND NOT EXISTS (SELECT 1 FROM change_log WHERE revision = entry.revision - 1)`,
  );
  return gap.get(after, after)?.revision ?? undefined;
}

/**
 * Compacts the log up to its lost entries, so that its readers begin anew instead of missing changes. Returns whether
 * entries are lost.
 */
export function compactLostEntries(database: SqliteDatabase): boolean {
  const through = lostEntriesThrough(database);
  if (through === undefined) return false;
  database.prepare(`UPDATE meta SET value = ? WHERE key = 'compacted_revision'`).run(through);
  return true;
}
