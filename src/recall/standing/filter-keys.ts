import { fieldValues } from '../../memory/field-values.ts';
import type { Filter, MemoryField } from '../../memory/filter.ts';
import type { Memory } from '../../memory/memory.ts';

/** A field and the values of which the filter demands one. */
export interface FilterKeys {
  readonly field: MemoryField;
  readonly values: readonly string[];
}

/** Fields that tell more than others come first. */
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

/** What every memory that the filter admits has, by the most telling field; `undefined` where nothing is demanded. */
export function filterKeysOf(filter: Filter | undefined): FilterKeys | undefined {
  const demands = filter?.kind === 'all' ? filter.filters : filter ? [filter] : [];
  let best: FilterKeys | undefined;
  for (const demand of demands) {
    const keys = demand.kind === 'all' ? filterKeysOf(demand) : keysOf(demand);
    if (keys && (!best || FIELDS.indexOf(keys.field) < FIELDS.indexOf(best.field))) best = keys;
  }
  return best;
}

function keysOf(filter: Filter): FilterKeys | undefined {
  if (filter.kind !== 'comparison' || filter.target.kind !== 'field' || filter.ignoreCase) return undefined;
  const { field } = filter.target;
  const isEquality = filter.operator === 'equals' || filter.operator === 'in';
  if (!isEquality || !FIELDS.includes(field)) return undefined;
  const values = filter.values.filter((value) => typeof value === 'string');
  return values.length === filter.values.length ? { field, values } : undefined;
}

/** Queries by what their filters demand. */
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

  /** Those that may admit the memory. */
  *candidates(memory: Memory): Generator<number> {
    yield* this.others;
    for (const field of this.fields.keys()) {
      for (const value of fieldValues(memory, field)) yield* this.byKey.get(`${field}\u0000${value as string}`) ?? [];
    }
  }
}
