import { isDeepStrictEqual } from 'node:util';
import { checkRevision, MnemeError } from '../memory/errors.ts';
import type { Embedding, Memory, MemoryFields } from '../memory/memory.ts';
import { changed } from '../memory/tier-settings.ts';
import type { MemoryChanges, Namespace, NamespaceUpdate, NamespaceWrite, NewMemory, StoreWrite } from './records.ts';

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

/** Ids of the memories that the write stores or erases. */
export function idsOfStore({ memories, erasedIds = [] }: Pick<StoreWrite, 'memories' | 'erasedIds'>): string[] {
  return [...memories.map(({ id }) => id), ...erasedIds];
}

/** A memory with the changes of an update; an explicit `undefined` clears a field. The vector stays unchanged. */
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

/**
 * Record of permanently dropped data of a replaced memory: that of the new memory, else the former one while the bytes
 * are equal.
 */
export function compactionOfReplacement(before: Memory, after: NewMemory): Pick<Memory, 'compaction'> {
  const compaction = after.compaction ?? (before.checksum === after.checksum ? before.compaction : undefined);
  return compaction ? { compaction } : {};
}

/** Whether storing would change no field of the caller, so that the existing memory can stay. */
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

/** Compares contents, whatever class holds the bytes. */
function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('data' in value) || !(value.data instanceof Uint8Array)) {
    return value;
  }
  return { ...value, data: Buffer.from(value.data) };
}

/** A new namespace. */
export function newNamespace(
  { name, description, memoryLimit, settings = [], atUs }: NamespaceWrite,
  revision: number,
): Namespace {
  return {
    name,
    description,
    memoryLimit,
    createdAtUs: atUs,
    updatedAtUs: atUs,
    embeddingModel: '',
    embeddingDimension: 0,
    settings: Object.fromEntries(changed(new Map(), settings)),
    revision,
  };
}

/** The namespace with the fields of an update; other fields stay, the revision too. Fails with VERSION_MISMATCH. */
export function changedNamespace(before: Namespace, write: NamespaceUpdate): Namespace {
  const { expectedRevision, description, memoryLimit, settings = [], atUs } = write;
  checkRevision(`namespaces/${before.name}`, expectedRevision, before.revision);
  return {
    ...before,
    description: description ?? before.description,
    memoryLimit: memoryLimit ?? before.memoryLimit,
    settings: Object.fromEntries(changed(new Map(Object.entries(before.settings)), settings)),
    updatedAtUs: atUs,
  };
}

/** Fails with MODEL_MISMATCH or DIMENSION_MISMATCH when a vector is incompatible with those of its namespace. */
export function checkEmbedding(
  namespace: { readonly name: string; readonly model: string; readonly dimension: number },
  { model, values }: Embedding,
): void {
  const { name, dimension } = namespace;
  if (model !== namespace.model) {
    const message = `namespaces/${name} holds vectors of model "${namespace.model}", got one of "${model}"`;
    throw new MnemeError('MODEL_MISMATCH', message, { metadata: { expected: namespace.model, actual: model } });
  }
  if (values.length !== dimension) {
    const message = `namespaces/${name} holds vectors of dimension ${dimension}, got one of ${values.length}`;
    const metadata = { expected: String(dimension), actual: String(values.length) };
    throw new MnemeError('DIMENSION_MISMATCH', message, { metadata });
  }
}
