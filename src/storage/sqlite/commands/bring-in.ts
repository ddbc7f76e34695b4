import type { Idempotency } from '../../../memory/call.ts';
import type { Embedding, Micros } from '../../../memory/memory.ts';
import type { MirroredMemory } from '../../hot-log.ts';
import type { Namespace } from '../../memory-store.ts';
import type { Changes } from '../changes.ts';
import { currentRow } from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { bringTo, settle } from './copy-states.ts';
import { insertNamespace, writeTierSettings } from './create-namespace.ts';

/** Memories of another data folder, with their former states, and their namespace. */
export interface BringInWrite {
  /** Name of the namespace. */
  readonly namespace: string;
  /** Values to create the namespace with where it does not exist. */
  readonly as: Pick<Namespace, 'description' | 'memoryLimit' | 'settings'>;
  readonly copies: readonly MirroredMemory[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

/** Imports memories with an unused id; existing memories stay unchanged. */
export function bringIn(changes: Changes, { namespace: name, as, copies, atUs }: BringInWrite): { broughtIn: number } {
  const namespace = changes.findNamespace(name) ?? madeNamespace(changes, name, as, atUs);
  let broughtIn = 0;
  for (const copy of copies) {
    const { id } = copy.memory;
    if (currentRow(changes.database).get({ namespace_key: namespace.key, id })) continue;
    const fitting = withVectorOf(namespace, copy);
    const { memory } = fitting;
    const isNew = bringTo(changes, namespace, fitting, { memory, change: 'stored' }, atUs);
    settle(changes, namespace, fitting, atUs, { isNew, hasEntry: false });
    // A revision that callers know must never identify another state.
    changes.log.revision = Math.max(changes.log.revision, memory.revision);
    broughtIn++;
  }
  return { broughtIn };
}

function madeNamespace(changes: Changes, name: string, as: BringInWrite['as'], atUs: Micros): NamespaceRow {
  const { description, memoryLimit, settings } = as;
  const row = insertNamespace(changes, { name, description, memoryLimit, atUs });
  writeTierSettings(changes, row.key, Object.entries(settings));
  return row;
}

/** A vector that does not fit the namespace is computed again. */
function withVectorOf(namespace: NamespaceRow, copy: MirroredMemory): MirroredMemory {
  const { embedding, ...rest } = copy.memory;
  if (!embedding || namespace.embedding_dimension === 0 || isOf(namespace, embedding)) return copy;
  return { ...copy, memory: rest, embeddingPending: true };
}

function isOf({ embedding_model, embedding_dimension }: NamespaceRow, { model, values }: Embedding): boolean {
  return model === embedding_model && values.length === embedding_dimension;
}
