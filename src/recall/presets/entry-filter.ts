import type { Comparison, Filter, FilterValue, MemoryField, Operator } from '../../memory/filter.ts';
import { instantIn } from '../../memory/instant.ts';
import { ENTRY_KEY, type EntryPlace, placesOf } from '../scoring/entry-place.ts';

/** What the Agent Memory API calls tiers. */
const TIERS: { readonly [name: string]: string } = { stm: 'short_term', im: 'intermediate', ltm: 'long_term' };
const TIMES: ReadonlySet<MemoryField> = new Set(['event_time', 'create_time', 'last_access_time']);
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
    const compared = comparison(place, operator, valuesFor(place, values), ignoreCase);
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
  const given = filters.filter((filter) => filter !== undefined);
  return given.length > 1 ? { kind: 'all', filters: given } : given[0];
}

/** A tier by its own name or by that of the Agent Memory API. A name that no tier has admits nothing. */
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

/** Values as the place has them: instants for times, the names of tiers. */
function valuesFor(place: EntryPlace, values: readonly FilterValue[]): readonly FilterValue[] {
  if (place.kind === 'path') return values;
  return values.map((value): FilterValue => {
    if (place.field === 'tier' && typeof value === 'string') return TIERS[value] ?? value;
    if (TIMES.has(place.field) && (typeof value === 'string' || typeof value === 'number')) {
      const timeUs = typeof value === 'number' ? value * 1e6 : instantIn(value);
      return timeUs === undefined ? value : { timeUs };
    }
    if (
      NUMBERS.has(place.field) &&
      typeof value === 'string' &&
      value.trim() !== '' &&
      Number.isFinite(Number(value))
    ) {
      return Number(value);
    }
    return value;
  });
}
