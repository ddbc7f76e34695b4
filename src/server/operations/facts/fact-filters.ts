import { FACT_SCHEMA, FACT_TYPE } from '../../../memory/facts/fact-record.ts';
import type { Filter } from '../../../memory/filter.ts';

/** Memories that have a fact. */
export function isFactFilter(): Filter {
  const target = { kind: 'field', field: 'type' } as const;
  const isFact: Filter = { kind: 'comparison', target, operator: 'equals', values: [FACT_TYPE], ignoreCase: false };
  return { kind: 'all', filters: [isFact, content('schema', [FACT_SCHEMA])] };
}

/** Memories whose content has one of the values under a key. */
export function content(name: string, values: readonly string[]): Filter {
  const operator = values.length === 1 ? 'equals' : 'in';
  return { kind: 'comparison', target: { kind: 'path', path: [name] }, operator, values, ignoreCase: false };
}
