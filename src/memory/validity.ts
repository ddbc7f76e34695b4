import type { FieldViolation } from './errors.ts';
import type { Filter, MemoryField, Operator } from './filter.ts';
import type { Memory, Micros } from './memory.ts';

type Validity = Pick<Memory, 'validFromUs' | 'validUntilUs'>;

/** The problem with a validity that ends before it begins; `field` is the memory's path in the request. */
export function validityFault(
  { validFromUs, validUntilUs }: { readonly [K in keyof Validity]?: Validity[K] | undefined },
  field: string,
): FieldViolation | undefined {
  const isInOrder = validFromUs === undefined || validUntilUs === undefined || validFromUs < validUntilUs;
  return isInOrder ? undefined : { field: `${field}.valid_until`, description: 'must be after valid_from' };
}

/**
 * Which memories count by their validity. `current`: valid now and not superseded. `any`: all. `asOfUs`: valid at that
 * instant, whether or not superseded since; a memory without `valid_from` counts as valid from when it happened or was
 * stored, whichever was first.
 */
export type ValidityView = 'current' | 'any' | { readonly asOfUs: Micros };

/** The condition on a memory that a view is, at an instant; `undefined` for any. */
export function validityFilter(view: ValidityView, nowUs: Micros): Filter | undefined {
  if (view === 'any') return undefined;
  if (view === 'current') {
    const isNotSuperseded: Filter = { kind: 'not', filter: field('superseded_by', 'exists', []) };
    const started: Filter = { kind: 'not', filter: time('valid_from', 'greater', nowUs) };
    return { kind: 'all', filters: [isNotSuperseded, started, hasNotEnded(nowUs)] };
  }
  const { asOfUs } = view;
  const happened: Filter = {
    kind: 'all',
    filters: [
      { kind: 'not', filter: field('valid_from', 'exists', []) },
      {
        kind: 'any',
        filters: [time('event_time', 'less_or_equal', asOfUs), time('create_time', 'less_or_equal', asOfUs)],
      },
    ],
  };
  const started: Filter = { kind: 'any', filters: [time('valid_from', 'less_or_equal', asOfUs), happened] };
  return { kind: 'all', filters: [started, hasNotEnded(asOfUs)] };
}

/** A filter and a view as one condition. */
export function validFilter(filter: Filter | undefined, view: ValidityView, nowUs: Micros): Filter | undefined {
  const valid = validityFilter(view, nowUs);
  return filter && valid ? { kind: 'all', filters: [filter, valid] } : (filter ?? valid);
}

function hasNotEnded(atUs: Micros): Filter {
  return { kind: 'not', filter: time('valid_until', 'less_or_equal', atUs) };
}

function time(name: MemoryField, operator: 'greater' | 'less_or_equal', timeUs: Micros): Filter {
  return field(name, operator, [{ timeUs }]);
}

function field(name: MemoryField, operator: Operator, values: readonly { readonly timeUs: Micros }[]): Filter {
  return { kind: 'comparison', target: { kind: 'field', field: name }, operator, values, ignoreCase: false };
}
