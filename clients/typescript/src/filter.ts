import {
  type Comparison,
  type Filter as FilterMessage,
  MemoryField,
  Operator,
  type PlaceFilter,
  type Value,
} from '../../../gen/ts/mneme/v1/filter.ts';
import { badInput, jsonOf } from './bad-input.ts';
import { checkOptions } from './check-options.ts';
import type { Json } from './content.ts';
import type { GeoPoint, Point, Tier } from './memory.ts';
import { timestampOf } from './precise-date.ts';

/** A condition on memories, made with `where`, `and`, `or`, `not`, `path` and `within`. */
export type Filter = FilterMessage;

/** A condition as text, such as `type = "state" AND step >= 10`, or one made with `where` and the others. */
export type FilterLike = string | Filter;

/** The fields of a request that select memories. */
export function filterFields(filter: FilterLike | undefined): {
  readonly filter: FilterMessage | undefined;
  readonly filterText: string;
} {
  return typeof filter === 'string' ? { filter: undefined, filterText: filter } : { filter, filterText: '' };
}

export interface TextOptions {
  /** Texts are compared without regard to case. */
  readonly ignoreCase?: boolean;
}

/** Comparisons for a field of one type. A memory without the field satisfies none of them, only their negation. */
export interface Comparable<Value> {
  equals(value: Value): Filter;
  isIn(values: readonly Value[]): Filter;
  less(value: Value): Filter;
  lessOrEqual(value: Value): Filter;
  greater(value: Value): Filter;
  greaterOrEqual(value: Value): Filter;
  exists(): Filter;
}

export interface ComparableText<Text extends string = string> extends Comparable<Text> {
  equals(value: Text, options?: TextOptions): Filter;
  isIn(values: readonly Text[], options?: TextOptions): Filter;
  contains(part: string, options?: TextOptions): Filter;
  startsWith(start: string, options?: TextOptions): Filter;
  /** A regular expression in RE2 syntax matches somewhere: no lookaround, no backreference. */
  matches(pattern: string, options?: TextOptions): Filter;
}

/**
 * A value in JSON content: values of different types are never equal, nor before or after one another. Arrays and objects
 * are compared as a whole.
 */
export interface ComparableValue extends Comparable<string | number | bigint | boolean> {
  equals(value: Json, options?: TextOptions): Filter;
  isIn(values: readonly Json[], options?: TextOptions): Filter;
  /** A text contains a part of it; an array its elements; an object an object with some of its keys and their values. */
  contains(part: Json, options?: TextOptions): Filter;
  startsWith(start: string, options?: TextOptions): Filter;
  /** A regular expression in RE2 syntax matches somewhere: no lookaround, no backreference. */
  matches(pattern: string, options?: TextOptions): Filter;
  /** The path leads to a JSON null. */
  isNull(): Filter;
}

type Target = NonNullable<Comparison['target']>;
type Given = Json | Date | CalendarDay;

/** All of a day, to compare a time with; made with `day`. */
export class CalendarDay {
  readonly date: string;
  readonly timeZone: string;

  constructor(date: string, timeZone: string) {
    this.date = date;
    this.timeZone = timeZone;
  }
}

/** A day such as `2026-06-10`, in UTC or in a time zone such as `Europe/Berlin`: `where.eventTime.equals(day('2026-06-10'))`. */
export function day(date: string, timeZone = ''): CalendarDay {
  return new CalendarDay(date, timeZone);
}

function comparisons(target: Target): Comparable<Given> & ComparableValue {
  const compare = (operator: Operator, values: readonly Given[], options: TextOptions = {}): Filter => {
    checkOptions('TextOptions', options, 'where');
    const { ignoreCase = false } = options;
    return {
      node: { $case: 'comparison', value: { target, op: operator, values: values.map(valueMessage), ignoreCase } },
    };
  };
  return {
    equals: (value: Given, options?: TextOptions) => compare(Operator.OPERATOR_EQUALS, [value], options),
    isIn: (values: readonly Given[], options?: TextOptions) => compare(Operator.OPERATOR_IN, values, options),
    less: (value: Given) => compare(Operator.OPERATOR_LESS, [value]),
    lessOrEqual: (value: Given) => compare(Operator.OPERATOR_LESS_OR_EQUAL, [value]),
    greater: (value: Given) => compare(Operator.OPERATOR_GREATER, [value]),
    greaterOrEqual: (value: Given) => compare(Operator.OPERATOR_GREATER_OR_EQUAL, [value]),
    contains: (part, options) => compare(Operator.OPERATOR_CONTAINS, [part], options),
    startsWith: (start, options) => compare(Operator.OPERATOR_STARTS_WITH, [start], options),
    matches: (pattern, options) => compare(Operator.OPERATOR_MATCHES, [pattern], options),
    exists: () => compare(Operator.OPERATOR_EXISTS, []),
    isNull: () => compare(Operator.OPERATOR_IS_NULL, []),
  };
}

function valueMessage(value: Given): Value {
  if (typeof value === 'string') return { kind: { $case: 'stringValue', value } };
  if (typeof value === 'number' && !Number.isFinite(value))
    throw badInput('filter', `${value} is no number to compare with`);
  if (typeof value === 'bigint') return { kind: { $case: 'numberText', value: String(value) } };
  if (typeof value === 'number') return { kind: { $case: 'numberValue', value } };
  if (typeof value === 'boolean') return { kind: { $case: 'boolValue', value } };
  if (value instanceof Date) return { kind: { $case: 'timeValue', value: timestampOf(value) } };
  if (value instanceof CalendarDay) {
    return { kind: { $case: 'dayValue', value: { date: value.date, timeZone: value.timeZone } } };
  }
  return { kind: { $case: 'jsonValue', value: jsonOf(value, 'filter') } };
}

const field = (value: MemoryField) => comparisons({ $case: 'field', value });
const text = <Text extends string = string>(code: MemoryField): ComparableText<Text> => field(code);
const number = (code: MemoryField): Comparable<number> => field(code);
const time = (code: MemoryField): Comparable<Date | CalendarDay> => field(code);

/** The fields of a memory, to be compared: `where.type.equals('fact')`. */
export const where = {
  id: text(MemoryField.MEMORY_FIELD_ID),
  project: text(MemoryField.MEMORY_FIELD_PROJECT),
  agentType: text(MemoryField.MEMORY_FIELD_AGENT_TYPE),
  agent: text(MemoryField.MEMORY_FIELD_AGENT),
  session: text(MemoryField.MEMORY_FIELD_SESSION),
  type: text(MemoryField.MEMORY_FIELD_TYPE),
  tier: text<Tier>(MemoryField.MEMORY_FIELD_TIER),
  tag: text(MemoryField.MEMORY_FIELD_TAG),
  text: text(MemoryField.MEMORY_FIELD_TEXT),
  speaker: text(MemoryField.MEMORY_FIELD_SPEAKER),
  sourceUri: text(MemoryField.MEMORY_FIELD_SOURCE_URI),
  sourceOrigin: text(MemoryField.MEMORY_FIELD_SOURCE_ORIGIN),
  location: text(MemoryField.MEMORY_FIELD_LOCATION),
  room: text(MemoryField.MEMORY_FIELD_ROOM),
  region: text(MemoryField.MEMORY_FIELD_REGION),
  mediaType: text(MemoryField.MEMORY_FIELD_MEDIA_TYPE),
  supersededBy: text(MemoryField.MEMORY_FIELD_SUPERSEDED_BY),
  step: number(MemoryField.MEMORY_FIELD_STEP),
  importance: number(MemoryField.MEMORY_FIELD_IMPORTANCE),
  priority: number(MemoryField.MEMORY_FIELD_PRIORITY),
  retrievalCount: number(MemoryField.MEMORY_FIELD_RETRIEVAL_COUNT),
  version: number(MemoryField.MEMORY_FIELD_VERSION),
  eventTime: time(MemoryField.MEMORY_FIELD_EVENT_TIME),
  createTime: time(MemoryField.MEMORY_FIELD_CREATE_TIME),
  updateTime: time(MemoryField.MEMORY_FIELD_UPDATE_TIME),
  lastAccessTime: time(MemoryField.MEMORY_FIELD_LAST_ACCESS_TIME),
  expireTime: time(MemoryField.MEMORY_FIELD_EXPIRE_TIME),
  validFrom: time(MemoryField.MEMORY_FIELD_VALID_FROM),
  validUntil: time(MemoryField.MEMORY_FIELD_VALID_UNTIL),
} as const;

/**
 * A value in JSON content: keys joined by dots, such as `position.room`; `\.` is a dot inside a key. Arrays are
 * searched; a whole number also selects the element at that index.
 */
export function path(dotted: string): ComparableValue {
  return comparisons({ $case: 'path', value: dotted });
}

/** True when every one of the filters is. */
export function allOf(...filters: readonly Filter[]): Filter {
  return { node: { $case: 'all', value: { filters: [...filters] } } };
}

/** True when at least one of the filters is. */
export function anyOf(...filters: readonly Filter[]): Filter {
  return { node: { $case: 'any', value: { filters: [...filters] } } };
}

/** True when the filter is not. */
export function negate(filter: Filter): Filter {
  return { node: { $case: 'negate', value: filter } };
}

/** A circle or box in the agent's world or on Earth. */
export type Area =
  | { readonly point: Point; readonly radius: number }
  | { readonly low: Point; readonly high: Point }
  | { readonly geo: GeoPoint; readonly radiusM: number }
  | { readonly southWest: GeoPoint; readonly northEast: GeoPoint };

/** True of memories with a place inside the area; its edges are inside. */
export function within(area: Area): Filter {
  return { node: { $case: 'place', value: { area: areaMessage(area) } } };
}

function areaMessage(area: Area): NonNullable<PlaceFilter['area']> {
  if ('point' in area)
    return { $case: 'pointRadius', value: { center: pointMessage(area.point), radius: area.radius } };
  if ('low' in area)
    return { $case: 'pointBox', value: { low: pointMessage(area.low), high: pointMessage(area.high) } };
  if ('geo' in area) return { $case: 'geoRadius', value: { center: area.geo, radiusM: area.radiusM } };
  return { $case: 'geoBox', value: { southWest: area.southWest, northEast: area.northEast } };
}

function pointMessage({ x, y, z }: Point) {
  return { x, y, z };
}
