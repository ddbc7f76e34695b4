import { type RawBuilder, sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import { globOf } from '../../../memory/pattern.ts';
import {
  type Checkpoint,
  type Entry,
  isExpired,
  type SessionChange,
  type SessionKey,
  type SessionRecord,
  type SessionSnapshot,
  sessionName,
} from '../../../memory/session.ts';
import { afterPrefix } from '../../../memory/values.ts';
import type {
  ChangePage,
  EntryListRead,
  EntryPage,
  NoteListRead,
  NotePage,
  SessionStatistics,
  SessionStore,
} from '../../session-store.ts';
import { taskOf } from '../../sessions/entry-ops.ts';
import { damaged, decodeManifest } from '../../sessions/manifest.ts';
import { pageOfNotes, statisticsOf } from '../../sessions/read-session.ts';
import { SnapshotReader } from '../../sessions/read-snapshot.ts';
import { type PostgresDatabase, queries } from '../database.ts';
import { checkpointOfRow, entryOfRow, type HeadRow, headOfRow, noteOfRow, recordOf } from './session-rows.ts';
import type {
  SessionChangeTable,
  SessionCheckpointTable,
  SessionEntryTable,
  SessionManifestTable,
  SessionNoteTable,
  SessionPackTable,
  SessionTable,
} from './session-schema.ts';

type Asked<K extends keyof SessionStore> = SessionStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof SessionStore> = SessionStore[K] extends (...read: never[]) => infer A ? A : never;

type RecordRow = Pick<SessionTable, 'record'>;
type EntryRow = HeadRow & Pick<SessionEntryTable, 'media_type' | 'data'>;

/** Greater than every key, as keys hold no character above U+10FFFF. */
const END = '\u{10ffff}\u{10ffff}';
/** Rows of a page in which no key may match. */
const ROWS_PER_PAGE = 1024;

const HEAD = sql`e.key, e.version, e.content_revision, e.bytes, e.created_at_us, e.updated_at_us, e.expires_at_us`;
const WHOLE = sql`${HEAD}, e.media_type, e.data`;

function recordRow({ namespace, session }: SessionKey): RawBuilder<RecordRow> {
  return sql`SELECT record FROM session WHERE namespace = ${namespace} AND id = ${session}`;
}

/** The number of a session, in a statement. */
function keyOf({ namespace, session }: SessionKey): RawBuilder<unknown> {
  return sql`(SELECT key FROM session WHERE namespace = ${namespace} AND id = ${session})`;
}

export async function readRecord(database: PostgresDatabase, key: SessionKey): Promise<SessionRecord | undefined> {
  const [row] = await database.readInCall((session) => session.run(recordRow(key)));
  return row && recordOf(row);
}

export async function listSessions(
  database: PostgresDatabase,
  { namespace, limit, afterId = '', states }: Asked<'sessions'>,
): Promise<SessionRecord[]> {
  const all = queries
    .selectFrom('session')
    .select('record')
    .where('namespace', '=', namespace)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit);
  const query = states ? all.where('state', 'in', states.length > 0 ? states : [sql<never>`''`]) : all;
  return (await database.readInCall((session) => session.run(query))).map(recordOf);
}

export async function getEntries(
  database: PostgresDatabase,
  { namespace, session: id, keys, nowUs }: Asked<'get'>,
): Answer<'get'> {
  const rows = await database.readInCall((session) =>
    session.run(
      sql<{ revision: number } & (EntryRow | { key: null })>`SELECT s.revision, ${WHOLE} FROM session s
        LEFT JOIN session_entry e ON e.session_key = s.key AND e.key = any(${[...keys]}::text[])
        WHERE s.namespace = ${namespace} AND s.id = ${id}`,
    ),
  );
  const found = new Map(rows.flatMap((row) => (row.key === null ? [] : [[row.key, entryOfRow(row)] as const])));
  const entries = keys.map((key) => {
    const entry = found.get(key);
    return entry && !isExpired(entry, nowUs) ? entry : undefined;
  });
  return { revision: rows[0]?.revision ?? 0, entries };
}

/** The bytes of a page, up to the row that exceeds them, are counted in PostgreSQL: no more is sent. */
export async function listEntries(database: PostgresDatabase, read: EntryListRead): Promise<EntryPage> {
  const { pattern, limit, bytesMax, withValues } = read;
  const rowsMax = pattern === undefined ? Math.min(limit + 1, ROWS_PER_PAGE) : ROWS_PER_PAGE;
  const [[record], rows] = await database.readAtOnce<[RecordRow, EntryRow & { readonly before: number }]>(
    recordRow(read),
    entryRows(read, rowsMax),
  );
  const revision = record ? recordOf(record).revision : 0;
  const glob = pattern === undefined ? undefined : globOf(pattern);
  const entries: EntryPage['entries'][number][] = [];
  let bytes = 0;
  let nextAfter = '';
  for (const row of rows) {
    if (!glob || glob.matches(row.key)) {
      bytes += withValues ? row.bytes : 0;
      const isFull = entries.length >= limit || (entries.length > 0 && bytes > bytesMax);
      if (isFull) return { revision, entries, nextAfter };
      entries.push(withValues ? entryOfRow(row) : headOfRow(row));
    }
    nextAfter = row.key;
  }
  const last = rows.at(-1);
  const isCut = last !== undefined && (rows.length === rowsMax || (withValues && last.before + last.bytes > bytesMax));
  return isCut ? { revision, entries, nextAfter } : { revision, entries };
}

function entryRows(read: EntryListRead, rowsMax: number): RawBuilder<EntryRow & { readonly before: number }> {
  const { pattern, afterKey, bytesMax, withValues, nowUs } = read;
  const prefix = pattern === undefined ? '' : globOf(pattern).prefix;
  const like = pattern === undefined ? undefined : likeOf(pattern);
  const matching = sql`SELECT e.* FROM session_entry e
    WHERE e.session_key = ${keyOf(read)} AND e.key >= ${prefix} AND e.key < ${afterPrefix(prefix) ?? END}
      AND e.key > ${afterKey ?? ''} AND (e.expires_at_us IS NULL OR e.expires_at_us > ${nowUs})
      ${like === undefined ? sql`` : sql`AND e.key LIKE ${like}`}
    ORDER BY e.key LIMIT ${rowsMax}`;
  if (!withValues) return sql`SELECT ${HEAD}, 0 AS before FROM (${matching}) e ORDER BY e.key`;
  return sql`SELECT ${WHOLE}, e.before FROM (
      SELECT m.*, (sum(m.bytes) OVER (ORDER BY m.key) - m.bytes)::bigint AS before FROM (${matching}) m) e
    WHERE e.before <= ${bytesMax}::bigint ORDER BY e.key`;
}

/** A pattern of LIKE with the same matches; `undefined` where LIKE has none. */
function likeOf(pattern: string): string | undefined {
  if (/[[\\]/.test(pattern)) return undefined;
  return pattern.replace(/[%_]/g, '\\$&').replaceAll('*', '%').replaceAll('?', '_');
}

export async function listNotes(database: PostgresDatabase, read: NoteListRead): Promise<NotePage> {
  const [[row], rows] = await database.readAtOnce<[RecordRow, SessionNoteTable]>(recordRow(read), noteRows(read));
  const record = row && recordOf(row);
  return {
    revision: record?.revision ?? 0,
    total: record?.noteCount ?? 0,
    dropped: record?.notesDropped ?? 0,
    ...pageOfNotes(rows.map(noteOfRow), read),
  };
}

function noteRows(read: NoteListRead): RawBuilder<SessionNoteTable> {
  const { order, after, limit, bytesMax } = read;
  const isUp = order === 'oldest';
  const direction = isUp ? sql`ASC` : sql`DESC`;
  const range = isUp ? sql`> ${after ?? 0}` : sql`< ${after ?? Number.MAX_SAFE_INTEGER}`;
  return sql`SELECT sequence, at_us, media_type, data FROM (
      SELECT n.*, sum(octet_length(data)) OVER (ORDER BY sequence ${direction}) - octet_length(data) AS before FROM (
        SELECT * FROM session_note WHERE session_key = ${keyOf(read)} AND sequence ${range}
        ORDER BY sequence ${direction} LIMIT ${limit + 1}) n) p
    WHERE before <= ${bytesMax}::bigint ORDER BY sequence ${direction}`;
}

export async function readCheckpoint(
  database: PostgresDatabase,
  { id, nowUs, ...key }: Asked<'checkpoint'>,
): Promise<Checkpoint | undefined> {
  const [row] = await database.readInCall((session) =>
    session.run(
      sql<Pick<SessionCheckpointTable, 'body'>>`SELECT body FROM session_checkpoint
        WHERE session_key = ${keyOf(key)} AND id = ${id}`,
    ),
  );
  const checkpoint = row && checkpointOfRow(row);
  return checkpoint && !isExpired(checkpoint, nowUs) ? checkpoint : undefined;
}

export async function listCheckpoints(
  database: PostgresDatabase,
  { limit, beforeRevision = Number.MAX_SAFE_INTEGER, nowUs, ...key }: Asked<'checkpoints'>,
): Promise<Checkpoint[]> {
  const rows = await database.readInCall((session) =>
    session.run(
      sql<Pick<SessionCheckpointTable, 'body'>>`SELECT body FROM session_checkpoint
        WHERE session_key = ${keyOf(key)} AND revision < ${beforeRevision}
          AND (expires_at_us IS NULL OR expires_at_us > ${nowUs})
        ORDER BY revision DESC LIMIT ${limit}`,
    ),
  );
  return rows.map(checkpointOfRow);
}

export async function readSnapshot(
  database: PostgresDatabase,
  { checkpoint, ...read }: Asked<'snapshot'>,
): Promise<SessionSnapshot | undefined> {
  if (checkpoint !== undefined) return readCheckpointed(database, { ...read, id: checkpoint });
  const [[row], entries, notes] = await database.readAtOnce<[RecordRow, EntryRow, SessionNoteTable]>(
    recordRow(read),
    sql`SELECT ${WHOLE} FROM session_entry e WHERE e.session_key = ${keyOf(read)} ORDER BY e.key`,
    sql`SELECT sequence, at_us, media_type, data FROM session_note WHERE session_key = ${keyOf(read)} ORDER BY sequence`,
  );
  if (!row) return undefined;
  const { revision, task: text } = recordOf(row);
  const task = taskOf(text);
  const live = entries.map(entryOfRow).filter((entry: Entry) => !isExpired(entry, read.nowUs));
  return { revision, entries: live, notes: notes.map(noteOfRow), task };
}

async function readCheckpointed(
  database: PostgresDatabase,
  { id, nowUs, ...key }: Asked<'checkpoint'>,
): Promise<SessionSnapshot | undefined> {
  const [[row], [manifest], packs] = await database.readAtOnce<
    [Pick<SessionCheckpointTable, 'body'>, SessionManifestTable, SessionPackTable]
  >(
    sql`SELECT body FROM session_checkpoint WHERE session_key = ${keyOf(key)} AND id = ${id}`,
    sql`SELECT data FROM session_manifest WHERE session_key = ${keyOf(key)} AND id = ${id}`,
    sql`SELECT p.number, p.data FROM session_checkpoint c
      JOIN session_pack p ON p.session_key = c.session_key AND p.number = any(c.packs)
      WHERE c.session_key = ${keyOf(key)} AND c.id = ${id}`,
  );
  const checkpoint = row && checkpointOfRow(row);
  if (!checkpoint || isExpired(checkpoint, nowUs)) return undefined;
  const name = `${sessionName(key.namespace, key.session)} checkpoint ${id}`;
  if (!manifest) throw damaged(name);
  const data = new Map(packs.map((pack) => [pack.number, pack.data]));
  const reader = new SnapshotReader(name, (number) => data.get(number));
  return reader.snapshot(decodeManifest(name, manifest.data, checkpoint.checksum), nowUs);
}

export async function listChanges(
  database: PostgresDatabase,
  { afterRevision, limit, ...key }: Asked<'changes'>,
): Promise<ChangePage> {
  const later = sql`FROM session_change WHERE session_key = ${keyOf(key)} AND revision > ${afterRevision}`;
  const [[row], changes] = await database.readAtOnce<[RecordRow, SessionChangeTable]>(
    recordRow(key),
    // The last write is read to its end.
    sql`SELECT revision, part, kind, key, at_us ${later} AND revision <= coalesce(
        (SELECT revision ${later} ORDER BY revision, part OFFSET ${limit - 1} LIMIT 1), ${Number.MAX_SAFE_INTEGER}::bigint)
      ORDER BY revision, part`,
  );
  const record = row && recordOf(row);
  return {
    revision: record?.revision ?? 0,
    compactedRevision: record?.compactedRevision ?? 0,
    changes: changes.map(
      ({ revision, part, kind, key: of, at_us: atUs }): SessionChange => ({ revision, part, kind, key: of, atUs }),
    ),
  };
}

export async function readStatistics(
  database: PostgresDatabase,
  key: SessionKey,
  nowUs: Micros,
): Promise<SessionStatistics | undefined> {
  const [[row], [expired]] = await database.readAtOnce<[RecordRow, { count: number; bytes: number }]>(
    recordRow(key),
    sql`SELECT count(*) AS count, coalesce(sum(bytes), 0)::bigint AS bytes FROM session_entry
      WHERE session_key = ${keyOf(key)} AND expires_at_us <= ${nowUs}`,
  );
  return row && statisticsOf(recordOf(row), expired ?? { count: 0, bytes: 0 });
}
