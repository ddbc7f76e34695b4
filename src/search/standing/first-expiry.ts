import type { Micros } from '../../memory/memory.ts';
import type { NamespaceState } from '../recall/namespace-state.ts';
import type { Neighbor } from '../vectors/vector-index.ts';

/**
 * The first instant at which a near memory expires or changes its validity: memories behind it move up, whether or not
 * it is in the answer itself.
 */
export function firstExpiryUs({ columns, entry }: NamespaceState, near: readonly Neighbor[], nowUs: Micros): Micros {
  let first = Number.POSITIVE_INFINITY;
  for (const { key } of near) {
    first = Math.min(first, columns.nextTurnUs(key - entry.firstKey, nowUs));
  }
  return first;
}
