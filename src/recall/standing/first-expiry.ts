import type { Micros } from '../../memory/memory.ts';
import type { Neighbor } from '../../vector-index/vector-index.ts';
import type { NamespaceState } from '../namespace-state.ts';

/** When the first of what is near expires: those behind it move up, whether or not it is in the answer itself. */
export function firstExpiryUs({ columns, entry }: NamespaceState, near: readonly Neighbor[], nowUs: Micros): Micros {
  let first = Number.POSITIVE_INFINITY;
  for (const { key } of near) {
    const atUs = columns.expiresAtUs(key - entry.firstKey);
    if (atUs > nowUs) first = Math.min(first, atUs);
  }
  return first;
}
