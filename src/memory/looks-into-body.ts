import { admits } from './evaluate-filter.ts';
import type { Filter, MemoryField } from './filter.ts';
import type { Memory } from './memory.ts';
import { someComparison } from './some-comparison.ts';

const BODY_FIELDS: readonly MemoryField[] = ['text', 'media_type'];

/** Whether what a filter admits depends on text or content; all else is known of a memory whose bytes are damaged. */
export function looksIntoBody(filter: Filter): boolean {
  return someComparison(filter, ({ target }) => target.kind === 'path' || BODY_FIELDS.includes(target.field));
}

/** Whether a filter may admit a memory of which all is known but what its bytes say. */
export function mayAdmit(filter: Filter, memory: Memory): boolean {
  if (!looksIntoBody(filter)) return admits(filter, memory);
  if (filter.kind === 'all') return filter.filters.every((part) => mayAdmit(part, memory));
  if (filter.kind === 'any') return filter.filters.some((part) => mayAdmit(part, memory));
  return true;
}
