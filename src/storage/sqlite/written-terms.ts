import { sql } from '#kysely';
import { prepared, type SqliteDatabase } from './database.ts';

/**
 * Rows of the full-text indexes that slices of upkeep have written for the first memories after `meta.settled_revision`: a row
 * that is written twice would spoil the index.
 */
export interface WrittenTerms {
  words: number;
  values: number;
}

const read = prepared(
  (_: object) => sql<{ key: keyof WrittenTerms; value: number }>`
    SELECT substr(key, 9) AS key, value FROM meta WHERE key IN ('written_words', 'written_values')`,
);
const save = prepared(
  (p: WrittenTerms) => sql`
    INSERT INTO meta VALUES ('written_words', ${p.words}), ('written_values', ${p.values})
    ON CONFLICT(key) DO UPDATE SET value = excluded.value`,
);
const forget = prepared((_: object) => sql`DELETE FROM meta WHERE key IN ('written_words', 'written_values')`);

export function readWritten(database: SqliteDatabase): WrittenTerms {
  const written: WrittenTerms = { words: 0, values: 0 };
  for (const { key, value } of read(database).all({})) written[key] = value;
  return written;
}

export function saveWritten(database: SqliteDatabase, written: WrittenTerms): void {
  save(database).run(written);
}

/** To be called when the head of the log is after these memories. */
export function forgetWritten(database: SqliteDatabase): void {
  forget(database).run({});
}
