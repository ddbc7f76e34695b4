import type { SqliteDatabase } from '../database.ts';
import { type DamagedSession, TABLES_OF_SESSIONS } from './lost-rows.ts';

/**
 * Makes the records of sessions agree with the rows that are left, so that reads answer again. Checkpoints that cannot
 * be restored, and contents without a session, are deleted.
 */
export function mendSessions(to: SqliteDatabase, damaged: readonly DamagedSession[]): void {
  const ofCheckpoint = (table: string) =>
    to.prepare<[string, string, string]>(
      `DELETE FROM ${table} WHERE id = ? AND session_key = (SELECT key FROM session WHERE namespace = ? AND id = ?)`,
    );
  for (const { checkpoint, namespace, session } of damaged) {
    if (checkpoint === undefined) continue;
    for (const table of ['session_checkpoint', 'session_manifest']) {
      ofCheckpoint(table).run(checkpoint, namespace, session);
    }
  }
  for (const table of [...TABLES_OF_SESSIONS, 'session_change'])
    to.exec(`DELETE FROM ${table} WHERE session_key NOT IN (SELECT key FROM session)`);
  to.exec(`
    DELETE FROM session_erasure;
    UPDATE session SET (key_count, value_bytes) =
      (SELECT count(*), ifnull(sum(bytes), 0) FROM session_entry WHERE session_key = session.key);
    UPDATE session SET (note_count, note_bytes) =
      (SELECT count(*), ifnull(sum(length(data)), 0) FROM session_note WHERE session_key = session.key);
    UPDATE session SET (checkpoint_count, checkpoint_bytes) =
      (SELECT count(*), ifnull(sum(body ->> '$.storedBytes'), 0) FROM session_checkpoint WHERE session_key = session.key);
    UPDATE session SET head_checkpoint = '' WHERE NOT EXISTS
      (SELECT 1 FROM session_checkpoint WHERE session_key = session.key AND id = session.head_checkpoint);`);
}
