import type { Content } from '../../memory/memory.ts';
import type { Checkpoint, Entry, EntryHead, Note, SessionRecord } from '../../memory/session.ts';
import type { SessionOp } from '../session-store.ts';

/**
 * Parts of a session. K: heads of all entries, X: of the expired ones. A: all entries, V: entries of named keys. F: the
 * oldest notes, Q: all notes, both perhaps without contents. N: all notes. C: checkpoints. H: manifest of the head. P:
 * packs of named checkpoints.
 */
export type Wanted = 'K' | 'X' | 'A' | 'V' | 'F' | 'Q' | 'N' | 'C' | 'H' | 'P';

/** A write needs data of its session that was not read; it is restarted with this data. */
export class Missing extends Error {
  override readonly name = 'Missing';
  readonly what: Wanted;
  readonly keys: readonly string[];
  readonly checkpoint: string | undefined;

  constructor(what: Wanted, { keys = [], checkpoint }: { keys?: readonly string[]; checkpoint?: string } = {}) {
    super(`not read: ${what}`);
    this.what = what;
    this.keys = keys;
    this.checkpoint = checkpoint;
  }
}

/** An entry; its content is absent where it was not read. */
export interface LoadedEntry extends EntryHead {
  readonly content?: Content;
}

export interface LoadedNote {
  readonly sequence: number;
  readonly bytes: number;
  /** Absent where it was not read. */
  readonly note?: Note;
}

/** The loaded data of a session, from one instant. */
export interface LoadedSession {
  readonly record: SessionRecord | undefined;
  readonly has: Set<Wanted>;
  /** `undefined`: there is no such entry. */
  readonly entries: Map<string, LoadedEntry | undefined>;
  notes: readonly LoadedNote[];
  readonly checkpoints: Map<string, Checkpoint>;
  readonly manifests: Map<string, Uint8Array | undefined>;
  readonly packs: Map<number, Uint8Array>;
  /** Ids of checkpoints whose packs were read. */
  readonly packsOf: ReadonlySet<string> | 'all';
}

/** Data to load for a write; grows when the write needs more. */
export interface Reading {
  readonly what: Set<Wanted>;
  /** Keys whose heads are read. */
  readonly keys: Set<string>;
  /** Keys whose entries are read. */
  readonly values: Set<string>;
  /** Ids of checkpoints whose manifests are read. */
  readonly checkpoints: Set<string>;
}

/** Data that the operations need in any case. */
export function readingFor(ops: readonly SessionOp[]): Reading {
  const reading: Reading = { what: new Set(), keys: new Set(), values: new Set(), checkpoints: new Set() };
  for (const op of ops) {
    if ('key' in op) reading.keys.add(op.key);
    for (const each of partsOf(op)) reading.what.add(each);
    if (op.kind === 'restore') reading.checkpoints.add(op.id);
  }
  return reading;
}

function partsOf(op: SessionOp): readonly Wanted[] {
  switch (op.kind) {
    case 'clear':
      return [...(op.values ? (['K'] as const) : []), ...(op.checkpoints ? (['C'] as const) : [])];
    case 'append':
      return ['F'];
    case 'checkpoint':
      return ['K', 'N', 'C', 'H'];
    case 'restore':
      return ['K', 'Q', 'C', 'P'];
    case 'dropCheckpoint':
    case 'keepCheckpoint':
    case 'transition':
      return ['C'];
    default:
      return [];
  }
}

export function extend(reading: Reading, { what, keys, checkpoint }: Missing): void {
  reading.what.add(what);
  for (const key of keys) reading.values.add(key);
  if (checkpoint !== undefined) reading.checkpoints.add(checkpoint);
}

/** A session without data, all of which is known. */
export function emptySession(): LoadedSession {
  return {
    record: undefined,
    has: new Set<Wanted>(['K', 'X', 'A', 'V', 'F', 'Q', 'N', 'C', 'H', 'P']),
    entries: new Map(),
    notes: [],
    checkpoints: new Map(),
    manifests: new Map(),
    packs: new Map(),
    packsOf: 'all',
  };
}

export function headOf({ content: _, ...head }: Entry | LoadedEntry): EntryHead {
  return head;
}

export function loadedNote(note: Note): LoadedNote {
  return { sequence: note.sequence, bytes: note.content.data.byteLength, note };
}
