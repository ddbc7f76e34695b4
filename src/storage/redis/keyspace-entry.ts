import { memoryDamaged } from '../../memory/errors.ts';
import type { Memory, MemoryView } from '../../memory/memory.ts';
import type { Entry } from '../rules/draft.ts';

/** Checksums that show whether a memory of another store is the same, without the bytes of either. */
export interface EntrySums {
  /** The fields as they were written, the checksum of text and content among them. */
  readonly laid: string;
  /** What the vector ends with: its checksum. */
  readonly vectorTail: Buffer | undefined;
}

/** An entry as Redis has it. */
export interface KeyspaceEntry extends Entry {
  /** What follows the fields in its bytes: kept as it is where the body stays. */
  readonly tail?: Buffer;
  /** The body is long, and has a string of its own. */
  readonly isBodyBeside?: boolean;
  /** Of the vector that it has, where that was not read. */
  readonly embeddingModel?: string;
  /** Given in the view of sums. */
  readonly sums?: EntrySums;
}

/** To be kept for a while: what follows its fields holds on to a whole answer of Redis. */
export function withoutTail(entry: KeyspaceEntry): Entry {
  if (!entry.tail) return entry;
  const { tail: _, ...rest } = entry;
  return rest;
}

/** In place of a memory of which nothing can be read: its number, and its revision where `ids` has it. */
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

/** Fails with CHECKSUM_MISMATCH where the view has what is damaged. */
export function wholeOf(entry: Entry | undefined, view: MemoryView): Memory | undefined {
  if (entry?.isDamaged && (view !== 'metadata' || entry.isUnreadable))
    throw memoryDamaged(entry.memory.namespace, entry.memory.id);
  return entry?.memory;
}
