import type { Content, Micros } from '../../../../src/memory/memory.ts';
import {
  type Checkpoint,
  type Entry,
  type EntryHead,
  isExpired,
  type Note,
  type SessionChange,
  type SessionChangeKind,
  type SessionRecord,
} from '../../../../src/memory/session.ts';
import type { Pack, SessionDraftRecord, SessionView } from '../../../../src/storage/sessions/session-view.ts';

/** A session in memory. It is immutable: a write works on a copy. */
export interface SessionState {
  readonly record: SessionRecord;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly notes: readonly Note[];
  readonly checkpoints: ReadonlyMap<string, Checkpoint>;
  readonly manifests: ReadonlyMap<string, Uint8Array>;
  readonly packs: ReadonlyMap<number, Uint8Array>;
  readonly changes: readonly SessionChange[];
}

export function emptyState(record: SessionRecord): SessionState {
  const none = new Map<never, never>();
  return { record, entries: none, notes: [], checkpoints: none, manifests: none, packs: none, changes: [] };
}

/** A copy of a session that a write works on. */
export class InMemorySessionView implements SessionView {
  readonly record: SessionDraftRecord;
  readonly events: string[] = [];
  isErased = false;
  private readonly byKey: Map<string, Entry>;
  private kept: Note[];
  private readonly made: Map<string, Checkpoint>;
  private readonly manifests: Map<string, Uint8Array>;
  private readonly packs: Map<number, Uint8Array>;
  private readonly changes: SessionChange[];
  private readonly atUs: Micros;
  private part = 0;

  constructor(state: SessionState, atUs: Micros) {
    this.record = { ...state.record };
    this.byKey = new Map(state.entries);
    this.kept = [...state.notes];
    this.made = new Map(state.checkpoints);
    this.manifests = new Map(state.manifests);
    this.packs = new Map(state.packs);
    this.changes = [...state.changes];
    this.atUs = atUs;
  }

  state(): SessionState {
    const { record, byKey: entries, kept: notes, made: checkpoints, manifests, packs, changes } = this;
    return { record, entries, notes, checkpoints, manifests, packs, changes };
  }

  dropChanges(revision: number): void {
    const first = this.changes.findIndex((change) => change.revision > revision);
    this.changes.splice(0, first < 0 ? this.changes.length : first);
    this.record.compactedRevision = revision;
  }

  head(key: string): EntryHead | undefined {
    const entry = this.byKey.get(key);
    return entry && headOf(entry);
  }
  entry(key: string): Entry | undefined {
    return this.byKey.get(key);
  }
  heads(): EntryHead[] {
    return [...this.byKey.values()].map(headOf);
  }
  entries(keys: readonly string[]): Entry[] {
    return keys.flatMap((key) => this.byKey.get(key) ?? []);
  }
  allEntries(): Entry[] {
    return [...this.byKey.values()];
  }
  expiredHeads(nowUs: Micros, limit: number): EntryHead[] {
    return this.heads()
      .filter((head) => isExpired(head, nowUs))
      .slice(0, limit);
  }
  put(entry: Entry): void {
    this.byKey.set(entry.key, { ...entry, content: ownContent(entry.content) });
  }
  retime(head: EntryHead): void {
    const entry = this.byKey.get(head.key);
    if (entry) this.byKey.set(head.key, { ...head, content: entry.content });
  }
  remove(key: string): void {
    this.byKey.delete(key);
  }
  removeAllEntries(): void {
    this.byKey.clear();
  }

  append(notes: readonly Note[]): void {
    const own = notes.map((note) => ({ ...note, content: ownContent(note.content) }));
    this.kept = [...this.kept, ...own].sort((one, other) => one.sequence - other.sequence);
  }
  notes(from: number, to: number): Note[] {
    return this.kept.filter(({ sequence }) => sequence >= from && sequence <= to);
  }
  firstNote(): { sequence: number; bytes: number } | undefined {
    const [first] = this.kept;
    return first && { sequence: first.sequence, bytes: first.content.data.byteLength };
  }
  noteSequences(): number[] {
    return this.kept.map(({ sequence }) => sequence);
  }
  removeNotes(from: number, to: number): { count: number; bytes: number } {
    const gone = this.notes(from, to);
    this.kept = this.kept.filter(({ sequence }) => sequence < from || sequence > to);
    return { count: gone.length, bytes: gone.reduce((sum, { content }) => sum + content.data.byteLength, 0) };
  }

  checkpoint(id: string): Checkpoint | undefined {
    return this.made.get(id);
  }
  checkpoints(): Checkpoint[] {
    return [...this.made.values()];
  }
  manifest(id: string): Uint8Array | undefined {
    return this.manifests.get(id);
  }
  pack(number: number): Uint8Array | undefined {
    return this.packs.get(number);
  }
  putCheckpoint(checkpoint: Checkpoint, manifest: Uint8Array, packs: readonly Pack[]): void {
    this.setCheckpoint(checkpoint);
    this.manifests.set(checkpoint.id, manifest);
    for (const { number, data } of packs) this.packs.set(number, data);
  }
  setCheckpoint(checkpoint: Checkpoint): void {
    this.made.set(checkpoint.id, checkpoint);
  }
  removeCheckpoint(id: string, unusedPacks: readonly number[]): void {
    this.made.delete(id);
    this.manifests.delete(id);
    for (const number of unusedPacks) this.packs.delete(number);
  }

  erase(): void {
    this.isErased = true;
  }

  log(kind: SessionChangeKind, key: string): void {
    this.changes.push({ revision: this.record.revision, part: this.part++, kind, key, atUs: this.atUs });
  }
  emit(event: string): void {
    this.events.push(event);
  }
}

function headOf({ content: _, ...head }: Entry): EntryHead {
  return head;
}

/** A copy that is independent of the objects of callers and readers. */
export function ownContent({ mediaType, data }: Content): Content {
  return { mediaType, data: new Uint8Array(data) };
}
