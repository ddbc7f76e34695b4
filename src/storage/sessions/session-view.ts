import type { Micros } from '../../memory/memory.ts';
import type {
  Checkpoint,
  Entry,
  EntryHead,
  Note,
  SessionChangeKind,
  SessionKey,
  SessionLimits,
  SessionRecord,
} from '../../memory/session.ts';
import type { StoreWrite } from '../memory-store.ts';
import type { SessionDraft } from '../session-store.ts';

/** The record of a session while a write works on it. */
export type SessionDraftRecord = { -readonly [K in keyof SessionRecord]: SessionRecord[K] };

/** Compressed bytes that checkpoints point into. */
export interface Pack {
  readonly number: number;
  readonly data: Uint8Array;
}

/**
 * A session as a write works on it, synchronously, inside the backend's transaction. What operations do is written once,
 * over this; a backend says how rows are read and written. Counters in the record are the operations' business.
 */
export interface SessionView {
  readonly record: SessionDraftRecord;

  head(key: string): EntryHead | undefined;
  entry(key: string): Entry | undefined;
  /** All of them, expired ones too, in any order. */
  heads(): EntryHead[];
  /** Those of the keys that are there, in any order. */
  entries(keys: readonly string[]): Iterable<Entry>;
  allEntries(): Iterable<Entry>;
  expiredHeads(nowUs: Micros, limit: number): EntryHead[];
  put(entry: Entry): void;
  /** Changes the instant at which a key expires, and its version. */
  retime(head: EntryHead): void;
  remove(key: string): void;
  removeAllEntries(): void;

  append(notes: readonly Note[]): void;
  /** Notes of sequences from one to another, both included, oldest first. */
  notes(from: number, to: number): Iterable<Note>;
  /** The oldest note, with its bytes. */
  firstNote(): { readonly sequence: number; readonly bytes: number } | undefined;
  /** Of all notes, oldest first. */
  noteSequences(): number[];
  removeNotes(from: number, to: number): { readonly count: number; readonly bytes: number };

  checkpoint(id: string): Checkpoint | undefined;
  checkpoints(): Checkpoint[];
  manifest(id: string): Uint8Array | undefined;
  pack(number: number): Uint8Array | undefined;
  putCheckpoint(checkpoint: Checkpoint, manifest: Uint8Array, packs: readonly Pack[]): void;
  setCheckpoint(checkpoint: Checkpoint): void;
  removeCheckpoint(id: string, unusedPacks: readonly number[]): void;

  /** Takes the session away with all that it holds, once the write is done. */
  erase(): void;

  log(kind: SessionChangeKind, key: string): void;
  /** Adds an event, as JSON, to those of the namespace's lifecycle. */
  emit(event: string): void;
  /** Stores memories in the same transaction; absent where memories lie in another store. */
  readonly remember?: (write: StoreWrite) => void;
}

/** What every operation of a write shares. */
export interface OpContext {
  readonly name: string;
  readonly atUs: Micros;
  readonly limits: SessionLimits;
}

/** A session before its first write. */
export function newRecord({ namespace, session }: SessionKey, draft: SessionDraft, atUs: Micros): SessionRecord {
  const { project, agentType, agent, defaultTtlUs, idleTtlUs, isSpawned } = draft;
  return {
    namespace,
    id: session,
    project,
    agentType,
    agent,
    state: 'active',
    isFrozen: false,
    isSpawned,
    generation: 0,
    metadata: '{}',
    lifecycle: '{}',
    createdAtUs: atUs,
    updatedAtUs: atUs,
    revision: 0,
    compactedRevision: 0,
    defaultTtlUs,
    idleTtlUs,
    keyCount: 0,
    valueBytes: 0,
    task: '',
    noteCount: 0,
    noteBytes: 0,
    nextNote: 1,
    notesDropped: 0,
    checkpointCount: 0,
    checkpointBytes: 0,
    headCheckpoint: '',
  };
}

/** Revision up to which changes are to be dropped now, some at a time; `undefined` when none are. */
export function compactionOf(
  { revision, compactedRevision }: Pick<SessionRecord, 'revision' | 'compactedRevision'>,
  changesMax: number,
): number | undefined {
  const slack = Math.max(1, Math.min(256, changesMax >> 3));
  return revision - compactedRevision >= changesMax + slack ? revision - changesMax : undefined;
}

/** Who wants to know of writes to which session. */
export class ChangeListeners {
  private readonly byName = new Map<string, Set<() => void>>();

  get size(): number {
    return this.byName.size;
  }

  add(key: SessionKey, listener: () => void): () => void {
    const name = nameOf(key);
    const listeners = this.byName.get(name) ?? new Set();
    this.byName.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.byName.get(name) === listeners) this.byName.delete(name);
    };
  }

  tell(key: SessionKey): void {
    for (const listener of this.byName.get(nameOf(key)) ?? []) listener();
  }

  tellAll(): void {
    for (const listeners of this.byName.values()) for (const listener of listeners) listener();
  }
}

/** Of one session only, since neither part holds control characters. */
export function nameOf({ namespace, session }: SessionKey): string {
  return `${namespace}\n${session}`;
}
