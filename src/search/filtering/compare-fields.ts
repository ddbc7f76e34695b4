import { passesComparison } from '../../memory/evaluate-filter.ts';
import {
  type Comparison,
  isJsonValue,
  type MemoryField,
  type NumberField,
  TIME_FIELDS,
  type TimeField,
} from '../../memory/filter.ts';
import type { ColumnField } from '../recall/filter-rows.ts';
import { always, exactly, NEVER, type Plan, unknown } from './filter-plan.ts';
import { inRanges, type NumberRange, rangeOf } from './number-column.ts';
import type { ValueColumn } from './value-column.ts';

/** What plans need of a namespace. */
export interface PlanColumns {
  /** Number of memories. */
  readonly size: number;
  /** Columns are `undefined` while they are not read. */
  texts(field: ColumnField): ValueColumn<string> | undefined;
  /** Values by sequence, times in microseconds, `NaN` or an infinity where there is none. */
  numbers(field: NumberField | TimeField): Float64Array | undefined;
  tags(): ValueColumn<string> | undefined;
  sequenceOf(id: string): number | undefined;
  /** What an index of the store knows about a comparison that no column decides. */
  byIndex(comparison: Comparison): Plan;
}

const NUMBERS: ReadonlySet<MemoryField> = new Set<NumberField>([
  'step',
  'importance',
  'priority',
  'retrieval_count',
  'revision',
]);
const TIMES: ReadonlySet<MemoryField> = new Set(TIME_FIELDS);

/** Share of the memories that a range is assumed to leave. */
const RANGE_SHARE = 1 / 4;

/** The comparison of a field. */
export function compareField(field: MemoryField, comparison: Comparison, columns: PlanColumns): Plan {
  if (comparison.operator === 'is_null') return NEVER;
  if (field === 'text' || field === 'media_type') return unknown(columns.size);
  if (field === 'id') return compareId(comparison, columns);
  if (field === 'tag') return compareTags(comparison, columns);
  if (isNumber(field)) return compareNumber(columns.numbers(field), numbersOf(comparison, field), comparison, columns);
  const column = columns.texts(field);
  if (!column) return columns.byIndex(comparison);
  const { count, within } = column.having(chosenIn(column, comparison));
  return exactly(count, within);
}

function isNumber(field: MemoryField): field is NumberField | TimeField {
  return NUMBERS.has(field) || TIMES.has(field);
}

/** The values of a column that pass: equal ones are looked up. */
function chosenIn<V>(column: ValueColumn<V>, comparison: Comparison): Uint8Array | undefined {
  const { operator, ignoreCase, values } = comparison;
  if ((operator === 'equals' || operator === 'in') && !ignoreCase) {
    return column.chooseOnly(values.filter((value) => typeof value !== 'object') as V[]);
  }
  return column.choose((value) => passesComparison(value, comparison));
}

function compareId(comparison: Comparison, columns: PlanColumns): Plan {
  const { operator, values, ignoreCase } = comparison;
  if (operator === 'exists') return always(columns.size);
  if ((operator !== 'equals' && operator !== 'in') || ignoreCase) return columns.byIndex(comparison);
  const sequences = values.flatMap((id) => (typeof id === 'string' ? (columns.sequenceOf(id) ?? []) : []));
  return exactly(sequences.length, (within) => {
    const found = within.emptied();
    for (const sequence of sequences) if (within.has(sequence)) found.add(sequence);
    return found;
  });
}

function compareTags(comparison: Comparison, columns: PlanColumns): Plan {
  const column = columns.tags();
  if (!column) return columns.byIndex(comparison);
  const passing = column.having(chosenIn(column, comparison));
  const isWhole = comparison.values.some((value) => typeof value === 'object' && isJsonValue(value));
  if (!isWhole) return exactly(passing.count, passing.within);
  // A comparison with an array is one of all tags in their order, which the column does not have.
  const tagged = column.having(column.choose(() => true));
  return {
    count: tagged.count,
    sides: (within) => ({ may: tagged.within(within), must: passing.within(within) }),
  };
}

function numbersOf({ values }: Comparison, field: MemoryField): number[] {
  const isTime = TIMES.has(field);
  return values.flatMap((value) => {
    // All numbers of fields are within ±2^53: a bigint, rounded, is still beyond them.
    if (typeof value === 'number' || typeof value === 'bigint') return isTime ? [] : [Number(value)];
    return isTime && typeof value === 'object' && !isJsonValue(value) ? [value.timeUs] : [];
  });
}

function compareNumber(
  values: Float64Array | undefined,
  numbers: readonly number[],
  comparison: Comparison,
  { size, byIndex }: PlanColumns,
): Plan {
  const { operator } = comparison;
  if (!values) return byIndex(comparison);
  const ranges =
    operator === 'exists' ? [FINITE] : numbers.flatMap((number) => rangeOf(operator, number) ?? []).map(finite);
  if (ranges.length === 0) return NEVER;
  const isRange = ranges.some(({ low, high }) => low !== high);
  const count = isRange ? size * RANGE_SHARE : Math.min(size, ranges.length);
  return exactly(count, (within) => inRanges(values, ranges, within));
}

const FINITE: NumberRange = { low: -Number.MAX_VALUE, high: Number.MAX_VALUE };

/** Fields have finite values: in columns of ranking an infinity stands for none. */
function finite({ low, high }: NumberRange): NumberRange {
  return { low: Math.max(low, FINITE.low), high: Math.min(high, FINITE.high) };
}
