import {
  type Comparison,
  FILTER_LIMITS,
  type Filter,
  type FilterValue,
  type MemoryField,
  type Operator,
  type Scalar,
  type TimeField,
} from '../../memory/filter.ts';
import { numberIn } from '../../memory/json.ts';
import { type Json, leafCount } from '../../memory/json-values.ts';
import { type ComparedTime, comparedTimeIn, comparedWithTimes } from '../../memory/time/calendar-day.ts';
import { ENTRY_KEY, type EntryPlace, placesOf } from '../scoring/entry-place.ts';
import { isObject, type Parameter, type ParameterReading } from './parameter-reading.ts';

/** Parameters that narrow every preset that works on the memories themselves. */
export const NARROWING: readonly Parameter[] = [
  {
    name: 'tier',
    description:
      'Only memories of this tier: stm, im or ltm, or short_term, intermediate or long_term. No tier has another name.',
    kinds: ['string'],
  },
  {
    name: 'metadata_filter',
    description:
      'Values by path, all of which must be there: a number, text, truth value, array or object that is equal (of tags: an array of which every one is there), or an object of $gt, $gte, $lt, $lte, $eq, $ne, $contains.',
    kinds: ['object'],
  },
  { name: 'memory_type', description: 'Only memories of this type.', kinds: ['string'] },
];

export function narrowingOf(reading: ParameterReading): Filter | undefined {
  return allOf([tierOf(reading), typeOf(reading), metadataOf(reading)]);
}

export function tierOf(reading: ParameterReading): Filter | undefined {
  return reading.isSet('tier') ? tierFilter(reading.text('tier')) : undefined;
}

export function typeOf(reading: ParameterReading): Filter | undefined {
  const type = reading.text('memory_type');
  return type === '' ? undefined : fieldFilter('type', 'equals', type);
}

export function metadataOf(reading: ParameterReading): Filter | undefined {
  const provided = reading.object('metadata_filter');
  return provided && metadataFilter(provided, (path, fault) => reading.add(`metadata_filter.${path}`, fault));
}

/** Tier names of the Agent Memory API. */
const TIERS: { readonly [name: string]: string } = { stm: 'short_term', im: 'intermediate', ltm: 'long_term' };
const TIMES: readonly TimeField[] = ['event_time', 'create_time', 'last_access_time'];
const NUMBERS: ReadonlySet<MemoryField> = new Set(['step', 'importance', 'priority', 'retrieval_count']);

export interface EntryComparison {
  readonly path: string;
  readonly operator: Operator;
  readonly values: readonly FilterValue[];
  readonly ignoreCase?: boolean;
}

/** The comparison at the first of the path's places where there is a value; see `placesOf`. */
export function entryFilter({ path, operator, values, ignoreCase = false }: EntryComparison): Filter {
  const places = placesOf(path);
  const alternatives = places.map((place, at): Filter => {
    const compared = comparedAt(place, operator, values, ignoreCase);
    const ahead = places.slice(0, at);
    if (place.kind === 'path' && place.isInContentOnly) ahead.push({ kind: 'path', path: [ENTRY_KEY] });
    const before = ahead.map((earlier): Filter => ({ kind: 'not', filter: exists(earlier) }));
    return before.length === 0 ? compared : { kind: 'all', filters: [...before, compared] };
  });
  const [only] = alternatives;
  return only && alternatives.length === 1 ? only : { kind: 'any', filters: alternatives };
}

export function fieldFilter(field: MemoryField, operator: Operator, ...values: readonly FilterValue[]): Filter {
  return comparison({ kind: 'field', field }, operator, values, false);
}

/** All of them; `undefined` when there is none. */
export function allOf(filters: readonly (Filter | undefined)[]): Filter | undefined {
  const provided = filters.filter((filter) => filter !== undefined);
  return provided.length > 1 ? { kind: 'all', filters: provided } : provided[0];
}

/** A filter for a tier by its own name or its name in the Agent Memory API. An unknown name admits no memory. */
export function tierFilter(tier: string): Filter {
  return fieldFilter('tier', 'equals', TIERS[tier] ?? tier);
}

function comparison(
  place: EntryPlace,
  operator: Operator,
  values: readonly FilterValue[],
  ignoreCase: boolean,
): Comparison {
  const target: Comparison['target'] = place.kind === 'path' ? { kind: 'path', path: place.path } : place;
  return { kind: 'comparison', target, operator, values, ignoreCase };
}

function exists(place: EntryPlace): Filter {
  return comparison(place, 'exists', [], false);
}

function comparedAt(
  place: EntryPlace,
  operator: Operator,
  values: readonly FilterValue[],
  ignoreCase: boolean,
): Filter {
  const time = place.kind === 'field' && TIMES.find((field) => field === place.field);
  if (time)
    return comparedWithTimes(
      time,
      operator,
      values.flatMap((value) => timeOf(value) ?? []),
    );
  return comparison(place, operator, valuesFor(place, values), ignoreCase);
}

/** Numbers are seconds; a text that is no time equals none. */
function timeOf(value: FilterValue): ComparedTime | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return { timeUs: Number(value) * 1e6 };
  return typeof value === 'string' ? comparedTimeIn(value) : undefined;
}

/** Values as the place has them: numbers, and the names of tiers. */
function valuesFor(place: EntryPlace, values: readonly FilterValue[]): readonly FilterValue[] {
  if (place.kind === 'path') return values;
  return values.map((value): FilterValue => {
    if (place.field === 'tier' && typeof value === 'string') return TIERS[value] ?? value;
    return NUMBERS.has(place.field) && typeof value === 'string' ? (numberIn(value) ?? value) : value;
  });
}

/** Maximum number of conditions of one preset: the resulting filter must stay within the store's limits. */
const CONDITIONS_MAX = 16;

const OPERATORS: { readonly [name: string]: Operator } = {
  $gt: 'greater',
  $gte: 'greater_or_equal',
  $lt: 'less',
  $lte: 'less_or_equal',
};

/** A condition per path; all must hold. Faults are reported with their path. */
export function metadataFilter(
  provided: { readonly [path: string]: Json },
  onFault: (path: string, fault: string) => void,
): Filter | undefined {
  const entries = Object.entries(provided);
  if (entries.length > CONDITIONS_MAX) {
    onFault('', `must have at most ${CONDITIONS_MAX} paths, got ${entries.length}`);
    return undefined;
  }
  return allOf(entries.map(([path, wanted]) => conditionAt(path, wanted, (fault) => onFault(path, fault))));
}

function conditionAt(path: string, wanted: Json, onFault: (fault: string) => void): Filter | undefined {
  if (path === '' || path.length > 512) onFault('must be a path of 1 to 512 characters');
  else if (isArray(wanted)) {
    if (isTooLarge(wanted)) onFault(WHOLE_LIMIT);
    // Tags have no order.
    else return entryFilter({ path, operator: isTags(path) ? 'contains' : 'equals', values: [{ json: wanted }] });
  } else if (isObject(wanted)) return objectAt(path, wanted, onFault);
  else return equality(path, wanted);
  return undefined;
}

/** Operators, or a value for equality. */
function objectAt(
  path: string,
  wanted: { readonly [key: string]: Json },
  onFault: (fault: string) => void,
): Filter | undefined {
  const keys = Object.keys(wanted);
  const isOperation = keys.length > 0 && keys.every((key) => key.startsWith('$'));
  if (isOperation) return allOf(keys.map((name) => operation(path, name, wanted[name] ?? null, onFault)));
  const operator = keys.find((key) => key.startsWith('$'));
  if (operator !== undefined) onFault(`must have operators only, or none: ${operator} is next to a key of a value`);
  else if (isTooLarge(wanted)) onFault(WHOLE_LIMIT);
  else return entryFilter({ path, operator: 'equals', values: [{ json: wanted }] });
  return undefined;
}

const WHOLE_LIMIT = `must be at most ${FILTER_LIMITS.valueBytes} bytes of JSON with ${FILTER_LIMITS.jsonLeaves} values`;

function isTooLarge(value: readonly Json[] | { readonly [key: string]: Json }): boolean {
  return (
    leafCount(value) > FILTER_LIMITS.jsonLeaves || Buffer.byteLength(JSON.stringify(value)) > FILTER_LIMITS.valueBytes
  );
}

function isTags(path: string): boolean {
  return path === 'tags' || path.endsWith('.tags');
}

/** `Array.isArray` does not know arrays that cannot be changed. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function operation(path: string, name: string, value: Json, onFault: (fault: string) => void): Filter | undefined {
  if (name === '$eq') return conditionAt(path, value, onFault);
  if (name === '$ne') {
    const equal = conditionAt(path, value, onFault);
    return equal && { kind: 'not', filter: equal };
  }
  if (name === '$contains') return containment(path, value, onFault);
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined) onFault(`has no operator ${name}: use $gt, $gte, $lt, $lte, $eq, $ne or $contains`);
  else if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'string')
    onFault(`must compare ${name} with a number or a text`);
  else return entryFilter({ path, operator, values: [value] });
  return undefined;
}

function containment(path: string, value: Json, onFault: (fault: string) => void): Filter | undefined {
  if (typeof value !== 'object') return entryFilter({ path, operator: 'contains', values: [value] });
  if (value !== null && isTooLarge(value)) onFault(WHOLE_LIMIT);
  else return entryFilter({ path, operator: 'contains', values: [{ json: value }] });
  return undefined;
}

/** Equal, or equal as texts where the types differ. */
function equality(path: string, value: string | number | bigint | boolean | null): Filter {
  const places = path.includes('.') ? [path] : flatPlaces(path);
  const filters = places.map((place) =>
    value === null
      ? entryFilter({ path: place, operator: 'is_null', values: [] })
      : entryFilter({ path: place, operator: 'in', values: alike(value) }),
  );
  const [only] = filters;
  return only && filters.length === 1 ? only : { kind: 'any', filters };
}

/**
 * A key without a path is searched for at the top level, in the record's metadata, and in the metadata inside the
 * content.
 */
function flatPlaces(key: string): string[] {
  return [key, `metadata.${key}`, `content.metadata.${key}`];
}

/** The value and its equivalents of other scalar types. */
export function alike(value: string | number | bigint | boolean): readonly Scalar[] {
  if (typeof value === 'number' || typeof value === 'bigint') return [value, String(value)];
  if (typeof value === 'boolean') return [value, value ? 'true' : 'false', value ? 'True' : 'False'];
  const lower = value.toLowerCase();
  if (lower === 'true' || lower === 'false') return [value, lower === 'true'];
  const number = numberIn(value);
  return number === undefined ? [value] : [value, number];
}
