import type { Micros } from '../../memory/memory.ts';
import {
  type Checkpoint,
  type Entry,
  type EntryHead,
  isExpired,
  type Note,
  type SessionChangeKind,
} from '../../memory/session.ts';
import { headOf, type LoadedEntry, type LoadedSession, loadedNote, Missing, type Wanted } from './loaded-session.ts';
import type { Pack, SessionDraftRecord, SessionView } from './session-view.ts';

/**
 * A session inside a write, where its data was loaded before: it has the effects of the write's earlier operations.
 * Data that was not loaded is named by a `Missing`. A backend collects what it has to write.
 */
export abstract class LoadedSessionView implements SessionView {
  readonly record: SessionDraftRecord;
  isErased = false;
  protected readonly atUs: Micros;
  protected readonly loaded: LoadedSession;
  private part = 0;

  constructor(loaded: LoadedSession, record: SessionDraftRecord, atUs: Micros) {
    this.loaded = loaded;
    this.record = record;
    this.atUs = atUs;
  }

  abstract emit(event: string): void;
  protected abstract saveEntry(entry: Entry): void;
  /** Of an entry that is otherwise unchanged. */
  protected abstract saveTimes(head: EntryHead, known: LoadedEntry): void;
  protected abstract dropEntry(key: string): void;
  protected abstract dropEntries(): void;
  protected abstract saveNotes(notes: readonly Note[]): void;
  protected abstract dropNotes(from: number, to: number): void;
  protected abstract saveCheckpoint(checkpoint: Checkpoint): void;
  protected abstract saveBody(id: string, manifest: Uint8Array, packs: readonly Pack[]): void;
  protected abstract dropCheckpoint(id: string, packs: readonly number[]): void;
  /** `part`: number of the change in this write, from 0. */
  protected abstract saveChange(part: number, kind: SessionChangeKind, key: string): void;

  head(key: string): EntryHead | undefined {
    const entry = this.known(key);
    return entry && headOf(entry);
  }
  entry(key: string): Entry | undefined {
    return this.entries([key])[0];
  }
  heads(): EntryHead[] {
    return this.all('K').map(headOf);
  }
  entries(keys: readonly string[]): Entry[] {
    return whole(keys.flatMap((key) => this.known(key) ?? []));
  }
  allEntries(): Entry[] {
    return whole(this.all('A'));
  }
  expiredHeads(nowUs: Micros, limit: number): EntryHead[] {
    return this.all('X')
      .filter((entry) => isExpired(entry, nowUs))
      .slice(0, limit)
      .map(headOf);
  }
  put(entry: Entry): void {
    this.loaded.entries.set(entry.key, entry);
    this.saveEntry(entry);
  }
  retime(head: EntryHead): void {
    const known = this.known(head.key);
    if (!known) return;
    this.loaded.entries.set(head.key, { ...head, content: known.content });
    this.saveTimes(head, known);
  }
  remove(key: string): void {
    this.loaded.entries.set(key, undefined);
    this.dropEntry(key);
  }
  removeAllEntries(): void {
    this.loaded.entries.clear();
    for (const each of ['K', 'X', 'A'] as const) this.loaded.has.add(each);
    this.dropEntries();
  }

  append(notes: readonly Note[]): void {
    this.saveNotes(notes);
    // Next to the oldest notes alone, they would seem to follow them directly.
    if (!this.loaded.has.has('Q')) return;
    const all = [...this.loaded.notes, ...notes.map(loadedNote)];
    this.loaded.notes = all.sort((one, other) => one.sequence - other.sequence);
  }
  notes(from: number, to: number): Note[] {
    this.need('N');
    return this.loaded.notes.flatMap(({ note }) => (note && note.sequence >= from && note.sequence <= to ? note : []));
  }
  firstNote(): { sequence: number; bytes: number } | undefined {
    this.need('F');
    const [first] = this.loaded.notes;
    // All loaded notes are used: there may be more.
    if (!first && this.record.noteCount > 0) this.need('Q');
    return first && { sequence: first.sequence, bytes: first.bytes };
  }
  noteSequences(): number[] {
    this.need('Q');
    return this.loaded.notes.map(({ sequence }) => sequence);
  }
  removeNotes(from: number, to: number): { count: number; bytes: number } {
    const removed = this.removedNotes(from, to);
    this.dropNotes(from, to);
    return removed;
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
    if (!this.loaded.manifests.has(id)) throw new Missing('C', { checkpoint: id });
    return this.loaded.manifests.get(id);
  }
  pack(number: number): Uint8Array | undefined {
    const { packs, packsOf, checkpoints } = this.loaded;
    if (packs.has(number) || packsOf === 'all') return packs.get(number);
    // A checkpoint of this write shares packs with earlier ones.
    const owner = [...checkpoints.values()].find(({ id, packs: all }) => all.includes(number) && !packsOf.has(id));
    if (owner) throw new Missing('P', { checkpoint: owner.id });
    return undefined;
  }
  putCheckpoint(checkpoint: Checkpoint, manifest: Uint8Array, packs: readonly Pack[]): void {
    this.setCheckpoint(checkpoint);
    this.loaded.manifests.set(checkpoint.id, manifest);
    for (const { number, data } of packs) this.loaded.packs.set(number, data);
    this.saveBody(checkpoint.id, manifest, packs);
  }
  setCheckpoint(checkpoint: Checkpoint): void {
    this.loaded.checkpoints.set(checkpoint.id, checkpoint);
    this.saveCheckpoint(checkpoint);
  }
  removeCheckpoint(id: string, unusedPacks: readonly number[]): void {
    this.loaded.checkpoints.delete(id);
    this.loaded.manifests.set(id, undefined);
    this.dropCheckpoint(id, unusedPacks);
  }

  erase(): void {
    this.isErased = true;
  }
  log(kind: SessionChangeKind, key: string): void {
    this.saveChange(this.part++, kind, key);
  }

  private known(key: string): LoadedEntry | undefined {
    if (!this.loaded.entries.has(key)) this.need('K');
    return this.loaded.entries.get(key);
  }

  private all(what: Wanted): LoadedEntry[] {
    this.need(what);
    return [...this.loaded.entries.values()].flatMap((entry) => entry ?? []);
  }

  private removedNotes(from: number, to: number): { count: number; bytes: number } {
    const { nextNote, noteCount, noteBytes } = this.record;
    if (from <= 1 && to >= nextNote - 1) {
      this.loaded.notes = [];
      for (const each of ['F', 'Q', 'N'] as const) this.loaded.has.add(each);
      return { count: noteCount, bytes: noteBytes };
    }
    const isOldest = to === this.loaded.notes[0]?.sequence;
    if (!isOldest) this.need('Q');
    const gone = this.loaded.notes.filter(({ sequence }) => sequence >= from && sequence <= to);
    this.loaded.notes = this.loaded.notes.filter((note) => !gone.includes(note));
    return { count: gone.length, bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  private need(what: Wanted): void {
    if (!this.loaded.has.has(what)) throw new Missing(what);
  }
}

/** The entries with their contents. */
function whole(loaded: readonly LoadedEntry[]): Entry[] {
  const keys: string[] = [];
  const entries: Entry[] = [];
  for (const entry of loaded) {
    if (entry.content) entries.push({ ...entry, content: entry.content });
    else keys.push(entry.key);
  }
  if (keys.length > 0) throw new Missing('V', { keys });
  return entries;
}
