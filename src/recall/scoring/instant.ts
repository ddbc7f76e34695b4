import type { Micros } from '../../memory/memory.ts';

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|z|[+-]\d\d:?\d\d)?$/;
const YEAR_FIRST = /^(\d{4})\/(\d\d)\/(\d\d)$/;
const MONTH_FIRST = /^(\d\d)\/(\d\d)\/(\d{4})$/;
/** Numbers above it are milliseconds: as seconds they would lie beyond the year 5000. */
const SECONDS_MAX = 1e11;

/** The instant that a text of ISO 8601 names; without a time zone it is UTC. `undefined` for any other text. */
export function instantIn(text: string): Micros | undefined {
  const parts = ISO.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts;
  const date = `${year}-${month}-${day}`;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const ms = Date.parse(`${date}T${hour}:${minute}:${second}${offset}`);
  // A date that no calendar has, such as the 31st of April, is read as one of the month after.
  if (Number.isNaN(ms) || !new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)) return undefined;
  return ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

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
