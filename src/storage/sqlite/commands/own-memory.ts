import type { Memory, Micros } from '../../../memory/memory.ts';
import type { MirroredMemory } from '../../hot-log.ts';
import type { Changes } from '../changes.ts';
import { readWholeRow } from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { revisionsOf } from '../queries/revisions.ts';
import { memoryOrRest, tierNumber } from '../rows.ts';
import { appendFormer } from './append-former.ts';

const STATES_MAX = 10_000;

/**
 * Whether a memory of the id is at home here: copies are never long-term. One that came to the other store by a write that
 * was done here after it had failed there is the same; what else has the id there becomes a former state.
 */
export function isOwn(
  { database, log }: Changes,
  namespace: NamespaceRow,
  known: { readonly pk: number; readonly tier: number },
  copy: MirroredMemory,
  atUs: Micros,
): boolean {
  const { memory, past } = copy;
  const { id } = memory;
  const row = known.tier === tierNumber('long_term') ? readWholeRow(database, known.pk) : undefined;
  if (!row) return false;
  const own = memoryOrRest(namespace.name, row).memory;
  const former = revisionsOf(database, { namespace: namespace.name, id, limit: STATES_MAX, nowUs: 0 });
  const isSame = [own, ...former.map((state) => state.memory)].some((state) => isSameWrite(state, memory));
  if (!isSame) {
    const change = 'stored' as const;
    appendFormer({ log }, namespace.key, row.pk, [{ memory, change }, ...past], atUs);
  }
  return true;
}

function isSameWrite(one: Memory, other: Memory): boolean {
  return one.createdAtUs === other.createdAtUs && (one.checksum === other.checksum || one.revision === other.revision);
}
