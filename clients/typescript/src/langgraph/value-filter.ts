import { isDeepStrictEqual } from 'node:util';
import { badInput } from '../bad-input.ts';
import { type Filter, path } from '../filter.ts';
import { ownValue } from './index-texts.ts';

/** Longest text, in UTF-16 code units, for which the server narrows the search. */
const NARROWING_LENGTH = 256;

type Test = (value: unknown, wanted: unknown) => boolean;

const OPERATORS: Readonly<Record<string, Test>> = {
  $eq: isEqual,
  $ne: (value, wanted) => !isEqual(value, wanted),
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.some((each) => isEqual(value, each)),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.some((each) => isEqual(value, each)),
};

/** The filter of a search of LangGraph, by the keys of the value. */
export type ValueFilter = Readonly<Record<string, unknown>>;

/** Whether the value has what the filter asks for. `$gt` and the like compare as numbers. */
export function matchesFilter(value: object, filter: ValueFilter): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const found = ownValue(value, key);
    const operators = operatorsOf(key, wanted);
    if (operators === undefined) return isEqual(found, wanted);
    return operators.every(([operator, operand]) => OPERATORS[operator]?.(found, operand));
  });
}

/** Refuses operators that no store of LangGraph has. */
export function checkFilter(filter: ValueFilter): void {
  for (const [key, wanted] of Object.entries(filter)) operatorsOf(key, wanted);
}

/**
 * What the server can decide of the filter: the memories that it admits include all that match. Comparisons of texts,
 * numbers and booleans for equality are decided by its index.
 */
export function narrowingFilters(filter: ValueFilter): Filter[] {
  return Object.entries(filter).flatMap(([key, wanted]) => {
    const equal = operatorsOf(key, wanted)?.find(([operator]) => operator === '$eq')?.[1] ?? wanted;
    if (!isNarrowing(equal) || !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return [];
    return [path(key).equals(equal)];
  });
}

/** Values that a message carries unchanged, and that are short enough for an index. */
function isNarrowing(value: unknown): value is string | boolean | number {
  if (typeof value === 'string')
    return value.length <= NARROWING_LENGTH && value.isWellFormed() && !value.includes('\0');
  return typeof value === 'boolean' || Number.isFinite(value);
}

/** Deep equality; 0 and -0 are equal. */
function isEqual(value: unknown, wanted: unknown): boolean {
  return value === wanted || isDeepStrictEqual(value, wanted);
}

function operatorsOf(key: string, wanted: unknown): [string, unknown][] | undefined {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return undefined;
  const entries = Object.entries(wanted);
  if (!entries.some(([operator]) => operator.startsWith('$'))) return undefined;
  const unknown = entries.find(([operator]) => !Object.hasOwn(OPERATORS, operator));
  if (unknown === undefined) return entries;
  throw badInput(`filter.${key}`, `has no operator '${unknown[0]}'; there are ${Object.keys(OPERATORS).join(', ')}`);
}
