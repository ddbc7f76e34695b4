import { FILTER_LIMITS, type Filter, type Operator, type Scalar } from '../../memory/filter.ts';
import { type Json, leafCount } from '../../memory/json-values.ts';
import { allOf, entryFilter } from './entry-filter.ts';
import { isObject } from './parameter-reading.ts';

/** Conditions of one preset; what they become must stay within what the store can be asked. */
const CONDITIONS_MAX = 16;

const OPERATORS: { readonly [name: string]: Operator } = {
  $gt: 'greater',
  $gte: 'greater_or_equal',
  $lt: 'less',
  $lte: 'less_or_equal',
};

/** A condition per path; all must hold. Faults are told with the path that they are at. */
export function metadataFilter(
  given: { readonly [path: string]: Json },
  onFault: (path: string, fault: string) => void,
): Filter | undefined {
  const entries = Object.entries(given);
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

/** Operators, or what the value is to be equal to. */
function objectAt(
  path: string,
  wanted: { readonly [key: string]: Json },
  onFault: (fault: string) => void,
): Filter | undefined {
  const keys = Object.keys(wanted);
  const isOperation = keys.length > 0 && keys.every((key) => key.startsWith('$'));
  if (isOperation) return allOf(keys.map((name) => operation(path, name, wanted[name] ?? null, onFault)));
  const operator = keys.find((key) => key.startsWith('$'));
  if (operator !== undefined) onFault(`must have operators only, or none: ${operator} is beside a key of a value`);
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
  else if (typeof value !== 'number' && typeof value !== 'string')
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
function equality(path: string, value: string | number | boolean | null): Filter {
  const places = path.includes('.') ? [path] : flatPlaces(path);
  const filters = places.map((place) =>
    value === null
      ? entryFilter({ path: place, operator: 'is_null', values: [] })
      : entryFilter({ path: place, operator: 'in', values: alike(value) }),
  );
  const [only] = filters;
  return only && filters.length === 1 ? only : { kind: 'any', filters };
}

/** A bare key is looked for on its own, in the record's metadata, and in the metadata inside the content. */
function flatPlaces(key: string): string[] {
  return [key, `metadata.${key}`, `content.metadata.${key}`];
}

/** The value and what it is when written, or read, as another type. */
export function alike(value: string | number | boolean): readonly Scalar[] {
  if (typeof value === 'number') return [value, String(value)];
  if (typeof value === 'boolean') return [value, value ? 'true' : 'false', value ? 'True' : 'False'];
  const lower = value.toLowerCase();
  if (lower === 'true' || lower === 'false') return [value, lower === 'true'];
  const number = Number(value);
  return value.trim() !== '' && Number.isFinite(number) ? [value, number] : [value];
}
