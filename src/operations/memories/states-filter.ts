import type { Filter, MemoryField, Operator, Scalar } from '../../memory/filter.ts';
import type { Scope } from '../../memory/memory.ts';

export interface States {
  /** Parts that are not empty must be equal. */
  readonly scope?: Scope;
  readonly type: string;
  readonly startStep?: number;
  readonly endStep?: number;
  readonly filter?: Filter;
}

/** The states of a run that have a step. */
export function statesFilter({ scope, type, startStep = 0, endStep, filter }: States): Filter {
  const filters: Filter[] = [compare('type', 'equals', type), compare('step', 'greater_or_equal', startStep)];
  if (endStep !== undefined) filters.push(compare('step', 'less_or_equal', endStep));
  if (scope) filters.push(...scopeFilters(scope));
  if (filter) filters.push(filter);
  return { kind: 'all', filters };
}

/** One condition for each part of the scope that is given. */
export function scopeFilters(scope: Scope): Filter[] {
  const parts = [
    ['project', scope.project],
    ['agent_type', scope.agentType],
    ['agent', scope.agent],
    ['session', scope.session],
  ] as const;
  return parts.flatMap(([field, value]) => (value === '' ? [] : [compare(field, 'equals', value)]));
}

export function compare(field: MemoryField, operator: Operator, value: Scalar): Filter {
  return { kind: 'comparison', target: { kind: 'field', field }, operator, values: [value], ignoreCase: false };
}
