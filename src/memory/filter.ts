import type { Json } from './json-values.ts';
import type { GeoPoint, Micros, Point, Scope } from './memory.ts';

/** The filter of every request. `evaluate-filter.ts` alone decides its meaning; indexes only narrow the candidates. */
export type Filter = GroupFilter | NotFilter | Comparison | PlaceFilter;

export interface GroupFilter {
  readonly kind: 'all' | 'any';
  readonly filters: readonly Filter[];
}

export interface NotFilter {
  readonly kind: 'not';
  readonly filter: Filter;
}

export interface Comparison {
  readonly kind: 'comparison';
  readonly target: FieldTarget | PathTarget;
  readonly operator: Operator;
  /** One value; for `in` one or more; for `exists` and `is_null` none. Values of one comparison may differ in type. */
  readonly values: readonly FilterValue[];
  readonly ignoreCase: boolean;
}

export interface FieldTarget {
  readonly kind: 'field';
  readonly field: MemoryField;
}

export interface PathTarget {
  readonly kind: 'path';
  /** Keys from the root of the JSON content, none for the whole of it; see `proto/mneme/v1/filter.proto` for arrays. */
  readonly path: readonly string[];
}

/**
 * Numbers are those of `exactNumber`: bigints beyond ±(2^53 - 1). Times are compared as numbers of microseconds and marked as such, so that a
 * time never equals a plain number.
 */
export type Scalar = string | number | bigint | boolean | { readonly timeUs: Micros };

/** A whole JSON array, object or null as the value of a comparison. */
export interface JsonValue {
  readonly json: null | readonly Json[] | { readonly [key: string]: Json };
}

export type FilterValue = Scalar | JsonValue;

export function isJsonValue(value: FilterValue): value is JsonValue {
  return typeof value === 'object' && 'json' in value;
}

export type Operator =
  | 'equals'
  | 'in'
  | 'less'
  | 'less_or_equal'
  | 'greater'
  | 'greater_or_equal'
  | 'contains'
  | 'starts_with'
  | 'exists'
  | 'is_null'
  | 'matches';

export type MemoryField = TextField | NumberField | TimeField;

/** `tag` has many values. An empty text counts as not set, except for `text`, `type` and `id`, which are always set. */
export type TextField =
  | 'id'
  | 'project'
  | 'agent_type'
  | 'agent'
  | 'session'
  | 'type'
  | 'tier'
  | 'tag'
  | 'text'
  | 'speaker'
  | 'source_uri'
  | 'source_origin'
  | 'location'
  | 'room'
  | 'region'
  | 'media_type'
  | 'superseded_by';

export type NumberField = 'step' | 'importance' | 'priority' | 'retrieval_count' | 'revision';

export const TIME_FIELDS = [
  'event_time',
  'create_time',
  'update_time',
  'last_access_time',
  'expire_time',
  'valid_from',
  'valid_until',
] as const;

export type TimeField = (typeof TIME_FIELDS)[number];

export interface PlaceFilter {
  readonly kind: 'place';
  readonly area: Area;
}

export type Area =
  | { readonly kind: 'point_radius'; readonly center: Point; readonly radius: number }
  | { readonly kind: 'point_box'; readonly low: Point; readonly high: Point }
  | { readonly kind: 'geo_radius'; readonly center: GeoPoint; readonly radiusM: number }
  | { readonly kind: 'geo_box'; readonly southWest: GeoPoint; readonly northEast: GeoPoint };

/** Radius of the sphere that great-circle distances are measured on (IUGG mean Earth radius). */
export const EARTH_RADIUS_M = 6_371_008.8;

/** Limits of a filter, checked where requests are read. */
export const FILTER_LIMITS = {
  depth: 16,
  nodes: 256,
  values: 1000,
  listLength: 64,
  pathBytes: 512,
  pathParts: 32,
  valueBytes: 4096,
  /** Of the text form. */
  textBytes: 32_768,
  /** Numbers, texts, truth values, nulls, and empty arrays and objects in one array or object. */
  jsonLeaves: 128,
  jsonDepth: 16,
} as const;

/** A filter and a scope, of which the parts that are not empty must be equal, as one condition. */
export function scopedFilter({
  filter,
  scope,
}: {
  readonly filter?: Filter;
  readonly scope?: Scope;
}): Filter | undefined {
  const conditions: Filter[] = filter ? [filter] : [];
  const parts =
    scope &&
    ([
      ['project', scope.project],
      ['agent_type', scope.agentType],
      ['agent', scope.agent],
      ['session', scope.session],
    ] as const);
  for (const [field, value] of parts ?? []) {
    if (value === '') continue;
    const target = { kind: 'field', field } as const;
    conditions.push({ kind: 'comparison', target, operator: 'equals', values: [value], ignoreCase: false });
  }
  if (conditions.length <= 1) return conditions[0];
  return { kind: 'all', filters: conditions };
}

type TestedComparison = Extract<Filter, { readonly kind: 'comparison' }>;

/** Whether any comparison of a filter, at any depth, is such a one. */
export function someComparison(filter: Filter, isSuch: (comparison: TestedComparison) => boolean): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.filters.some((part) => someComparison(part, isSuch));
    case 'not':
      return someComparison(filter.filter, isSuch);
    case 'comparison':
      return isSuch(filter);
    case 'place':
      return false;
  }
}

/** Whether a filter looks at one of the fields. */
export function someFieldOf(filter: Filter, ...fields: readonly MemoryField[]): boolean {
  return someComparison(filter, ({ target }) => target.kind === 'field' && fields.includes(target.field));
}
