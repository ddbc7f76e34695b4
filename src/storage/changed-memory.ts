import { isDeepStrictEqual } from 'node:util';
import type { Memory, MemoryFields } from '../memory/memory.ts';
import type { MemoryChanges, NewMemory } from './memory-store.ts';

const FIELDS = [
  'scope',
  'type',
  'step',
  'eventAtUs',
  'text',
  'textDerived',
  'content',
  'tags',
  'place',
  'importance',
  'priority',
  'source',
  'expiresAtUs',
  'validFromUs',
  'validUntilUs',
  'supersededBy',
] as const satisfies readonly (keyof MemoryFields)[];

/** A memory with the changes of an update; what is given as `undefined` is cleared. The vector stays as it is. */
export function changedMemory(memory: Memory, changes: MemoryChanges): Memory {
  const changed: Record<string, unknown> = { ...memory };
  for (const field of FIELDS) {
    if (!Object.hasOwn(changes, field)) continue;
    if (changes[field] === undefined) delete changed[field];
    else changed[field] = changes[field];
  }
  if (changes.checksum !== undefined) {
    if (changes.checksum !== memory.checksum) delete changed.compaction;
    changed.checksum = changes.checksum;
  }
  if (changes.compaction) changed.compaction = changes.compaction;
  return changed as unknown as Memory;
}

/** What a replaced memory has lost for good: as the new one says, else as before while the bytes are the same. */
export function compactionOfReplacement(before: Memory, after: NewMemory): Pick<Memory, 'compaction'> {
  const compaction = after.compaction ?? (before.checksum === after.checksum ? before.compaction : undefined);
  return compaction ? { compaction } : {};
}

/** Whether storing would change nothing that a caller decides, so that the memory that is there can be kept. */
export function hasEqualFields(memory: Memory, replacement: NewMemory): boolean {
  if (memory.checksum !== replacement.checksum) return false;
  const { embedding, compaction } = replacement;
  if (compaction && !isDeepStrictEqual(memory.compaction, compaction)) return false;
  if (embedding && !isDeepStrictEqual(memory.embedding, embedding)) return false;
  return FIELDS.every((field) => isEqual(memory[field], replacement[field]));
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || isDeepStrictEqual(comparable(one), comparable(other));
}

/** Bytes are compared as bytes, whether they came as a Buffer or not. */
function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('data' in value) || !(value.data instanceof Uint8Array)) {
    return value;
  }
  return { ...value, data: Buffer.from(value.data) };
}
