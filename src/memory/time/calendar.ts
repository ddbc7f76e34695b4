import type { Micros } from '../memory.ts';
import { utcDayMs } from './instants.ts';

/** From the first instant inside to the first instant after. */
export interface TimeSpan {
  readonly fromUs: Micros;
  readonly untilUs: Micros;
}

export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');
const MINUTE_US = 60_000_000;
export const HOUR_US = 60 * MINUTE_US;
export const DAY_US = 24 * HOUR_US;

/** From 0; -1 for no month. */
export function monthNumber(word: string): number {
  return MONTHS.indexOf(word.slice(0, 3));
}

/** From 0 for Sunday; -1 for no day. */
export function weekdayNumber(word: string): number {
  return WEEKDAYS.indexOf(word.slice(0, 3));
}

/** The day, week (from Monday), month or year that is `count` after the one with the instant in it; shorter units: that long, from its beginning. */
export function periodAt(unit: Unit, atUs: Micros, count = 0): TimeSpan {
  const date = new Date(atUs / 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (unit) {
    case 'minute':
      return lengths(atUs, MINUTE_US, count);
    case 'hour':
      return lengths(atUs, HOUR_US, count);
    case 'day':
      return between(dateUs(year, month, day + count), dateUs(year, month, day + count + 1));
    case 'week': {
      const monday = day - ((date.getUTCDay() + 6) % 7);
      return between(dateUs(year, month, monday + 7 * count), dateUs(year, month, monday + 7 * count + 7));
    }
    case 'month':
      return between(dateUs(year, month + count, 1), dateUs(year, month + count + 1, 1));
    case 'year':
      return between(dateUs(year + count, 0, 1), dateUs(year + count + 1, 0, 1));
  }
}

/** The same time of day so many units later; a month's last day where it has no such day. */
export function shifted(atUs: Micros, unit: Unit, count: number): Micros {
  if (unit === 'minute') return atUs + count * MINUTE_US;
  if (unit === 'hour') return atUs + count * HOUR_US;
  if (unit === 'day') return atUs + count * DAY_US;
  if (unit === 'week') return atUs + 7 * count * DAY_US;
  const date = new Date(atUs / 1000);
  const first = dateUs(date.getUTCFullYear(), date.getUTCMonth() + (unit === 'year' ? 12 * count : count), 1);
  const { untilUs } = periodAt('month', first);
  const wanted = first + (date.getUTCDate() - 1) * DAY_US;
  return Math.min(wanted, untilUs - DAY_US) + (atUs - periodAt('day', atUs).fromUs);
}

export function monthSpan(year: number, month: number): TimeSpan {
  return between(dateUs(year, month, 1), dateUs(year, month + 1, 1));
}

/** `undefined` for a day that the month does not have. */
export function daySpan(year: number, month: number, day: number): TimeSpan | undefined {
  const fromUs = dateUs(year, month, day);
  if (new Date(fromUs / 1000).getUTCMonth() !== ((month % 12) + 12) % 12) return undefined;
  return between(fromUs, fromUs + DAY_US);
}

export function yearSpan(year: number): TimeSpan {
  return between(dateUs(year, 0, 1), dateUs(year + 1, 0, 1));
}

export function yearOf(atUs: Micros): number {
  return new Date(atUs / 1000).getUTCFullYear();
}

/** From 0. */
export function monthOf(atUs: Micros): number {
  return new Date(atUs / 1000).getUTCMonth();
}

export function weekdayOf(atUs: Micros): number {
  return new Date(atUs / 1000).getUTCDay();
}

export function between(fromUs: Micros, untilUs: Micros): TimeSpan {
  return { fromUs, untilUs };
}

function lengths(atUs: Micros, lengthUs: Micros, count: number): TimeSpan {
  return between(atUs + count * lengthUs, atUs + (count + 1) * lengthUs);
}

function dateUs(year: number, month: number, day: number): Micros {
  return utcDayMs(year, month, day) * 1000;
}
