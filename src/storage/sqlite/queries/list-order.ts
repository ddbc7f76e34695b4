import { type RawBuilder, type SqlBool, sql } from '#kysely';
import type { ListOrder, ListPosition } from '../../memory-store.ts';

type Column = 'created_at_us' | 'event_at_us' | 'importance' | 'step';

/** Sort column and direction of each order. Equals follow the row key in the same direction, as the indexes have it. */
const ORDERS: { readonly [O in ListOrder]: { readonly column: Column; readonly descending: boolean } } = {
  create_time_desc: { column: 'created_at_us', descending: true },
  create_time_asc: { column: 'created_at_us', descending: false },
  event_time_desc: { column: 'event_at_us', descending: true },
  event_time_asc: { column: 'event_at_us', descending: false },
  importance_desc: { column: 'importance', descending: true },
  step_asc: { column: 'step', descending: false },
  step_desc: { column: 'step', descending: true },
};

/** A part of an order that one index gives: the memories with a value, then those without one, from a place on. */
export interface Stretch {
  readonly order: ListOrder;
  readonly hasValue: boolean;
  readonly isAfter: boolean;
}

const INDEXES: { readonly [C in Column]: string } = {
  created_at_us: 'memory_created',
  event_at_us: 'memory_event',
  importance: 'memory_importance',
  step: 'memory_step',
};

/** The index that has the stretch in its order; memories without a value have none. */
export function indexOfStretch({ order, hasValue }: Stretch): string | undefined {
  return hasValue ? INDEXES[ORDERS[order].column] : undefined;
}

export function stretchesOf(order: ListOrder, after: ListPosition | undefined): Stretch[] {
  const withValue = { order, hasValue: true, isAfter: after !== undefined };
  if (ORDERS[order].column !== 'step') return [withValue];
  if (after?.value === null) return [{ order, hasValue: false, isAfter: true }];
  return [withValue, { order, hasValue: false, isAfter: false }];
}

/** What a stretch asks of rows of `memory`, and how it sorts them. */
export function stretchClauses(
  { order, hasValue, isAfter }: Stretch,
  after: { readonly value: number | null; readonly tie: number },
): { condition: RawBuilder<SqlBool>; order: RawBuilder<unknown> } {
  const { column, descending } = ORDERS[order];
  const value = sql.ref(`memory.${column}`);
  const beyond = sql.raw(descending ? '<' : '>');
  const direction = sql.raw(descending ? 'DESC' : 'ASC');
  if (hasValue) {
    const position = isAfter ? sql`AND (${value}, memory.pk) ${beyond} (${after.value}, ${after.tie})` : sql``;
    return {
      condition: sql`${value} IS NOT NULL ${position}`,
      order: sql`${value} ${direction}, memory.pk ${direction}`,
    };
  }
  const position = isAfter ? sql`AND memory.pk ${beyond} ${after.tie}` : sql``;
  return { condition: sql`${value} IS NULL ${position}`, order: sql`memory.pk ${direction}` };
}

export function positionOf(
  order: ListOrder,
  row: { readonly pk: number } & { readonly [C in Column]: number | null },
): ListPosition {
  return { value: row[ORDERS[order].column], tie: row.pk };
}
