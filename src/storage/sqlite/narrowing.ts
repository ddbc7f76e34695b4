import { type RawBuilder, type SqlBool, sql } from '#kysely';

/** A condition on rows of `memory`, named `memory`; true or false, never NULL, so that it can be negated. */
export type Condition = RawBuilder<SqlBool>;

/**
 * What SQL can say of a filter, from both sides. Where the two are the same object, the condition is the filter.
 */
export interface Narrowing {
  /** True of every memory that the filter admits; `undefined` when any memory may be admitted. */
  readonly may: Condition | undefined;
  /** True only of memories that the filter admits; `undefined` when that is certain of none. */
  readonly must: Condition | undefined;
}

export function exactly(condition: Condition): Narrowing {
  return { may: condition, must: condition };
}

export function atMost(condition: Condition): Narrowing {
  return { may: condition, must: undefined };
}

export function isExact({ may, must }: Narrowing): boolean {
  return may !== undefined && may === must;
}

export const NEVER: Narrowing = exactly(sql`0`);
export const ALWAYS: Narrowing = exactly(sql`1`);
export const UNKNOWN: Narrowing = { may: undefined, must: undefined };

/** True where all parts are. */
export function bothOf(parts: readonly Narrowing[]): Narrowing {
  if (parts.length > 0 && parts.every(isExact)) return exactly(joined(mays(parts), sql` AND `));
  const isMustKnown = parts.every(({ must }) => must !== undefined);
  return {
    may: mays(parts).length > 0 ? joined(mays(parts), sql` AND `) : undefined,
    must: isMustKnown ? joined(musts(parts), sql` AND `) : undefined,
  };
}

/** True where any part is. */
export function eitherOf(parts: readonly Narrowing[]): Narrowing {
  if (parts.length === 0) return NEVER;
  if (parts.every(isExact)) return exactly(joined(mays(parts), sql` OR `));
  const isMayKnown = parts.every(({ may }) => may !== undefined);
  return {
    may: isMayKnown ? joined(mays(parts), sql` OR `) : undefined,
    must: musts(parts).length > 0 ? joined(musts(parts), sql` OR `) : undefined,
  };
}

export function noneOf(part: Narrowing): Narrowing {
  const { may, must } = part;
  if (may && isExact(part)) return exactly(negated(may));
  return { may: must && negated(must), must: may && negated(may) };
}

function mays(parts: readonly Narrowing[]): Condition[] {
  return parts.map(({ may }) => may).filter((condition) => condition !== undefined);
}

function musts(parts: readonly Narrowing[]): Condition[] {
  return parts.map(({ must }) => must).filter((condition) => condition !== undefined);
}

/** Halves put together, because SQLite limits how deep an expression may be. */
function joined(conditions: readonly Condition[], separator: RawBuilder<unknown>): Condition {
  const [only] = conditions;
  if (only && conditions.length === 1) return only;
  const middle = conditions.length >> 1;
  const first = joined(conditions.slice(0, middle), separator);
  return sql`(${first}${separator}${joined(conditions.slice(middle), separator)})`;
}

function negated(condition: Condition): Condition {
  return sql`NOT (${condition})`;
}
