import type { Filter } from '../../memory/filter.ts';
import { narrowArea } from './narrow-area.ts';
import { narrowField } from './narrow-field.ts';
import { narrowPath } from './narrow-path.ts';
import { bothOf, eitherOf, type Narrowing, noneOf } from './narrowing.ts';

/** What SQL can say of a filter on the memories of a namespace; `admits` decides on what that leaves. */
export function narrowFilter(filter: Filter, namespaceKey: number): Narrowing {
  switch (filter.kind) {
    case 'all':
      return bothOf(filter.filters.map((part) => narrowFilter(part, namespaceKey)));
    case 'any':
      return eitherOf(filter.filters.map((part) => narrowFilter(part, namespaceKey)));
    case 'not':
      return noneOf(narrowFilter(filter.filter, namespaceKey));
    case 'place':
      return narrowArea(filter.area);
    case 'comparison':
      return filter.target.kind === 'field'
        ? narrowField(filter.target.field, filter, namespaceKey)
        : narrowPath(filter.target.path, filter, namespaceKey);
  }
}
