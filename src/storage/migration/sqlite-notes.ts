import type { SqliteDatabase } from '../sqlite/database.ts';

/** Before the keys of the notes of a migration in `meta`. */
const MARK = 'migration ';

export function readNote(database: SqliteDatabase, key: string): string | undefined {
  const row = database.prepare<[string], { value: unknown }>('SELECT value FROM meta WHERE key = ?').get(MARK + key);
  return row && String(row.value);
}

export function writeNote(database: SqliteDatabase, key: string, value: string): void {
  database.prepare<[string, string]>('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(MARK + key, value);
}

export function dropNotes(database: SqliteDatabase): void {
  database.prepare<[string]>(`DELETE FROM meta WHERE key LIKE ? || '%'`).run(MARK);
}
