import type { Filter } from './filter.ts';
import type { Scope } from './memory.ts';

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
