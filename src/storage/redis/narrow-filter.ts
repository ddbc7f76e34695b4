import { passesComparison } from '../../memory/evaluate-filter.ts';
import {
  type Area,
  type Comparison,
  EARTH_RADIUS_M,
  type Filter,
  type FilterValue,
  isJsonValue,
} from '../../memory/filter.ts';
import { isIndex } from '../../memory/json-values.ts';
import { TIERS } from '../../memory/memory.ts';
import { firstCharacters, leavesOf, pathKey, VALUE_LIMITS } from '../../memory/values.ts';
import { type IndexedTextField, PARTIAL, TEXT_FIELDS, textIndex, tierIndex, valueIndex } from './entry-indexes.ts';

/** A part of an index: the whole of a set, or the scores from `low` to `high` of a sorted set. */
export interface Slice {
  readonly index: string;
  readonly low?: string;
  readonly high?: string;
}

/** Slices that together hold every memory that a filter may admit, and others besides. None at all: it admits none. */
export type Candidates = readonly Slice[];

/**
 * The ways in which indexes narrow a filter down: each of them is enough, so that the smallest can be taken. No way: any
 * memory may be admitted.
 */
export function narrowed(filter: Filter): Candidates[] {
  switch (filter.kind) {
    case 'all':
      return filter.filters.flatMap(narrowed);
    case 'any': {
      const parts = filter.filters.map((part) => narrowed(part)[0]);
      return parts.every((part) => part !== undefined) ? [parts.flat()] : [];
    }
    case 'not':
      return [];
    case 'place':
      return narrowedArea(filter.area);
    case 'comparison':
      return narrowedComparison(filter);
  }
}

const NUMBER_INDEXES: Readonly<Record<string, string>> = {
  step: 'o:step',
  importance: 'o:importance',
  create_time: 'o:created',
  event_time: 'o:event',
  expire_time: 'o:expires',
};

function narrowedComparison(comparison: Comparison): Candidates[] {
  const { target, operator } = comparison;
  if (operator === 'is_null') return target.kind === 'field' ? [[]] : [];
  if (target.kind === 'path') return narrowedPath(target.path, comparison);
  const index = NUMBER_INDEXES[target.field];
  if (index !== undefined) return narrowedNumber(index, comparison);
  if (target.field === 'tier') return narrowedTier(comparison);
  const isText = target.field === 'tag' || target.field in TEXT_FIELDS;
  if (!isText || comparison.ignoreCase || !isEquality(comparison)) return [];
  // Tags are compared with an array as a whole.
  if (comparison.values.some((value) => typeof value === 'object' && isJsonValue(value))) return [];
  const texts = comparison.values.filter((value) => typeof value === 'string');
  return [texts.map((text) => ({ index: textIndex(target.field as IndexedTextField, text) }))];
}

/** A tier has its members by the time they came to it: all of them are meant. */
function narrowedTier(comparison: Comparison): Candidates[] {
  const tiers = TIERS.filter((tier) => passesComparison(tier, comparison));
  return [tiers.map((tier) => ({ index: tierIndex(tier), low: '-inf', high: '+inf' }))];
}

function isEquality({ operator }: Comparison): boolean {
  return operator === 'equals' || operator === 'in';
}

function narrowedNumber(index: string, { operator, values }: Comparison): Candidates[] {
  if (operator === 'exists') return [[{ index, low: '-inf', high: '+inf' }]];
  return [values.flatMap((value) => sliceOf(index, operator, value) ?? [])];
}

/** Times have another type than numbers, and each field admits one of them: a slice too many does no harm. */
function sliceOf(index: string, operator: Comparison['operator'], value: FilterValue): Slice | undefined {
  const number = typeof value !== 'object' ? value : isJsonValue(value) ? undefined : value.timeUs;
  if (typeof number !== 'number') return undefined;
  switch (operator) {
    case 'equals':
    case 'in':
      return { index, low: `${number}`, high: `${number}` };
    case 'less':
    case 'less_or_equal':
      return { index, low: '-inf', high: `${number}` };
    case 'greater':
    case 'greater_or_equal':
      return { index, low: `${number}`, high: '+inf' };
    default:
      return undefined;
  }
}

function narrowedPath(path: readonly string[], comparison: Comparison): Candidates[] {
  // Values do not tell where in an array they were.
  if (comparison.ignoreCase || path.some(isIndex)) return [];
  const slices = comparison.values.map((value) => valueSlice(path, comparison, value));
  if (slices.length === 0 || !slices.every((slice) => slice !== undefined)) return [];
  return [[...slices.flat(), { index: PARTIAL }]];
}

/** Memories with a value that satisfies the comparison; `undefined` where no index tells. */
function valueSlice(
  path: readonly string[],
  { operator }: Comparison,
  value: FilterValue,
): readonly Slice[] | undefined {
  const isContainment = operator === 'contains';
  if (!isContainment && operator !== 'equals' && operator !== 'in') return undefined;
  if (typeof value !== 'object') {
    if (isContainment && typeof value === 'string') return undefined;
    const kept = typeof value === 'string' ? firstCharacters(value, VALUE_LIMITS.textCharacters) : value;
    return [{ index: valueIndex(pathKey(path), kept) }];
  }
  if (!isJsonValue(value)) return [];
  // What is equal to an array or object, or contains it, has each of its values; what contains an empty one may have any.
  const leaf = leavesOf(value.json, 8).find((one) => one.value !== undefined || !isContainment);
  return leaf && [{ index: valueIndex(pathKey([...path, ...leaf.path]), leaf.value) }];
}

function narrowedArea(area: Area): Candidates[] {
  const between = (index: string, low: number, high: number): Candidates => [{ index, low: `${low}`, high: `${high}` }];
  switch (area.kind) {
    case 'point_box':
      return [between('o:x', area.low.x, area.high.x), between('o:y', area.low.y, area.high.y)];
    case 'point_radius': {
      const { center, radius } = area;
      // A little more than the radius: the evaluator rounds in another order.
      const reach = radius * (1 + 1e-9) + Math.max(Math.abs(center.x), Math.abs(center.y)) * 1e-12;
      return [between('o:x', center.x - reach, center.x + reach), between('o:y', center.y - reach, center.y + reach)];
    }
    case 'geo_box':
      return [between('o:latitude', area.southWest.latitudeDeg, area.northEast.latitudeDeg)];
    case 'geo_radius': {
      const reach = ((area.radiusM / EARTH_RADIUS_M) * 180) / Math.PI + 1e-6;
      return [between('o:latitude', area.center.latitudeDeg - reach, area.center.latitudeDeg + reach)];
    }
  }
}
