import type { Micros } from '../memory/memory.ts';
import type { NamespaceColumns } from './namespace-columns.ts';

/** When the next of the memories that have not expired will; `Infinity` when none will. */
export function nextExpiryUs(columns: NamespaceColumns, nowUs: Micros): Micros {
  let nextUs = Number.POSITIVE_INFINITY;
  if (!columns.hasHidden) return nextUs;
  for (let sequence = 1; sequence < columns.end; sequence++) {
    const expiresAtUs = columns.expiresAtUs(sequence);
    if (columns.has(sequence) && expiresAtUs > nowUs && expiresAtUs < nextUs) nextUs = expiresAtUs;
  }
  return nextUs;
}
