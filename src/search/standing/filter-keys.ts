import { fieldValues } from '../../memory/field-values.ts';
import type { Filter, MemoryField } from '../../memory/filter.ts';
import type { Memory } from '../../memory/memory.ts';

/** A field and the values of which the filter demands one. */
export interface FilterKeys {
  readonly field: MemoryField;
  readonly values: readonly string[];
}

/** The most selective fields come first. */
const FIELDS: readonly MemoryField[] = [
  'session',
  'agent',
  'project',
  'agent_type',
  'tag',
  'type',
  'speaker',
  'location',
  'room',
  'region',
];

/** The values of which a memory must have one, by field. */
type Demands = Map<MemoryField, readonly string[]>;

/** Marks a field that a memory does not have. */
const NOTHING = '';

/**
 * Values that every memory admitted by the filter has, of the most selective field; `undefined` where none is required.
 */
export function filterKeysOf(filter: Filter | undefined): FilterKeys | undefined {
  const demands: Demands = filter ? demandsOf(filter) : new Map();
  for (const field of FIELDS) {
    const values = demands.get(field);
    if (values) return { field, values };
  }
  return undefined;
}

/** Of which values each field that is looked at must have one. */
function demandsOf(filter: Filter): Demands {
  switch (filter.kind) {
    case 'all':
      return ofAll(filter.filters.map(demandsOf));
    case 'any':
      return ofAny(filter.filters.map(demandsOf));
    case 'not':
      return ofNot(filter.filter);
    case 'comparison':
      return ofComparison(filter);
    case 'place':
      return new Map();
  }
}

/** The demand of each field that leaves fewest values. */
function ofAll(parts: readonly Demands[]): Demands {
  const all: Demands = new Map();
  for (const part of parts) {
    for (const [field, values] of part) {
      if (values.length < (all.get(field)?.length ?? Number.POSITIVE_INFINITY)) all.set(field, values);
    }
  }
  return all;
}

/** The union of the values required by each part. */
function ofAny([first, ...others]: readonly Demands[]): Demands {
  const any: Demands = new Map();
  for (const [field, values] of first ?? []) {
    const rest = others.map((other) => other.get(field));
    if (rest.includes(undefined)) continue;
    any.set(field, [...new Set([...values, ...rest.flatMap((more) => more ?? [])])]);
  }
  return any;
}

/** That a field is not there is a demand, too. */
function ofNot(filter: Filter): Demands {
  if (filter.kind !== 'comparison' || filter.operator !== 'exists' || filter.target.kind !== 'field') return new Map();
  return new Map([[filter.target.field, [NOTHING]]]);
}

function ofComparison(filter: Extract<Filter, { readonly kind: 'comparison' }>): Demands {
  const isEquality = filter.operator === 'equals' || filter.operator === 'in';
  if (filter.target.kind !== 'field' || filter.ignoreCase || !isEquality) return new Map();
  const values = filter.values.filter((value) => typeof value === 'string');
  return values.length === filter.values.length ? new Map([[filter.target.field, values]]) : new Map();
}

/** Queries by the values that their filters require. */
export class QueriesByKey {
  private readonly byKey = new Map<string, Set<number>>();
  private readonly fields = new Map<MemoryField, number>();
  private readonly others = new Set<number>();

  put(id: number, filter: Filter | undefined): void {
    const keys = filterKeysOf(filter);
    if (!keys) {
      this.others.add(id);
      return;
    }
    this.fields.set(keys.field, (this.fields.get(keys.field) ?? 0) + 1);
    for (const value of keys.values) {
      const key = `${keys.field}\u0000${value}`;
      const ids = this.byKey.get(key) ?? new Set();
      if (ids.size === 0) this.byKey.set(key, ids);
      ids.add(id);
    }
  }

  remove(id: number, filter: Filter | undefined): void {
    const keys = filterKeysOf(filter);
    if (!keys) {
      this.others.delete(id);
      return;
    }
    const left = (this.fields.get(keys.field) ?? 1) - 1;
    if (left === 0) this.fields.delete(keys.field);
    else this.fields.set(keys.field, left);
    for (const value of keys.values) {
      const key = `${keys.field}\u0000${value}`;
      const ids = this.byKey.get(key);
      ids?.delete(id);
      if (ids?.size === 0) this.byKey.delete(key);
    }
  }

  get size(): number {
    return this.others.size + this.byKey.size;
  }

  /** The queries that may admit the memory. */
  *candidates(memory: Memory): Generator<number> {
    yield* this.others;
    for (const field of this.fields.keys()) {
      const values = fieldValues(memory, field);
      for (const value of values.length > 0 ? values : [NOTHING]) {
        yield* this.byKey.get(`${field}\u0000${value as string}`) ?? [];
      }
    }
  }
}
