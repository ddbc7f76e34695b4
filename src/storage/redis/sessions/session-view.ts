import type { Micros } from '../../../memory/memory.ts';
import {
  type Checkpoint,
  type Entry,
  type EntryHead,
  isExpired,
  type Note,
  type SessionChangeKind,
} from '../../../memory/session.ts';
import type { Pack, SessionDraftRecord, SessionView } from '../../sessions/session-view.ts';
import type { RedisArgument } from '../connection.ts';
import { encodeEntry, encodeNote, headOf, type Loaded, Missing, type Wanted } from './loaded.ts';
import type { SessionKeys } from './session-keys.ts';

type Command = readonly RedisArgument[];

/** A session inside a write: its loaded data, the changes of the write, and their commands. */
export class RedisSessionView implements SessionView {
  readonly record: SessionDraftRecord;
  readonly commands: Command[] = [];
  isErased = false;
  /** Earliest expiry among the written values. */
  dueAtUs = Number.POSITIVE_INFINITY;
  private readonly keys: SessionKeys;
  private readonly loaded: Loaded;
  private readonly atUs: Micros;
  private part = 0;

  constructor(keys: SessionKeys, loaded: Loaded, record: SessionDraftRecord, atUs: Micros) {
    this.keys = keys;
    this.loaded = loaded;
    this.record = record;
    this.atUs = atUs;
  }

  entry(key: string): Entry | undefined {
    if (!this.loaded.entries.has(key)) this.need('A');
    return this.loaded.entries.get(key);
  }
  head(key: string): EntryHead | undefined {
    const entry = this.entry(key);
    return entry && headOf(entry);
  }
  heads(): EntryHead[] {
    return this.all().map(headOf);
  }
  entries(keys: readonly string[]): Entry[] {
    return keys.flatMap((key) => this.entry(key) ?? []);
  }
  allEntries(): Entry[] {
    return this.all();
  }
  expiredHeads(nowUs: Micros, limit: number): EntryHead[] {
    return this.heads()
      .filter((head) => isExpired(head, nowUs))
      .slice(0, limit);
  }
  put(entry: Entry): void {
    const { key, expiresAtUs } = entry;
    this.loaded.entries.set(key, entry);
    this.add('HSET', this.keys.entries, key, encodeEntry(entry));
    if (expiresAtUs === undefined) this.add('ZREM', this.keys.expiries, key);
    else this.add('ZADD', this.keys.expiries, `${expiresAtUs}`, key);
    this.due(expiresAtUs);
  }
  retime(head: EntryHead): void {
    const entry = this.entry(head.key);
    if (entry) this.put({ ...head, content: entry.content });
  }
  remove(key: string): void {
    this.loaded.entries.set(key, undefined);
    this.add('HDEL', this.keys.entries, key);
    this.add('ZREM', this.keys.expiries, key);
  }
  removeAllEntries(): void {
    this.loaded.entries.clear();
    this.loaded.has.add('A');
    this.add('UNLINK', this.keys.entries, this.keys.expiries);
  }

  append(notes: readonly Note[]): void {
    for (const note of notes) this.add('ZADD', this.keys.notes, `${note.sequence}`, encodeNote(note));
    // Next to the oldest notes alone, they would seem to follow them directly.
    if (!this.loaded.has.has('N')) return;
    this.loaded.notes.push(...notes);
    this.loaded.notes.sort((one, other) => one.sequence - other.sequence);
  }
  notes(from: number, to: number): Note[] {
    this.need('N');
    return this.loaded.notes.filter(({ sequence }) => sequence >= from && sequence <= to);
  }
  firstNote(): { sequence: number; bytes: number } | undefined {
    this.need('F');
    const [first] = this.loaded.notes;
    // All loaded notes are used: there may be more.
    if (!first && this.record.noteCount > 0) this.need('N');
    return first && { sequence: first.sequence, bytes: first.content.data.byteLength };
  }
  noteSequences(): number[] {
    return this.notes(0, Number.MAX_SAFE_INTEGER).map(({ sequence }) => sequence);
  }
  removeNotes(from: number, to: number): { count: number; bytes: number } {
    const isOldest = to === this.loaded.notes[0]?.sequence;
    if (!isOldest) this.need('N');
    const gone = this.loaded.notes.filter(({ sequence }) => sequence >= from && sequence <= to);
    this.loaded.notes = this.loaded.notes.filter((note) => !gone.includes(note));
    this.add('ZREMRANGEBYSCORE', this.keys.notes, `${from}`, `${to}`);
    return { count: gone.length, bytes: gone.reduce((sum, { content }) => sum + content.data.byteLength, 0) };
  }

  checkpoint(id: string): Checkpoint | undefined {
    this.need('C');
    return this.loaded.checkpoints.get(id);
  }
  checkpoints(): Checkpoint[] {
    this.need('C');
    return [...this.loaded.checkpoints.values()];
  }
  manifest(id: string): Uint8Array | undefined {
    if (!this.loaded.manifests.has(id)) throw new Missing('C', id);
    return this.loaded.manifests.get(id);
  }
  pack(number: number): Uint8Array | undefined {
    return this.loaded.packs.get(number);
  }
  putCheckpoint(checkpoint: Checkpoint, manifest: Uint8Array, packs: readonly Pack[]): void {
    this.setCheckpoint(checkpoint);
    this.loaded.manifests.set(checkpoint.id, manifest);
    this.add('HSET', this.keys.manifests, checkpoint.id, Buffer.from(manifest));
    for (const { number, data } of packs) {
      this.loaded.packs.set(number, data);
      this.add('HSET', this.keys.packs, `${number}`, Buffer.from(data));
    }
  }
  setCheckpoint(checkpoint: Checkpoint): void {
    this.loaded.checkpoints.set(checkpoint.id, checkpoint);
    this.add('HSET', this.keys.checkpoints, checkpoint.id, JSON.stringify(checkpoint));
    this.due(checkpoint.expiresAtUs);
  }
  removeCheckpoint(id: string, unusedPacks: readonly number[]): void {
    this.loaded.checkpoints.delete(id);
    this.loaded.manifests.set(id, undefined);
    this.add('HDEL', this.keys.checkpoints, id);
    this.add('HDEL', this.keys.manifests, id);
    for (const number of unusedPacks) this.add('HDEL', this.keys.packs, `${number}`);
  }

  erase(): void {
    this.isErased = true;
  }

  log(kind: SessionChangeKind, key: string): void {
    const { revision } = this.record;
    // The part comes first, so that changes of one revision keep their order in the set.
    const part = String(this.part++).padStart(8, '0');
    this.add('ZADD', this.keys.changes, `${revision}`, JSON.stringify([part, revision, kind, key, this.atUs]));
  }
  emit(event: string): void {
    this.add('EVENT', this.keys.events, this.keys.eventEnds, `${this.atUs}`, event);
  }

  due(atUs: Micros | undefined): void {
    if (atUs !== undefined) this.dueAtUs = Math.min(this.dueAtUs, atUs);
  }

  add(...command: RedisArgument[]): void {
    this.commands.push(command);
  }

  private all(): Entry[] {
    this.need('A');
    return [...this.loaded.entries.values()].flatMap((entry) => entry ?? []);
  }

  private need(what: Wanted): void {
    if (!this.loaded.has.has(what)) throw new Missing(what);
  }
}
