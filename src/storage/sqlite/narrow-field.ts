import { type RawBuilder, type SqlBool, sql } from '#kysely';
import { passesComparison } from '../../memory/evaluate-filter.ts';
import {
  type Comparison,
  type FilterValue,
  isJsonValue,
  type MemoryField,
  type NumberField,
  type TextField,
  type TimeField,
} from '../../memory/filter.ts';
import { TIERS } from '../../memory/memory.ts';
import { compareNumberColumn, compareTextColumn } from './compare-column.ts';
import { ALWAYS, atMost, bothOf, eitherOf, exactly, isExact, type Narrowing, NEVER, UNKNOWN } from './narrowing.ts';
import { tierNumber } from './rows.ts';
import type { MemoryTable } from './schema.ts';

type ColumnName = keyof MemoryTable;

/** Text fields with a column of `memory`, and whether '' in it means that the field is not set. */
const TEXT_COLUMNS: { readonly [F in TextField]?: { readonly column: ColumnName; readonly emptyIsUnset: boolean } } = {
  id: { column: 'id', emptyIsUnset: false },
  type: { column: 'type', emptyIsUnset: false },
  project: { column: 'project', emptyIsUnset: true },
  agent_type: { column: 'agent_type', emptyIsUnset: true },
  agent: { column: 'agent', emptyIsUnset: true },
  session: { column: 'session', emptyIsUnset: true },
  speaker: { column: 'speaker', emptyIsUnset: true },
  location: { column: 'location', emptyIsUnset: true },
  room: { column: 'room', emptyIsUnset: true },
  region: { column: 'region', emptyIsUnset: true },
  superseded_by: { column: 'superseded_by', emptyIsUnset: true },
};
const NUMBER_COLUMNS: { readonly [F in NumberField]: ColumnName } = {
  step: 'step',
  importance: 'importance',
  priority: 'priority',
  retrieval_count: 'retrieval_count',
  revision: 'revision',
};
const TIME_COLUMNS: { readonly [F in TimeField]: ColumnName } = {
  event_time: 'event_at_us',
  create_time: 'created_at_us',
  update_time: 'updated_at_us',
  last_access_time: 'last_accessed_at_us',
  expire_time: 'expires_at_us',
  valid_from: 'valid_from_us',
  valid_until: 'valid_until_us',
};

/** The comparison of a field as a condition; unknown for fields of the wide row, which no index has. */
export function narrowField(field: MemoryField, comparison: Comparison, namespaceKey: number): Narrowing {
  if (comparison.operator === 'is_null') return NEVER;
  if (field === 'tier') return narrowTier(comparison);
  if (field === 'tag') return narrowTag(comparison, namespaceKey);
  if (field in NUMBER_COLUMNS) {
    return narrowNumber(columnOf(NUMBER_COLUMNS[field as NumberField]), comparison, asNumber);
  }
  if (field in TIME_COLUMNS) return narrowNumber(columnOf(TIME_COLUMNS[field as TimeField]), comparison, asTime);
  const text = TEXT_COLUMNS[field as TextField];
  return text ? narrowText(columnOf(text.column), text.emptyIsUnset, comparison) : UNKNOWN;
}

function columnOf(name: ColumnName): RawBuilder<unknown> {
  return sql.ref(`memory.${name}`);
}

function narrowText(column: RawBuilder<unknown>, emptyIsUnset: boolean, comparison: Comparison): Narrowing {
  const isSet = emptyIsUnset ? exactly(sql`${column} <> ''`) : ALWAYS;
  if (comparison.operator === 'exists') return isSet;
  const compared = eitherOf(comparison.values.map((value) => compareText(column, comparison, value)));
  return emptyIsUnset ? bothOf([compared, isSet]) : compared;
}

function compareText(column: RawBuilder<unknown>, comparison: Comparison, value: FilterValue): Narrowing {
  if (typeof value !== 'string') return NEVER;
  const condition = comparison.ignoreCase ? undefined : compareTextColumn(column, comparison.operator, value);
  return condition ? exactly(condition) : UNKNOWN;
}

function narrowNumber(
  column: RawBuilder<unknown>,
  { operator, values }: Comparison,
  numberOf: (value: FilterValue) => number | undefined,
): Narrowing {
  const isSet = exactly(sql`${column} IS NOT NULL`);
  if (operator === 'exists') return isSet;
  const numbers = values.map(numberOf).filter((number) => number !== undefined);
  const compared = eitherOf(numbers.map((number) => exactly(compareNumberColumn(column, operator, number))));
  return bothOf([compared, isSet]);
}

function asNumber(value: FilterValue): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function asTime(value: FilterValue): number | undefined {
  return typeof value === 'object' && !isJsonValue(value) ? value.timeUs : undefined;
}

function narrowTier(comparison: Comparison): Narrowing {
  const passing = TIERS.filter((tier) => passesComparison(tier, comparison)).map(tierNumber);
  return passing.length === 0 ? NEVER : exactly(sql`memory.tier IN (${sql.join(passing)})`);
}

function narrowTag(comparison: Comparison, namespaceKey: number): Narrowing {
  const tag = sql`memory_tag.tag`;
  const tags = sql`SELECT memory_tag.pk FROM memory_tag WHERE memory_tag.namespace_key = ${namespaceKey}`;
  const hasTag = sql<SqlBool>`memory.pk IN (${tags})`;
  if (comparison.operator === 'exists') return exactly(hasTag);
  // Tags are compared with an array as a whole.
  if (comparison.values.some((value) => typeof value === 'object' && isJsonValue(value))) return atMost(hasTag);
  const compared = eitherOf(comparison.values.map((value) => compareText(tag, comparison, value)));
  if (!isExact(compared)) return atMost(hasTag);
  return exactly(sql`memory.pk IN (${tags} AND ${compared.may})`);
}
