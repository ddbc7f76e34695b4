import { instantIn } from '../../memory/instant.ts';
import type { Micros } from '../../memory/memory.ts';

const YEAR_FIRST = /^(\d{4})\/(\d\d)\/(\d\d)$/;
const MONTH_FIRST = /^(\d\d)\/(\d\d)\/(\d{4})$/;
/** Numbers above it are milliseconds: as seconds they would lie beyond the year 5000. */
const SECONDS_MAX = 1e11;

/** As `instantIn`, and `2024/07/17` and `07/17/2024`. */
export function looseInstantIn(text: string): Micros | undefined {
  const [, year, month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) return instantIn(`${year}-${month}-${day}`);
  const [, first, second, last] = MONTH_FIRST.exec(text) ?? [];
  if (last !== undefined) return instantIn(`${last}-${first}-${second}`);
  return instantIn(text);
}

/** The instant of a JSON value: a text of ISO 8601, or a number of seconds or milliseconds since 1970. */
export function instantOfValue(value: unknown): Micros | undefined {
  if (typeof value === 'string') return instantIn(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return value > SECONDS_MAX ? value * 1000 : value * 1e6;
}
