import { type RawBuilder, type SqlBool, sql } from '#kysely';
import { type Comparison, type FilterValue, isJsonValue, type JsonValue, type Scalar } from '../../memory/filter.ts';
import { isIndex } from '../../memory/json-values.ts';
import { leavesOf, pathKey, pathStem } from '../../memory/values.ts';
import { compareValues } from './compare-values.ts';
import { type Narrowing, UNKNOWN } from './narrowing.ts';
import { ANY_TEXT, ANY_VALUE, oneValue, type TermRange } from './value-terms.ts';

/** Each part that may be an index doubles the paths to look under; with more of them nothing is narrowed. */
const INDEX_PARTS_MAX = 4;

/** Values of an array or object that are looked for, as each is a search of its own. */
const LEAVES_MAX = 4;

/**
 * The comparison of a path of JSON content as a condition on the values kept beside the contents. A memory of which not
 * all values are kept may always be meant. Of arrays the values do not tell where in them they were, so a path with an
 * index is looked for with and without it.
 */
export function narrowPath(path: readonly string[], comparison: Comparison, namespaceKey: number): Narrowing {
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

/** Row keys of memories that have each value of an array or object below the path, as what contains it has. */
function narrowWhole(
  stems: readonly string[][],
  { operator, ignoreCase }: Comparison,
  { json }: JsonValue,
  namespaceKey: number,
): RawBuilder<unknown> {
  const found = leavesOf(json, LEAVES_MAX).map(({ path, value }) => {
    const paths = stems.map((stem) => [...stem, ...path]);
    // What contains an empty array or object need not be empty.
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

/** Row keys of memories that have a value in one of the ranges at one of the paths; each may come more than once. */
function memoriesWith(ranges: readonly TermRange[], isPath: RawBuilder<SqlBool>): RawBuilder<unknown> {
  if (ranges.length === 0) return sql`SELECT 0 WHERE 0`;
  const bounds = ranges.map(({ low, high }) => sql`(${low}, ${high})`);
  return sql`SELECT term.doc FROM value_path CROSS JOIN (VALUES ${sql.join(bounds)}) AS range
    CROSS JOIN memory_value_terms AS term
      ON term.term >= ${PREFIX} || range.column1 AND term.term < ${PREFIX} || range.column2
    WHERE ${isPath}`;
}

/** As `pathPrefix` makes it. */
const PREFIX = sql`(value_path.namespace_key || '_' || value_path.key || '_')`;

/** Paths of values that the comparison may be about; that a value exists is told by anything below it, too. */
function matchingPaths(paths: readonly string[][], withInner: boolean): RawBuilder<SqlBool> {
  const conditions = paths.map((variant): RawBuilder<SqlBool> => {
    const stem = pathStem(variant);
    // Of all texts that start with the stem, which ends in a comma: the next ASCII character after that is a hyphen.
    const end = `${stem.slice(0, -1)}-`;
    const isPath = sql<SqlBool>`value_path.path = ${pathKey(variant)}`;
    if (!withInner) return isPath;
    if (variant.length === 0) return sql`1`;
    return sql`(${isPath} OR (value_path.path >= ${stem} AND value_path.path < ${end}))`;
  });
  return sql`(${sql.join(conditions, sql` OR `)})`;
}

/** The path with and without each part that may be an index. */
function variantsOf(path: readonly string[]): string[][] {
  let variants: string[][] = [[]];
  for (const part of path) {
    const without = isIndex(part) ? variants : [];
    variants = [...without, ...variants.map((variant) => [...variant, part])];
  }
  return variants;
}
