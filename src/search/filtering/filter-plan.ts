import type { Filter } from '../../memory/filter.ts';
import type { Bits } from './bits.ts';

/** The memories of a set that a filter admits, from both sides; the same object where they are known exactly. */
export interface Sides {
  /** All that the filter admits, and perhaps more. */
  readonly may: Bits;
  /** Only memories that the filter admits, perhaps not all. */
  readonly must: Bits;
}

/** How a filter is carried out. */
export interface Plan {
  /** Estimate of the number of memories that it admits. */
  readonly count: number;
  sides(within: Bits): Sides;
}

export function exactly(count: number, select: (within: Bits) => Bits): Plan {
  return {
    count,
    sides(within) {
      const found = select(within);
      return { may: found, must: found };
    },
  };
}

export const NEVER: Plan = exactly(0, (within) => within.emptied());

/** Every memory; there are `count`. */
export function always(count: number): Plan {
  return exactly(count, (within) => within);
}

/** Nothing is known about the filter. */
export function unknown(count: number): Plan {
  return { count, sides: (within) => ({ may: within, must: within.emptied() }) };
}

type Group = Extract<Filter, { readonly kind: 'all' | 'any' }>['kind'];

export function grouped(kind: Group, plans: readonly Plan[], size: number): Plan {
  return kind === 'all' ? bothOf(plans, size) : eitherOf(plans, size);
}

/** Conjunction: the most selective part first, each of the others only among what is left. */
function bothOf(plans: readonly Plan[], size: number): Plan {
  const ordered = [...plans].sort((a, b) => a.count - b.count);
  return {
    count: ordered[0]?.count ?? size,
    sides(within) {
      let may = within;
      let must = within;
      for (const plan of ordered) {
        const isExact = may === must;
        const sides = plan.sides(may);
        may = sides.may;
        must = isExact ? sides.must : must.and(sides.must);
      }
      return { may, must };
    },
  };
}

function eitherOf(plans: readonly Plan[], size: number): Plan {
  return {
    count: Math.min(
      size,
      plans.reduce((sum, { count }) => sum + count, 0),
    ),
    sides(within) {
      let sides: Sides = NEVER.sides(within);
      for (const plan of plans) {
        const { may, must } = plan.sides(within);
        const either = sides.may.or(may);
        sides = { may: either, must: may === must && sides.may === sides.must ? either : sides.must.or(must) };
      }
      return sides;
    },
  };
}

export function negated(plan: Plan, size: number): Plan {
  return {
    count: Math.max(0, size - plan.count),
    sides(within) {
      const { may, must } = plan.sides(within);
      const none = within.without(must);
      return { may: none, must: may === must ? none : within.without(may) };
    },
  };
}
