import type { Filter } from '../memory/filter.ts';
import type { RecallQuery } from './recall-engine.ts';

/** The request's filter and scope as one condition. */
export function filterOf({ filter, scope }: RecallQuery): Filter | undefined {
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
