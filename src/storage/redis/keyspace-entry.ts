import { memoryDamaged } from '../../memory/errors.ts';
import type { Memory, MemoryView } from '../../memory/memory.ts';
import type { Entry } from '../rules/draft.ts';

/** Checksums that compare a memory with one of another store, without the bytes of either. */
export interface EntrySums {
  /** The fields as stored, including the checksum of text and content. */
  readonly laid: string;
  /** The last bytes of the vector: its checksum. */
  readonly vectorTail: Buffer | undefined;
}

/** An entry in its Redis form. */
export interface KeyspaceEntry extends Entry {
  /** The bytes after the fields: reused where the body is unchanged. */
  readonly tail?: Buffer;
  /** The body is long and has a string of its own. */
  readonly isBodyBeside?: boolean;
  /** Checksum of a stored vector that was not read. */
  readonly embeddingModel?: string;
  /** Present in the view of sums. */
  readonly sums?: EntrySums;
}

/** For an entry that is cached: the bytes after its fields would retain a whole reply of Redis. */
export function withoutTail(entry: KeyspaceEntry): Entry {
  if (!entry.tail) return entry;
  const { tail: _, ...rest } = entry;
  return rest;
}

/** Placeholder for an unreadable memory: its number, and its revision where `ids` has it. */
export function unreadableEntry(namespace: string, id: string, sequence: number, revision = 0): KeyspaceEntry {
  return {
    memory: {
      namespace,
      id,
      type: '',
      tier: 'short_term',
      scope: { project: '', agentType: '', agent: '', session: '' },
      importance: 0,
      priority: 0,
      retrievalCount: 0,
      revision,
      eventAtUs: 0,
      createdAtUs: 0,
      updatedAtUs: 0,
      text: '',
      textDerived: false,
      tags: [],
      checksum: '',
      source: { speaker: '', uri: '', origin: '' },
    },
    sequence,
    state: 'none',
    attempts: 0,
    notBeforeUs: 0,
    tierSinceUs: 0,
    past: [],
    change: 'updated',
    isDamaged: true,
    isUnreadable: true,
  };
}

/** Fails with CHECKSUM_MISMATCH where damaged data belongs to the view. */
export function wholeOf(entry: Entry | undefined, view: MemoryView): Memory | undefined {
  if (entry?.isDamaged && (view !== 'metadata' || entry.isUnreadable))
    throw memoryDamaged(entry.memory.namespace, entry.memory.id);
  return entry?.memory;
}
