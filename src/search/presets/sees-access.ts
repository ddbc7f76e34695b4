import { type Filter, type MemoryField, someFieldOf } from '../../memory/filter.ts';
import { placesOf } from '../scoring/entry-place.ts';
import type { Scoring } from '../scoring/scoring.ts';
import type { Plan } from './preset.ts';

/** Fields that change when a memory is read with `touch`. */
const ACCESS: readonly MemoryField[] = ['retrieval_count', 'last_access_time'];

/** Whether the results of a plan, or their order, depend on when or how often memories were read. */
export function seesAccess(plan: Plan): boolean {
  switch (plan.kind) {
    case 'cue':
      return inFilter(plan.filter);
    case 'scored':
      return inFilter(plan.filter) || inScoring(plan.scoring);
    case 'sequence':
      return inFilter(plan.filter) || inFilter(plan.keptFilter) || atPath(plan.timePath);
    case 'fused':
      return plan.parts.some((part) => seesAccess(part.plan));
    case 'nothing':
      return false;
  }
}

function inFilter(filter: Filter | undefined): boolean {
  return filter !== undefined && someFieldOf(filter, ...ACCESS);
}

function inScoring(scoring: Scoring): boolean {
  switch (scoring.kind) {
    case 'importance':
      return scoring.sortBy.includes('recency');
    case 'window':
      return atPath(scoring.path);
    case 'attribute':
      return scoring.conditions.some(({ path }) => atPath(path));
    default:
      return false;
  }
}

function atPath(path: string): boolean {
  return placesOf(path).some((place) => place.kind === 'field' && ACCESS.includes(place.field));
}
