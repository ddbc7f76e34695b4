import { sql } from '#kysely';
import { isNamespaceMissing } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { LogLimits } from '../record-log.ts';
import type { PostgresAccess } from './core.ts';
import { queries, type Session } from './database.ts';
import type { NamespaceTable } from './schema.ts';
import { BYTES_AROUND } from './write-bytes.ts';

/** Entries that one transaction deletes: some milliseconds, during which no write of the namespace is carried out. */
const STEP = 1000;
/** Approximate size of an entry with its index. */
const ENTRY_BYTES = 120;
const NAMESPACES_MAX = 100_000;

/**
 * Deletes the oldest entries of the logs beyond the limits, in short steps. Where all logs together have too many,
 * each keeps the same part of its entries. Returns the number of deleted ones.
 */
export async function trimLogs(
  access: Pick<PostgresAccess, 'read' | 'submit'>,
  { countMax, bytesMax, ageMaxMs }: LogLimits,
  nowUs: Micros,
  signal: AbortSignal,
): Promise<number> {
  const rows = await access.read((session) => session.run(lengthsOf));
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const part = Math.min(1, Math.min(countMax, Math.floor(bytesMax / ENTRY_BYTES)) / Math.max(total, 1));
  let trimmed = 0;
  const beforeUs = nowUs - ageMaxMs * 1000;
  for (const { name, key, count, oldest } of rows) {
    if (signal.aborted) break;
    const through = await revisionOfEntry(access, key, count - Math.floor(count * part));
    // A step is a write of the namespace, which every server follows.
    if (oldest === null || (through === 0 && oldest >= beforeUs)) continue;
    for (let deleted = STEP; deleted === STEP && !signal.aborted; ) {
      deleted = await trimOne(access, name, { through, beforeUs, atUs: nowUs });
      trimmed += deleted;
    }
  }
  return trimmed;
}

/** Revisions have gaps: entries are counted, in the index. */
const lengthsOf = sql<{ name: string; key: number; count: number; oldest: number | null }>`SELECT name, key,
    (SELECT count(*) FROM change_log WHERE namespace_key = key) AS count,
    (SELECT at_us FROM change_log WHERE namespace_key = key ORDER BY revision LIMIT 1) AS oldest
  FROM namespace LIMIT ${NAMESPACES_MAX}`;

/** Revision of an entry by its place in the log, from 1; 0 for none. */
async function revisionOfEntry(access: Pick<PostgresAccess, 'read'>, key: number, place: number): Promise<number> {
  if (place < 1) return 0;
  const [row] = await access.read((session) =>
    session.run(
      queries
        .selectFrom('change_log')
        .select('revision')
        .where('namespace_key', '=', key)
        .orderBy('revision')
        .offset(place - 1)
        .limit(1),
    ),
  );
  return row?.revision ?? 0;
}

interface Cut {
  /** Entries up to this revision are too many. */
  readonly through: number;
  /** Entries from before are too old. */
  readonly beforeUs: Micros;
  readonly atUs: Micros;
}

/** One step. The namespace may be deleted at any time. */
async function trimOne(access: Pick<PostgresAccess, 'submit'>, name: string, cut: Cut): Promise<number> {
  try {
    return await access.submit(name, {
      ids: [],
      atUs: cut.atUs,
      bytes: BYTES_AROUND,
      isAlone: true,
      run: (_, session, { row }) => (row ? deleteOldest(session, row, cut) : 0),
    });
  } catch (error) {
    if (isNamespaceMissing(error)) return 0;
    throw error;
  }
}

async function deleteOldest(
  session: Session,
  { key, log_start: start }: NamespaceTable,
  { through, beforeUs }: Cut,
): Promise<number> {
  const oldest = await session.run(
    queries
      .selectFrom('change_log')
      .select(['revision', 'at_us'])
      .where('namespace_key', '=', key)
      .where('revision', '>', start)
      .orderBy('revision')
      .limit(STEP),
  );
  const kept = oldest.findIndex(({ revision, at_us }) => revision > through && at_us >= beforeUs);
  const cut = kept < 0 ? oldest : oldest.slice(0, kept);
  const last = cut.at(-1)?.revision;
  if (last === undefined) return 0;
  await session.runAll([
    queries.deleteFrom('change_log').where('namespace_key', '=', key).where('revision', '<=', last),
    queries.updateTable('namespace').set({ log_start: last }).where('key', '=', key),
  ]);
  return cut.length;
}
