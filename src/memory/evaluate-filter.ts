import { parsedContent } from './derive-text.ts';
import { fieldValues } from './field-values.ts';
import {
  type Comparison,
  type Filter,
  type FilterValue,
  isJsonValue,
  type MemoryField,
  type Operator,
  someComparison,
} from './filter.ts';
import { containsJson, equalsJson, someValueAt } from './json-values.ts';
import type { Memory } from './memory.ts';
import { patternOf } from './pattern.ts';
import { isWithin } from './place.ts';
import { compareTexts } from './values.ts';

/**
 * Whether the filter is true of the memory: the single place that decides it. `json` returns the value of the memory's
 * content and is called only where a path needs it; callers that have parsed the content pass the value in.
 */
export function admits(filter: Filter, memory: Memory, json: () => unknown = parsedOnce(memory)): boolean {
  switch (filter.kind) {
    case 'all':
      return filter.filters.every((part) => admits(part, memory, json));
    case 'any':
      return filter.filters.some((part) => admits(part, memory, json));
    case 'not':
      return !admits(filter.filter, memory, json);
    case 'place':
      return memory.place !== undefined && isWithin(memory.place, filter.area);
    case 'comparison':
      return compares(filter, memory, json);
  }
}

function compares(comparison: Comparison, memory: Memory, json: () => unknown): boolean {
  const { target } = comparison;
  if (target.kind === 'path') {
    const content = json();
    return (
      content !== undefined &&
      someValueAt(content, target.path, (value) =>
        typeof value === 'object' && value !== null
          ? jsonPasses(value, comparison)
          : passesComparison(value, comparison),
      )
    );
  }
  const values = fieldValues(memory, target.field);
  if (values.some((value) => passesComparison(value, comparison))) return true;
  // Tags are also one value: an array.
  return target.field === 'tag' && values.length > 0 && jsonPasses(values, comparison);
}

/** Whether one value, that of a field or one of JSON that is no array or object, satisfies the comparison. */
export function passesComparison(value: unknown, { operator, values, ignoreCase }: Comparison): boolean {
  if (operator === 'exists') return true;
  if (operator === 'is_null') return value === null;
  return values.some((provided) => satisfies(value, operator, provided, ignoreCase));
}

function satisfies(value: unknown, operator: Operator, provided: FilterValue, ignoreCase: boolean): boolean {
  if (typeof provided === 'string') {
    if (typeof value !== 'string') return false;
    if (operator === 'matches') return patternOf(provided, ignoreCase).isIn(value);
    return ignoreCase
      ? textSatisfies(value.toLowerCase(), operator, provided.toLowerCase())
      : textSatisfies(value, operator, provided);
  }
  if (typeof provided === 'object') {
    if (isJsonValue(provided)) return isEquality(operator) && value === provided.json;
    return isTime(value) && ordered(value.timeUs - provided.timeUs, operator);
  }
  // `true` comes after `false`. A number and a bigint are compared exactly, and are never equal.
  if (typeof provided === 'boolean' ? typeof value !== 'boolean' : !isNumber(value)) return false;
  const compared = value as number | bigint | boolean;
  return ordered(compared < provided ? -1 : compared > provided ? 1 : 0, operator);
}

/** Whether an array or object of JSON satisfies the comparison. */
function jsonPasses(value: object, { operator, values, ignoreCase }: Comparison): boolean {
  if (operator === 'exists') return true;
  if (operator !== 'contains' && !isEquality(operator)) return false;
  return values.some((provided) => {
    const isJson = typeof provided === 'object' && isJsonValue(provided);
    if (operator !== 'contains') return isJson && equalsJson(value, provided.json, ignoreCase);
    if (isJson && provided.json !== null) return containsJson(value, provided.json, ignoreCase);
    // Texts are looked for as parts of the texts in an array.
    if (!isJson && (typeof provided === 'object' || typeof provided === 'string')) return false;
    return Array.isArray(value) && value.includes(isJson ? null : provided);
  });
}

function isEquality(operator: Operator): boolean {
  return operator === 'equals' || operator === 'in';
}

function textSatisfies(value: string, operator: Operator, provided: string): boolean {
  if (operator === 'contains') return value.includes(provided);
  if (operator === 'starts_with') return value.startsWith(provided);
  if (operator === 'equals' || operator === 'in') return value === provided;
  return ordered(compareTexts(value, provided), operator);
}

function ordered(difference: number, operator: Operator): boolean {
  switch (operator) {
    case 'equals':
    case 'in':
      return difference === 0;
    case 'less':
      return difference < 0;
    case 'less_or_equal':
      return difference <= 0;
    case 'greater':
      return difference > 0;
    case 'greater_or_equal':
      return difference >= 0;
    default:
      return false;
  }
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isTime(value: unknown): value is { readonly timeUs: number } {
  return typeof value === 'object' && value !== null;
}

function parsedOnce(memory: Memory): () => unknown {
  let parsed: { readonly value: unknown } | undefined;
  return () => {
    parsed ??= { value: parsedContent(memory.content) };
    return parsed.value;
  };
}

const BODY_FIELDS: readonly MemoryField[] = ['text', 'media_type'];

/** Whether the result of a filter depends on text or content; all other fields of a damaged memory are intact. */
export function looksIntoBody(filter: Filter): boolean {
  return someComparison(filter, ({ target }) => target.kind === 'path' || BODY_FIELDS.includes(target.field));
}

/** Whether a filter may admit a memory whose text and content are damaged. */
export function mayAdmit(filter: Filter, memory: Memory): boolean {
  if (!looksIntoBody(filter)) return admits(filter, memory);
  if (filter.kind === 'all') return filter.filters.every((part) => mayAdmit(part, memory));
  if (filter.kind === 'any') return filter.filters.some((part) => mayAdmit(part, memory));
  return true;
}
