import { type RawBuilder, type SqlBool, sql } from '#kysely';
import { passesComparison } from '../../memory/evaluate-filter.ts';
import {
  type Comparison,
  type Filter,
  type FilterValue,
  isJsonValue,
  type JsonValue,
  type Operator,
  type Scalar,
} from '../../memory/filter.ts';
import { isIndex } from '../../memory/json-values.ts';
import { firstCharacters, leavesOf, pathKey, pathStem, VALUE_LIMITS } from '../../memory/values.ts';
import { prepareOnce, type SqliteDatabase } from './database.ts';
import { bothOf, eitherOf, type Narrowing, narrowArea, narrowField, noneOf, UNKNOWN } from './narrowing.ts';
import { isSettled } from './rows.ts';
import {
  ANY_TEXT,
  ANY_VALUE,
  greaterValues,
  lesserValues,
  oneValue,
  type TermRange,
  textsFrom,
} from './value-terms.ts';

/**
 * A filter as SQL conditions on the memories of a namespace, as far as possible; `admits` decides on the remaining
 * rows.
 */
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

/** Each part that may be an index doubles the paths to search; above this number the filter is not narrowed. */
const INDEX_PARTS_MAX = 4;

/** Maximum values of an array or object that are searched, as each is a search of its own. */
const LEAVES_MAX = 4;

/**
 * The comparison of a path of JSON content as a condition on the indexed values of contents. A memory with values
 * missing from the index is always a candidate. The index does not hold positions in arrays, so a path with an index is
 * searched with and without it.
 */
function narrowPath(path: readonly string[], comparison: Comparison, namespaceKey: number): Narrowing {
  const indexParts = path.filter(isIndex).length;
  if (indexParts > INDEX_PARTS_MAX) return UNKNOWN;
  const isWhole = (value: FilterValue): value is JsonValue => typeof value === 'object' && isJsonValue(value);
  const wholes = comparison.values.filter(isWhole);
  const bare = comparison.values.filter((value): value is Scalar => !isWhole(value));
  const { ranges, isExact } = compareValues(comparison, bare);
  const stems = variantsOf(path);
  const withInner = comparison.operator === 'exists';
  const values = memoriesWith(ranges, inNamespace(namespaceKey, stems, withInner));
  const whole = wholes.map((value) => narrowWhole(stems, comparison, value, namespaceKey));
  const partial = sql`SELECT partial.pk FROM memory AS partial
    WHERE partial.namespace_key = ${namespaceKey} AND partial.values_partial = 1`;
  return {
    may: sql`memory.pk IN (${sql.join([values, ...whole, partial], sql` UNION ALL `)})`,
    must: isExact && indexParts === 0 ? sql`memory.pk IN (${values})` : undefined,
  };
}

/** Row keys of memories that have each value of an array or object below the path, as a container has. */
function narrowWhole(
  stems: readonly string[][],
  { operator, ignoreCase }: Comparison,
  { json }: JsonValue,
  namespaceKey: number,
): RawBuilder<unknown> {
  const found = leavesOf(json, LEAVES_MAX).map(({ path, value }) => {
    const paths = stems.map((stem) => [...stem, ...path]);
    // The container of an empty array or object need not be empty.
    const isAny = value === undefined && operator === 'contains';
    const range = isAny ? ANY_VALUE : typeof value === 'string' && ignoreCase ? ANY_TEXT : oneValue(value);
    return memoriesWith([range], inNamespace(namespaceKey, paths, isAny));
  });
  return found.length === 0
    ? sql`SELECT every.pk FROM memory AS every WHERE every.namespace_key = ${namespaceKey}`
    : sql`SELECT * FROM (${sql.join(found, sql` INTERSECT `)})`;
}

function inNamespace(namespaceKey: number, paths: readonly string[][], withInner: boolean): RawBuilder<SqlBool> {
  return sql`value_path.namespace_key = ${namespaceKey} AND ${matchingPaths(paths, withInner)}`;
}

/** Row keys of memories with a value in one of the ranges at one of the paths; a key may appear more than once. */
function memoriesWith(ranges: readonly TermRange[], isPath: RawBuilder<SqlBool>): RawBuilder<unknown> {
  if (ranges.length === 0) return sql`SELECT 0 WHERE 0`;
  const bounds = ranges.map(({ low, high }) => sql`(${low}, ${high})`);
  return sql`SELECT term.doc FROM value_path CROSS JOIN (VALUES ${sql.join(bounds)}) AS range
    CROSS JOIN memory_value_terms AS term
      ON term.term >= ${PREFIX} || range.column1 AND term.term < ${PREFIX} || range.column2
    WHERE ${isPath}`;
}

/** Result of `pathPrefix`. */
const PREFIX = sql`(value_path.namespace_key || '_' || value_path.key || '_')`;

/** Paths whose values decide the comparison; a value exists where a value below its path does. */
function matchingPaths(paths: readonly string[][], withInner: boolean): RawBuilder<SqlBool> {
  const conditions = paths.map((variant): RawBuilder<SqlBool> => {
    const stem = pathStem(variant);
    // All terms that start with the stem, which ends in a comma: the next ASCII character after a comma is a hyphen.
    const end = `${stem.slice(0, -1)}-`;
    const isPath = sql<SqlBool>`value_path.path = ${pathKey(variant)}`;
    if (!withInner) return isPath;
    if (variant.length === 0) return sql`1`;
    return sql`(${isPath} OR (value_path.path >= ${stem} AND value_path.path < ${end}))`;
  });
  return sql`(${sql.join(conditions, sql` OR `)})`;
}

/** The path with and without each part that may be an array index. */
function variantsOf(path: readonly string[]): string[][] {
  let variants: string[][] = [[]];
  for (const part of path) {
    const without = isIndex(part) ? variants : [];
    variants = [...without, ...variants.map((variant) => [...variant, part])];
  }
  return variants;
}

/** Ranges of terms of a path whose values satisfy a comparison. */
export interface ValueRanges {
  readonly ranges: readonly TermRange[];
  /** True when all values in the ranges satisfy it. */
  readonly isExact: boolean;
}

/** `values`: the scalar values of the comparison. */
function compareValues(comparison: Comparison, values: readonly Scalar[]): ValueRanges {
  const { operator } = comparison;
  if (operator === 'exists') return exactly(ANY_VALUE);
  if (operator === 'is_null') return exactly(oneValue(null));
  const compared = values.map((value) => compareValue(comparison, value));
  return { ranges: compared.flatMap(({ ranges }) => ranges), isExact: compared.every(({ isExact }) => isExact) };
}

function compareValue(comparison: Comparison, value: Scalar): ValueRanges {
  switch (typeof value) {
    case 'string':
      return comparison.ignoreCase ? atMost(ANY_TEXT) : compareText(comparison.operator, value);
    case 'number':
    case 'bigint':
      if (comparison.operator === 'contains') return { ranges: [oneValue(value)], isExact: false };
      return ordered(comparison.operator, value) ?? NEVER;
    case 'boolean':
      if (comparison.operator === 'contains') return { ranges: [oneValue(value)], isExact: false };
      return exactly(
        ...[false, true].filter((truth) => passesComparison(truth, { ...comparison, values: [value] })).map(oneValue),
      );
    default:
      return NEVER;
  }
}

/** Indexed texts are truncated, so longer texts differ only up to the limit. */
function compareText(operator: Operator, text: string): ValueRanges {
  const cut = firstCharacters(text, VALUE_LIMITS.textCharacters - 1);
  const isWhole = cut.length === text.length;
  const kept = isWhole ? text : firstCharacters(text, VALUE_LIMITS.textCharacters);
  const asKept = (isWhole ? undefined : AS_FAR_AS_CUT[operator]) ?? operator;
  const compared = asKept === 'starts_with' ? exactly(textsFrom(kept)) : ordered(asKept, kept);
  return compared ? { ...compared, isExact: isWhole } : atMost(ANY_TEXT);
}

const AS_FAR_AS_CUT: { readonly [O in Operator]?: Operator } = {
  less: 'less_or_equal',
  greater: 'greater_or_equal',
};

/** `undefined` for operators that are independent of the order of values. */
function ordered(operator: Operator, value: string | number | bigint): ValueRanges | undefined {
  switch (operator) {
    case 'equals':
    case 'in':
      return exactly(oneValue(value));
    case 'less':
    case 'less_or_equal':
      return exactly(lesserValues(value, operator === 'less_or_equal'));
    case 'greater':
    case 'greater_or_equal':
      return exactly(greaterValues(value, operator === 'greater_or_equal'));
    default:
      return undefined;
  }
}

function exactly(...ranges: readonly TermRange[]): ValueRanges {
  return { ranges, isExact: true };
}

function atMost(range: TermRange): ValueRanges {
  return { ranges: [range], isExact: false };
}

const NEVER = exactly();

/**
 * Row keys that the filter may admit, or `undefined` when there are more than `limit` or the filter is not narrowed.
 */
export function narrowKeys(
  database: SqliteDatabase,
  namespaceKey: number,
  filter: Filter,
  limit: number,
): number[] | undefined {
  const { may } = narrowFilter(filter, namespaceKey);
  if (!may) return undefined;
  const query = sql<{ pk: number }>`
    SELECT memory.pk FROM memory WHERE memory.namespace_key = ${namespaceKey} AND ${isSettled} AND ${may} LIMIT ${limit + 1}`;
  const rows = prepareOnce(database, query).all({});
  return rows.length > limit ? undefined : rows.map(({ pk }) => pk);
}
