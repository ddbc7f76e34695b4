import { passesComparison } from '../../memory/evaluate-filter.ts';
import { type Comparison, type FilterValue, isJsonValue, type JsonValue, type Scalar } from '../../memory/filter.ts';
import { isIndex } from '../../memory/json-values.ts';
import { type ContentValue, firstCharacters, leavesOf, pathKey, VALUE_LIMITS } from '../../memory/values.ts';
import type { Bits } from './bits.ts';
import type { PathColumn } from './filter-column.ts';
import { type Plan, type Sides, unknown } from './filter-plan.ts';
import { ANY_NUMBER, inRanges, type NumberRange, rangeOf } from './number-column.ts';

/** What plans need of the contents of a namespace. */
export interface PlanPaths {
  /** Number of memories. */
  readonly size: number;
  /** Memories whose values are not all indexed. */
  partial(): Bits;
  /** `undefined` while it is not read; `null` where no content has the path. */
  path(path: string): PathColumn | null | undefined;
  /** The longer paths that begin with one; `undefined` when there are too many. */
  pathsIn(path: readonly string[]): readonly string[] | undefined;
  /** What an index of the store knows about a comparison that no column decides. */
  byIndex(comparison: Comparison): Plan;
}

/** Each part that may be an index doubles the paths to search; above this number the filter is not narrowed. */
const INDEX_PARTS_MAX = 4;
/** Maximum values of an array or object that are searched, as each is a search of its own. */
const LEAVES_MAX = 4;
/** Share of the memories that a path is assumed to leave. */
const PATH_SHARE = 1 / 8;

type Value = ContentValue['value'];

/**
 * The comparison of a path of JSON content. A memory with values missing from the index may always satisfy it. The
 * index does not hold positions in arrays, so a path with an index is searched with and without it.
 */
export function comparePath(path: readonly string[], comparison: Comparison, paths: PlanPaths): Plan {
  const indexParts = path.filter(isIndex).length;
  if (indexParts > INDEX_PARTS_MAX) return unknown(paths.size);
  const stems = variantsOf(path);
  const isWhole = (value: FilterValue): value is JsonValue => typeof value === 'object' && isJsonValue(value);
  const bare = comparison.values.filter((value): value is Scalar => !isWhole(value));
  const wholes = comparison.values.filter(isWhole).map((whole) => wholePart(stems, comparison, whole, paths));
  const columns = columnsAt(stems, comparison.operator === 'exists', paths);
  const partial = paths.partial();
  if (!columns || wholes.includes(undefined)) return paths.byIndex(comparison);
  const select = selectionOf({ ...comparison, values: bare });
  return {
    count: paths.size * PATH_SHARE,
    sides(within) {
      let { may, must } = sidesIn(columns, select, within);
      if (indexParts > 0) must = within.emptied();
      for (const whole of wholes) if (whole) may = may.or(whole(within));
      const isOpen = partial.words.some((word, at) => (word & (within.words[at] ?? 0)) !== 0);
      return isOpen ? { may: may.or(partial.sized(within.words.length << 5).and(within)), must } : { may, must };
    },
  };
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

/** The columns of the paths that contents have; `undefined` while some are not read. */
function columnsAt(stems: readonly string[][], withInner: boolean, paths: PlanPaths): PathColumn[] | undefined {
  const keys = new Set<string>();
  for (const stem of stems) {
    keys.add(pathKey(stem));
    const inner = withInner ? paths.pathsIn(stem) : [];
    if (!inner) return undefined;
    for (const key of inner) keys.add(key);
  }
  const columns: PathColumn[] = [];
  for (const key of keys) {
    const column = paths.path(key);
    if (column === undefined) return undefined;
    if (column) columns.push(column);
  }
  return columns;
}

type Select = (column: PathColumn, within: Bits) => Sides;

/** Memories with such a value in one of the columns. */
function sidesIn(columns: readonly PathColumn[], select: Select, within: Bits): Sides {
  const empty = within.emptied();
  let sides: Sides = { may: empty, must: empty };
  for (const column of columns) sides = either(sides, select(column, within));
  return sides;
}

function either(one: Sides, other: Sides): Sides {
  const may = one.may.or(other.may);
  const isExact = one.may === one.must && other.may === other.must;
  return { may, must: isExact ? may : one.must.or(other.must) };
}

/** Memories that have each value of an array or object below the path, as a container has. */
function wholePart(
  stems: readonly string[][],
  { operator, ignoreCase }: Comparison,
  { json }: JsonValue,
  paths: PlanPaths,
): ((within: Bits) => Bits) | undefined {
  const parts: ((within: Bits) => Bits)[] = [];
  for (const { path, value } of leavesOf(json, LEAVES_MAX)) {
    // The container of an empty array or object need not be empty.
    const isAny = value === undefined && operator === 'contains';
    const inner = stems.map((stem) => [...stem, ...path]);
    const columns = columnsAt(inner, isAny, paths);
    if (!columns) return undefined;
    const isAnyText = typeof value === 'string' && ignoreCase;
    const select = withValues(
      isAny ? () => 'yes' : isAnyText ? (other) => (typeof other === 'string' ? 'yes' : 'no') : { only: [value] },
      isAny ? [ANY_NUMBER] : typeof value === 'number' ? [{ low: value, high: value }] : [],
    );
    parts.push((within) => sidesIn(columns, select, within).may);
  }
  return (within) => parts.reduce((left, part) => part(left), within);
}

/** Whether a value satisfies a comparison, as far as the index has the value. */
type Verdict = 'yes' | 'no' | 'maybe';

/** Memories with a value that a test accepts, or with a number in the ranges. */
function withValues(
  test: ((value: Value) => Verdict) | { readonly only: readonly Value[] },
  ranges: readonly NumberRange[],
): Select {
  return ({ values, numbers }, within) => {
    let isSure = true;
    const may =
      typeof test === 'object'
        ? values.chooseOnly(test.only)
        : values.choose((value) => {
            const verdict = test(value);
            if (verdict === 'maybe') isSure = false;
            return verdict !== 'no';
          });
    const found = values.having(may).within(within);
    const must =
      isSure || typeof test === 'object'
        ? found
        : values.having(values.choose((value) => test(value) === 'yes')).within(within);
    if (ranges.length === 0) return { may: found, must };
    const numbered = inRanges(numbers.values, ranges, within);
    return either({ may: found, must }, { may: numbered, must: numbered });
  };
}

/** The values that satisfy a comparison with values that are no arrays or objects. */
function selectionOf(comparison: Comparison): Select {
  const { operator, ignoreCase, values } = comparison;
  if (operator === 'exists') return withValues(() => 'yes', [ANY_NUMBER]);
  // The numbers of the column are within ±2^53: a bigint, rounded, is still beyond them.
  const ranges = values.flatMap((value) =>
    typeof value === 'number' || typeof value === 'bigint' ? (rangeOf(operator, Number(value)) ?? []) : [],
  );
  if (operator === 'contains') return elementsOf(comparison);
  const isEquality = operator === 'equals' || operator === 'in';
  const texts = values.filter((value) => typeof value === 'string');
  if (isEquality && !ignoreCase && !texts.some(isCut)) {
    return withValues({ only: values.filter((value) => typeof value !== 'object') }, ranges);
  }
  return withValues((value) => verdictOn(value, comparison), ranges);
}

/** An array contains a number or truth value that is one of its elements; a number alone contains nothing. */
function elementsOf(comparison: Comparison): Select {
  const { values } = comparison;
  const found = withValues((value) => {
    const isElement = typeof value !== 'string' && value !== undefined && values.includes(value as Scalar);
    return isElement ? 'maybe' : verdictOn(value, comparison);
  }, []);
  const ranges = values.flatMap((value) => (typeof value === 'number' ? [{ low: value, high: value }] : []));
  if (ranges.length === 0) return found;
  return (column, within) => {
    const sides = found(column, within);
    return { may: sides.may.or(inRanges(column.numbers.values, ranges, within)), must: sides.must };
  };
}

function verdictOn(value: Value, comparison: Comparison): Verdict {
  // Of an empty array or object.
  if (value === undefined) return 'no';
  if (typeof value === 'string' && isCut(value)) return verdictOnCut(value, comparison);
  return passesComparison(value, comparison) ? 'yes' : 'no';
}

/** Whether a text that is indexed may be the beginning of a longer one. */
function isCut(text: string): boolean {
  return text.length >= VALUE_LIMITS.textCharacters && firstCharacters(text, VALUE_LIMITS.textCharacters - 1) !== text;
}

/** Of a text of which the rest may be unknown. */
function verdictOnCut(beginning: string, comparison: Comparison): Verdict {
  const { operator, ignoreCase, values } = comparison;
  const texts = values.filter((value) => typeof value === 'string');
  if (ignoreCase || operator === 'matches') return texts.length > 0 ? 'maybe' : 'no';
  const verdicts = texts.map((text): Verdict => {
    const isDecided = !text.startsWith(beginning);
    if (operator === 'contains') return beginning.includes(text) ? 'yes' : 'maybe';
    if (operator === 'starts_with') return beginning.startsWith(text) ? 'yes' : isDecided ? 'no' : 'maybe';
    if (!isDecided) return 'maybe';
    return passesComparison(beginning, { ...comparison, values: [text] }) ? 'yes' : 'no';
  });
  return verdicts.includes('yes') ? 'yes' : verdicts.includes('maybe') ? 'maybe' : 'no';
}
