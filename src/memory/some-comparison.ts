import type { Filter, MemoryField } from './filter.ts';

type Comparison = Extract<Filter, { readonly kind: 'comparison' }>;

/** Whether any comparison of a filter, at any depth, is such a one. */
export function someComparison(filter: Filter, isSuch: (comparison: Comparison) => boolean): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.filters.some((part) => someComparison(part, isSuch));
    case 'not':
      return someComparison(filter.filter, isSuch);
    case 'comparison':
      return isSuch(filter);
    case 'place':
      return false;
  }
}

/** Whether a filter looks at one of the fields. */
export function someFieldOf(filter: Filter, ...fields: readonly MemoryField[]): boolean {
  return someComparison(filter, ({ target }) => target.kind === 'field' && fields.includes(target.field));
}
