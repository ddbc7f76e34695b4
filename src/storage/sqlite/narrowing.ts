import { type RawBuilder, type SqlBool, sql } from '#kysely';
import { passesComparison } from '../../memory/evaluate-filter.ts';
import {
  type Area,
  type Comparison,
  EARTH_RADIUS_M,
  type FilterValue,
  isJsonValue,
  type MemoryField,
  type NumberField,
  type Operator,
  type TextField,
  type TimeField,
} from '../../memory/filter.ts';
import { TIERS } from '../../memory/memory.ts';
import { afterPrefix } from '../../memory/values.ts';
import { tierNumber } from './rows.ts';
import type { MemoryTable } from './schema.ts';

/** A condition on rows of `memory`, named `memory`; true or false, never NULL, so that it can be negated. */
type Condition = RawBuilder<SqlBool>;

/**
 * A filter as SQL conditions, as far as possible, from both sides. Where both are the same object, the condition equals
 * the filter.
 */
export interface Narrowing {
  /** True of every memory that the filter admits; `undefined` without such a condition. */
  readonly may: Condition | undefined;
  /** True only of memories that the filter admits; `undefined` without such a condition. */
  readonly must: Condition | undefined;
}

function exactly(condition: Condition): Narrowing {
  return { may: condition, must: condition };
}

function atMost(condition: Condition): Narrowing {
  return { may: condition, must: undefined };
}

export function isExact({ may, must }: Narrowing): boolean {
  return may !== undefined && may === must;
}

const NEVER: Narrowing = exactly(sql`0`);
export const ALWAYS: Narrowing = exactly(sql`1`);
export const UNKNOWN: Narrowing = { may: undefined, must: undefined };

/** Conjunction of all parts. */
export function bothOf(parts: readonly Narrowing[]): Narrowing {
  if (parts.length > 0 && parts.every(isExact)) return exactly(joined(mays(parts), sql` AND `));
  const isMustKnown = parts.every(({ must }) => must !== undefined);
  return {
    may: mays(parts).length > 0 ? joined(mays(parts), sql` AND `) : undefined,
    must: isMustKnown ? joined(musts(parts), sql` AND `) : undefined,
  };
}

/** Disjunction of all parts. */
export function eitherOf(parts: readonly Narrowing[]): Narrowing {
  if (parts.length === 0) return NEVER;
  if (parts.every(isExact)) return exactly(joined(mays(parts), sql` OR `));
  const isMayKnown = parts.every(({ may }) => may !== undefined);
  return {
    may: isMayKnown ? joined(mays(parts), sql` OR `) : undefined,
    must: musts(parts).length > 0 ? joined(musts(parts), sql` OR `) : undefined,
  };
}

export function noneOf(part: Narrowing): Narrowing {
  const { may, must } = part;
  if (may && isExact(part)) return exactly(negated(may));
  return { may: must && negated(must), must: may && negated(may) };
}

function mays(parts: readonly Narrowing[]): Condition[] {
  return parts.map(({ may }) => may).filter((condition) => condition !== undefined);
}

function musts(parts: readonly Narrowing[]): Condition[] {
  return parts.map(({ must }) => must).filter((condition) => condition !== undefined);
}

/** Combines halves recursively, because SQLite limits the depth of an expression. */
function joined(conditions: readonly Condition[], separator: RawBuilder<unknown>): Condition {
  const [only] = conditions;
  if (only && conditions.length === 1) return only;
  const middle = conditions.length >> 1;
  const first = joined(conditions.slice(0, middle), separator);
  return sql`(${first}${separator}${joined(conditions.slice(middle), separator)})`;
}

function negated(condition: Condition): Condition {
  return sql`NOT (${condition})`;
}

type ColumnName = keyof MemoryTable;

/** Text fields with a column of `memory`, and whether '' in the column means an unset field. */
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

/** The comparison of a field as a condition; unknown for fields of the wide row, which are not indexed. */
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
  // All numbers of fields are within ±2^53: a bigint, rounded, is still beyond them.
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
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
  // A comparison of tags is of the whole array.
  if (comparison.values.some((value) => typeof value === 'object' && isJsonValue(value))) return atMost(hasTag);
  const compared = eitherOf(comparison.values.map((value) => compareText(tag, comparison, value)));
  if (!isExact(compared)) return atMost(hasTag);
  return exactly(sql`memory.pk IN (${tags} AND ${compared.may})`);
}

type Column = RawBuilder<unknown>;

/**
 * The comparison of a text column, which must not be NULL, with a text. SQLite compares the bytes of UTF-8, which gives
 * the order of code points. `undefined` for operators without an index.
 */
function compareTextColumn(column: Column, operator: Operator, text: string): RawBuilder<SqlBool> | undefined {
  switch (operator) {
    case 'equals':
    case 'in':
      return sql`${column} = ${text}`;
    case 'less':
      return sql`${column} < ${text}`;
    case 'less_or_equal':
      return sql`${column} <= ${text}`;
    case 'greater':
      return sql`${column} > ${text}`;
    case 'greater_or_equal':
      return sql`${column} >= ${text}`;
    case 'starts_with': {
      const end = afterPrefix(text);
      return end === undefined ? sql`${column} >= ${text}` : sql`(${column} >= ${text} AND ${column} < ${end})`;
    }
    default:
      return undefined;
  }
}

/** The comparison of a number column with a number; operators of texts match no number. */
function compareNumberColumn(column: Column, operator: Operator, number: number): RawBuilder<SqlBool> {
  switch (operator) {
    case 'equals':
    case 'in':
      return sql`${column} = ${number}`;
    case 'less':
      return sql`${column} < ${number}`;
    case 'less_or_equal':
      return sql`${column} <= ${number}`;
    case 'greater':
      return sql`${column} > ${number}`;
    case 'greater_or_equal':
      return sql`${column} >= ${number}`;
    default:
      return sql`0`;
  }
}

const DEGREES = 180 / Math.PI;
/** Margin of boxes around circles, against rounding errors. */
const SLACK_DEG = 1e-6;
const SLACK = 1e-9;

/** A box around the area, within the indexed coordinates. */
export function narrowArea(area: Area): Narrowing {
  switch (area.kind) {
    case 'point_radius': {
      const { center, radius } = area;
      const reach = radius + SLACK * (1 + radius + Math.abs(center.x) + Math.abs(center.y));
      return inBox('x', 'y', [center.x - reach, center.x + reach], [between('y', center.y - reach, center.y + reach)]);
    }
    case 'point_box':
      return inBox('x', 'y', [area.low.x, area.high.x], [between('y', area.low.y, area.high.y)]);
    case 'geo_radius': {
      const { latitudeDeg, longitudeDeg } = area.center;
      const reachDeg = (area.radiusM / EARTH_RADIUS_M) * DEGREES + SLACK_DEG;
      const latitudes: Range = [latitudeDeg - reachDeg, latitudeDeg + reachDeg];
      return inBox('latitude', 'longitude', latitudes, longitudesAround(longitudeDeg, latitudeDeg, reachDeg));
    }
    case 'geo_box': {
      const { southWest, northEast } = area;
      const latitudes: Range = [southWest.latitudeDeg, northEast.latitudeDeg];
      return inBox(
        'latitude',
        'longitude',
        latitudes,
        longitudesBetween(southWest.longitudeDeg, northEast.longitudeDeg),
      );
    }
  }
}

type Range = readonly [low: number, high: number];

/**
 * Within one range of the first coordinate and one of several ranges of the second; no range of the second means any
 * value.
 */
function inBox(first: string, second: string, range: Range, seconds: readonly Condition[]): Narrowing {
  const isThere = sql<SqlBool>`${column(first)} IS NOT NULL AND ${column(second)} IS NOT NULL`;
  const inRange = sql<SqlBool>`${isThere} AND ${between(first, ...range)}`;
  if (seconds.length === 0) return atMost(sql`(${inRange})`);
  return atMost(sql`(${inRange} AND (${sql.join(seconds, sql` OR `)}))`);
}

/** Ranges of meridians in a circle; all meridians when it comes near a pole. */
function longitudesAround(longitudeDeg: number, latitudeDeg: number, reachDeg: number): Condition[] {
  if (Math.abs(latitudeDeg) + reachDeg >= 90 - SLACK_DEG) return [];
  const sine = Math.sin(reachDeg / DEGREES) / Math.cos(latitudeDeg / DEGREES);
  const reach = Math.asin(Math.min(1, sine)) * DEGREES + SLACK_DEG;
  const west = longitudeDeg - reach;
  const east = longitudeDeg + reach;
  if (reach >= 180) return [];
  return longitudesBetween(west < -180 ? west + 360 : west, east > 180 ? east - 360 : east);
}

/** From one meridian eastwards to another; 180 degrees east and west are the same meridian. */
function longitudesBetween(west: number, east: number): Condition[] {
  const opposite = sql<SqlBool>`${column('longitude')} IN (180, -180)`;
  if (west <= east) return [between('longitude', west, east), opposite];
  return [sql`${column('longitude')} >= ${west}`, sql`${column('longitude')} <= ${east}`];
}

function between(name: string, low: number, high: number): Condition {
  return sql`${column(name)} BETWEEN ${low} AND ${high}`;
}

function column(name: string): RawBuilder<unknown> {
  return sql.ref(`memory.${name}`);
}
