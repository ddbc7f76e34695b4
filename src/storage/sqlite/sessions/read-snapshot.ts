import type { Micros } from '../../../memory/memory.ts';
import {
  type Checkpoint,
  isExpired,
  type SessionKey,
  type SessionSnapshot,
  sessionName,
} from '../../../memory/session.ts';
import { taskOf } from '../../sessions/entry-ops.ts';
import { damaged, decodeManifest } from '../../sessions/manifest.ts';
import { SnapshotReader } from '../../sessions/read-snapshot.ts';
import type { SqliteDatabase } from '../database.ts';
import { checkpointRow, entryOf, entryRows, manifestRow, noteOf, notesUp, packRow } from './entry-rows.ts';
import { type SessionRow, sessionByName } from './session-rows.ts';
import { checkWhole } from './whole-session.ts';

const ALL = Number.MAX_SAFE_INTEGER;

/** The contents of a session or a checkpoint, without expired keys. */
export function readSnapshot(
  database: SqliteDatabase,
  { namespace, session, checkpoint, nowUs }: SessionKey & { checkpoint?: string; nowUs: Micros },
): SessionSnapshot | undefined {
  const row = sessionByName(database).get({ namespace, id: session });
  if (!row) return undefined;
  if (checkpoint !== undefined) {
    return readCheckpoint(database, row, checkpoint, nowUs);
  }
  checkWhole(database, { namespace, session }, row, 'key_count', 'note_count');
  const entries = entryRows(database).all({ session_key: row.key }).map(entryOf);
  const notes = notesUp(database).all({ session_key: row.key, from: 0, to: ALL, limit: ALL }).map(noteOf);
  const task = taskOf(row.task);
  return {
    revision: row.revision,
    entries: entries.filter((entry) => !isExpired(entry, nowUs)),
    notes,
    task,
  };
}

function readCheckpoint(
  database: SqliteDatabase,
  session: SessionRow,
  id: string,
  nowUs: Micros,
): SessionSnapshot | undefined {
  const { key, namespace } = session;
  const row = checkpointRow(database).get({ session_key: key, id });
  if (!row) checkWhole(database, { namespace, session: session.id }, session, 'checkpoint_count');
  const checkpoint = row && (JSON.parse(row.body) as Checkpoint);
  if (!checkpoint || isExpired(checkpoint, nowUs)) return undefined;
  const name = `${sessionName(namespace, session.id)} checkpoint ${id}`;
  const data = manifestRow(database).get({ session_key: key, id })?.data;
  if (!data) throw damaged(name);
  const manifest = decodeManifest(name, data, checkpoint.checksum);
  const reader = new SnapshotReader(name, (number) => packRow(database).get({ session_key: key, number })?.data);
  return reader.snapshot(manifest, nowUs);
}
