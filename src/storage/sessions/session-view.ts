import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import {
  type Checkpoint,
  type Entry,
  type EntryHead,
  type Note,
  type SessionChangeKind,
  type SessionKey,
  type SessionLimits,
  type SessionRecord,
  sessionName,
} from '../../memory/session.ts';
import type { StoreWrite } from '../records.ts';
import type { SessionDraft } from '../session-store.ts';

/** The record of a session during a write. */
export type SessionDraftRecord = { -readonly [K in keyof SessionRecord]: SessionRecord[K] };

/** Compressed bytes that checkpoints refer to. */
export interface Pack {
  readonly number: number;
  readonly data: Uint8Array;
}

/**
 * A session during a write, synchronous, inside the backend's transaction. Operations are implemented once, on this
 * contract; a backend reads and writes rows. The operations maintain the counters in the record.
 */
export interface SessionView {
  readonly record: SessionDraftRecord;

  head(key: string): EntryHead | undefined;
  entry(key: string): Entry | undefined;
  /** All heads, including expired ones, in any order. */
  heads(): EntryHead[];
  /** The existing entries of the keys, in any order. */
  entries(keys: readonly string[]): Iterable<Entry>;
  allEntries(): Iterable<Entry>;
  expiredHeads(nowUs: Micros, limit: number): EntryHead[];
  put(entry: Entry): void;
  /** Changes the expiry of a key, and its version. */
  retime(head: EntryHead): void;
  remove(key: string): void;
  removeAllEntries(): void;

  append(notes: readonly Note[]): void;
  /** Notes between two sequences, both included, oldest first. */
  notes(from: number, to: number): Iterable<Note>;
  /** The oldest note, with its bytes. */
  firstNote(): { readonly sequence: number; readonly bytes: number } | undefined;
  /** Sequences of all notes, oldest first. */
  noteSequences(): number[];
  removeNotes(from: number, to: number): { readonly count: number; readonly bytes: number };

  checkpoint(id: string): Checkpoint | undefined;
  checkpoints(): Checkpoint[];
  manifest(id: string): Uint8Array | undefined;
  pack(number: number): Uint8Array | undefined;
  putCheckpoint(checkpoint: Checkpoint, manifest: Uint8Array, packs: readonly Pack[]): void;
  setCheckpoint(checkpoint: Checkpoint): void;
  removeCheckpoint(id: string, unusedPacks: readonly number[]): void;

  /** Erases the session with all its data at the end of the write. */
  erase(): void;

  log(kind: SessionChangeKind, key: string): void;
  /** Appends an event, as JSON, to the namespace's lifecycle events. */
  emit(event: string): void;
  /** Stores memories in the same transaction; absent where another store owns memories. */
  readonly remember?: (write: StoreWrite) => void;
}

/** Values that all operations of a write share. */
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

/** Revision up to which changes are to be dropped now, in portions; `undefined` if none are. */
export function compactionOf(
  { revision, compactedRevision }: Pick<SessionRecord, 'revision' | 'compactedRevision'>,
  changesMax: number,
): number | undefined {
  const slack = Math.max(1, Math.min(256, changesMax >> 3));
  return revision - compactedRevision >= changesMax + slack ? revision - changesMax : undefined;
}

/** Listeners to writes, by session. */
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

/** Unique to one session, as neither part holds control characters. */
export function nameOf({ namespace, session }: SessionKey): string {
  return `${namespace}\n${session}`;
}

export function sessionFull(name: string, what: string, limit: number): MnemeError {
  return new MnemeError('SESSION_FULL', `${name} has reached its limit of ${limit} ${what}`, {
    metadata: { name, what, limit: String(limit) },
  });
}

/** Fails with VERSION_MISMATCH when a write expects another version than the present one; 0 stands for absence. */
export function checkVersion(name: string, key: string, expected: number | undefined, actual: number): void {
  if (expected === undefined || expected === actual) return;
  const there = actual === 0 ? 'it is not there' : `its version is ${actual}`;
  throw new MnemeError('VERSION_MISMATCH', `${key} of ${name}: ${there}, not ${expected}`, {
    metadata: { name, key, expected: String(expected), actual: String(actual) },
  });
}

/** For a missing session after a loss: the session may be among the lost ones. */
export function sessionLost({ namespace, session }: SessionKey): MnemeError {
  const name = sessionName(namespace, session);
  const message = `Redis has lost sessions, and ${name} may be one of them: spawn it to begin anew`;
  return new MnemeError('SESSION_LOST', message, { metadata: { name, backend: 'redis' } });
}

export function checkpointNotFound(name: string, checkpoint: string): MnemeError {
  return new MnemeError('CHECKPOINT_NOT_FOUND', `${name} has no checkpoint ${checkpoint}, or it has expired`, {
    metadata: { name, checkpoint },
  });
}
