import type { Comparison, Filter, NumberField, TimeField } from '../../memory/filter.ts';
import type { ColumnField } from '../recall/filter-rows.ts';
import type { Bits } from './bits.ts';
import { compareField, type PlanColumns } from './compare-fields.ts';
import { comparePath, type PlanPaths } from './compare-paths.ts';
import { NumberFieldColumn, PathColumn, TagColumn, TextFieldColumn } from './filter-column.ts';
import type { FilterColumns, Reading } from './filter-columns.ts';
import { grouped, negated, type Plan } from './filter-plan.ts';
import { FilterSet } from './filter-set.ts';
import { placesIn } from './place-plan.ts';
import type { ValueColumn } from './value-column.ts';

/** Paths below one that are searched for any value. */
const INNER_PATHS_MAX = 32;
/** With as few candidates the evaluator is faster than an index of the store. */
const FEW = 64;
/** Keys that an index of the store may return; with more it hardly narrows. */
const KEYS_MAX = 20_000;

/**
 * The memories that a filter may admit; `undefined` when it is not known of any that the filter refuses it. Columns
 * decide where they can, else the indexes of the store.
 */
export function selectMemories(columns: FilterColumns, filter: Filter, reading: Reading): FilterSet | undefined {
  columns.open(reading);
  const { may, must } = new Planning(columns, reading).planOf(filter).sides(columns.all);
  const isSure = may === must;
  const selected = new FilterSet(may, isSure);
  return !isSure && selected.count === columns.columns.size ? undefined : selected;
}

function bitsOf(keys: readonly number[], firstKey: number, within: Bits): Bits {
  const bits = within.emptied();
  for (const key of keys) bits.add(key - firstKey);
  return bits;
}

class Planning implements PlanColumns, PlanPaths {
  private readonly columns: FilterColumns;
  private readonly reading: Reading;

  constructor(columns: FilterColumns, reading: Reading) {
    this.columns = columns;
    this.reading = reading;
  }

  planOf(filter: Filter): Plan {
    switch (filter.kind) {
      case 'all':
      case 'any':
        return grouped(
          filter.kind,
          filter.filters.map((part) => this.planOf(part)),
          this.size,
        );
      case 'not':
        return negated(this.planOf(filter.filter), this.size);
      case 'place':
        return placesIn(filter.area, this.columns.columns.placeColumns, this.size);
      case 'comparison':
        return filter.target.kind === 'field'
          ? compareField(filter.target.field, filter, this)
          : comparePath(filter.target.path, filter, this);
    }
  }

  get size(): number {
    return this.columns.columns.size;
  }

  texts(field: ColumnField): ValueColumn<string> | undefined {
    const column = this.columns.columnOf(field, this.reading, () => new TextFieldColumn(field));
    return column?.values;
  }

  numbers(field: NumberField | TimeField): Float64Array | undefined {
    const { columns } = this.columns;
    if (field === 'event_time') return columns.eventNumbers;
    if (field === 'expire_time') return columns.expiryNumbers;
    if (field === 'step') return columns.placeColumns.stepNumbers;
    const column = this.columns.columnOf(field, this.reading, () => new NumberFieldColumn(field));
    return column?.numbers.values;
  }

  tags(): ValueColumn<string> | undefined {
    return this.columns.columnOf('tag', this.reading, () => new TagColumn())?.values;
  }

  sequenceOf(id: string): number | undefined {
    const { source, entry } = this.reading;
    const key = source.keyOf(entry, id);
    return key === undefined ? undefined : key - entry.firstKey;
  }

  partial(): Bits {
    return this.columns.partialIn(this.reading);
  }

  path(path: string): PathColumn | null | undefined {
    const { source, entry } = this.reading;
    if (!source.filterRows.hasPath(entry, path)) return null;
    return this.columns.columnOf(`path ${path}`, this.reading, () => new PathColumn(path));
  }

  pathsIn(path: readonly string[]): readonly string[] | undefined {
    const { source, entry } = this.reading;
    const paths = source.filterRows.pathsIn(entry, path, INNER_PATHS_MAX + 1);
    return paths.length > INNER_PATHS_MAX ? undefined : paths;
  }

  readonly byIndex = (comparison: Comparison): Plan => {
    const { source, entry } = this.reading;
    return {
      count: this.size,
      sides(within) {
        const none = within.emptied();
        const keys = within.count > FEW ? source.narrow(entry, comparison, KEYS_MAX) : undefined;
        return { may: keys ? bitsOf(keys, entry.firstKey, within).and(within) : within, must: none };
      },
    };
  };
}
