import type { Filter, MemoryField } from './filter.ts';

const BODY_FIELDS: readonly MemoryField[] = ['text', 'media_type'];

/** Whether what a filter admits depends on text or content; all else is known of a memory whose bytes are damaged. */
export function looksIntoBody(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.filters.some(looksIntoBody);
    case 'not':
      return looksIntoBody(filter.filter);
    case 'comparison':
      return filter.target.kind === 'path' || BODY_FIELDS.includes(filter.target.field);
    case 'place':
      return false;
  }
}
