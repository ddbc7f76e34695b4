import type { Micros } from '../../memory/memory.ts';
import type { Plan } from './preset.ts';

/** How long the windows of a plan are that end now and go by when memories happened. */
export function spansOf(plan: Plan): readonly Micros[] {
  if (plan.kind === 'fused') return plan.parts.flatMap((part) => spansOf(part.plan));
  return plan.kind === 'scored' && plan.spanUs !== undefined ? [plan.spanUs] : [];
}
