import { sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import type { Checkpoint, Entry, EntryHead, Note, SessionChangeKind } from '../../../memory/session.ts';
import type { StoreWrite } from '../../records.ts';
import type { Pack, SessionDraftRecord, SessionView } from '../../sessions/session-view.ts';
import type { Changes } from '../changes.ts';
import { store } from '../commands/write-memories.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import * as checkpointRows from './entry-rows.ts';
import * as entryRows from './entry-rows.ts';
import * as noteRows from './entry-rows.ts';
import { appendChange } from './entry-rows.ts';
import { appendLifecycleEvent } from './lifecycle-event-rows.ts';

const ALL = Number.MAX_SAFE_INTEGER;
/** Number of keys from which reading the whole session is faster. */
const READ_ALL_FROM = 200;

/** A session inside the writer's transaction of a write. */
export class SqliteSessionView implements SessionView {
  readonly record: SessionDraftRecord;
  isErased = false;
  private readonly changes: Changes;
  private readonly database: SqliteDatabase;
  private readonly key: number;
  private readonly atUs: Micros;
  private part = 0;

  constructor(changes: Changes, key: number, record: SessionDraftRecord, atUs: Micros) {
    this.changes = changes;
    this.database = changes.database;
    this.key = key;
    this.record = record;
    this.atUs = atUs;
  }

  head(key: string): EntryHead | undefined {
    const row = entryRows.headRow(this.database).get({ session_key: this.key, key });
    return row && entryRows.headOf(row);
  }

  entry(key: string): Entry | undefined {
    const row = entryRows.entryRow(this.database).get({ session_key: this.key, key });
    return row && entryRows.entryOf(row);
  }

  heads(): EntryHead[] {
    return entryRows.headRows(this.database).all({ session_key: this.key }).map(entryRows.headOf);
  }

  entries(keys: readonly string[]): Iterable<Entry> {
    if (keys.length < READ_ALL_FROM) return keys.flatMap((key) => this.entry(key) ?? []);
    const wanted = new Set(keys);
    return this.allEntries().filter(({ key }) => wanted.has(key));
  }

  allEntries(): Entry[] {
    return allEntries(this.database, this.key);
  }

  expiredHeads(nowUs: Micros, limit: number): EntryHead[] {
    const expired = { session_key: this.key, now_us: nowUs, limit };
    return entryRows.expiredRows(this.database).all(expired).map(entryRows.headOf);
  }

  put({ content, ...head }: Entry): void {
    entryRows.putEntry(this.database).run({
      session_key: this.key,
      key: head.key,
      version: head.version,
      content_revision: head.contentRevision,
      bytes: head.bytes,
      created_at_us: head.createdAtUs,
      updated_at_us: head.updatedAtUs,
      expires_at_us: head.expiresAtUs ?? null,
      media_type: content.mediaType,
      data: content.data,
    });
  }

  retime({ key, version, expiresAtUs }: EntryHead): void {
    const times = { session_key: this.key, key, version, expires_at_us: expiresAtUs ?? null };
    entryRows.retimeEntry(this.database).run(times);
  }

  remove(key: string): void {
    entryRows.deleteEntry(this.database).run({ session_key: this.key, key });
  }

  removeAllEntries(): void {
    entryRows.deleteEntries(this.database).run({ session_key: this.key });
  }

  append(notes: readonly Note[]): void {
    const insert = noteRows.insertNote(this.database);
    for (const { sequence, atUs, content } of notes) {
      const { mediaType, data } = content;
      insert.run({ session_key: this.key, sequence, at_us: atUs, media_type: mediaType, data });
    }
  }

  notes(from: number, to: number): Iterable<Note> {
    const range = { session_key: this.key, from, to, limit: ALL };
    return noteRows.notesUp(this.database).all(range).map(noteRows.noteOf);
  }

  firstNote(): { sequence: number; bytes: number } | undefined {
    const [row] = noteRows.notesUp(this.database).all({ session_key: this.key, from: 0, to: ALL, limit: 1 });
    return row && { sequence: row.sequence, bytes: row.data.byteLength };
  }

  noteSequences(): number[] {
    const rows = noteRows.sequences(this.database).all({ session_key: this.key });
    return rows.map(({ sequence }) => sequence);
  }

  removeNotes(from: number, to: number): { count: number; bytes: number } {
    const range = { session_key: this.key, from, to };
    const { count = 0, bytes = 0 } = noteRows.noteTotals(this.database).get(range) ?? {};
    if (count > 0) noteRows.deleteNotes(this.database).run(range);
    return { count, bytes: bytes ?? 0 };
  }

  checkpoint(id: string): Checkpoint | undefined {
    const row = checkpointRows.checkpointRow(this.database).get({ session_key: this.key, id });
    return row && (JSON.parse(row.body) as Checkpoint);
  }

  checkpoints(): Checkpoint[] {
    const rows = checkpointRows.checkpointRows(this.database).all({ session_key: this.key });
    return rows.map(({ body }) => JSON.parse(body) as Checkpoint);
  }

  manifest(id: string): Uint8Array | undefined {
    return checkpointRows.manifestRow(this.database).get({ session_key: this.key, id })?.data;
  }

  pack(number: number): Uint8Array | undefined {
    return checkpointRows.packRow(this.database).get({ session_key: this.key, number })?.data;
  }

  putCheckpoint(checkpoint: Checkpoint, manifest: Uint8Array, packs: readonly Pack[]): void {
    this.setCheckpoint(checkpoint);
    checkpointRows.putManifest(this.database).run({ session_key: this.key, id: checkpoint.id, data: manifest });
    const put = checkpointRows.putPack(this.database);
    for (const { number, data } of packs) put.run({ session_key: this.key, number, data });
  }

  setCheckpoint(checkpoint: Checkpoint): void {
    checkpointRows.putCheckpoint(this.database).run({
      session_key: this.key,
      id: checkpoint.id,
      revision: checkpoint.revision,
      expires_at_us: checkpoint.expiresAtUs ?? null,
      body: JSON.stringify(checkpoint),
    });
  }

  removeCheckpoint(id: string, unusedPacks: readonly number[]): void {
    checkpointRows.deleteCheckpoint(this.database).run({ session_key: this.key, id });
    checkpointRows.deleteManifest(this.database).run({ session_key: this.key, id });
    for (const number of unusedPacks) checkpointRows.deletePack(this.database).run({ session_key: this.key, number });
  }

  erase(): void {
    this.isErased = true;
  }

  log(kind: SessionChangeKind, key: string): void {
    const { revision } = this.record;
    appendChange(this.database).run({
      session_key: this.key,
      revision,
      part: this.part++,
      kind,
      key,
      at_us: this.atUs,
    });
  }

  emit(event: string): void {
    appendLifecycleEvent(this.database, { namespace: this.record.namespace, body: event, atUs: this.atUs });
  }

  remember(write: StoreWrite): void {
    store(this.changes, write);
  }
}

type HeadTuple = [string, number, number, number, Micros, Micros, Micros | null, string, number];

/** Both columns aggregate the same rows in the same order. SQLite concatenates bytes without conversion. */
const allInOne = prepared((p: { session_key: number }) =>
  queries
    .selectFrom('session_entry')
    .select([
      sql<string>`json_group_array(json_array(key, version, content_revision, bytes, created_at_us, updated_at_us,
        expires_at_us, media_type, length(data)))`.as('heads'),
      sql<Uint8Array | null>`cast(group_concat(data, '') AS BLOB)`.as('data'),
    ])
    .where('session_key', '=', p.session_key),
);

/**
 * All values of a session, including expired ones. Their bytes are views of one buffer: a buffer for each would take
 * longer than reading the rows.
 */
function allEntries(database: SqliteDatabase, session_key: number): Entry[] {
  const row = allInOne(database).get({ session_key });
  if (!row?.data) return [];
  const { data } = row;
  let at = 0;
  return (JSON.parse(row.heads) as HeadTuple[]).map(
    ([key, version, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs, mediaType, length]) => {
      const head = { key, version, contentRevision, bytes, createdAtUs, updatedAtUs };
      const content = { mediaType, data: data.subarray(at, at + length) };
      at += length;
      return expiresAtUs === null ? { ...head, content } : { ...head, expiresAtUs, content };
    },
  );
}
