import type { Comparison, Filter, FilterValue, Operator, TimeField } from '../filter.ts';
import { instantIn } from '../time-window.ts';
import { DAY_US, type TimeSpan } from './calendar.ts';
import { instantBefore } from './instants.ts';
import { inZone, isTimeZone, zoneNamed } from './zone.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const DAY = /^(\d{4}-\d\d-\d\d)(?:(Z|z|[+-]\d\d:?\d\d)|\[([^[\]]*)\])?$/;

/** A day of the calendar in a time zone: 23 to 25 hours where clocks change. `undefined` for no such day or zone. */
export function dayInZone(date: string, timeZone: string): TimeSpan | undefined {
  const fromUs = DATE.test(date) ? instantIn(date) : undefined;
  if (fromUs === undefined || !isTimeZone(timeZone)) return undefined;
  return inZone(zoneNamed(timeZone), { fromUs, untilUs: fromUs + DAY_US });
}

/** The day of a text such as `2026-06-10` (in UTC) or `2026-06-10[Europe/Berlin]`. `undefined` for any other text. */
export function dayIn(text: string): TimeSpan | undefined {
  const [, date, offset, timeZone = 'UTC'] = DAY.exec(text) ?? [];
  if (date === undefined) return undefined;
  if (offset === undefined) return dayInZone(date, timeZone);
  const fromUs = instantIn(text);
  return fromUs === undefined ? undefined : { fromUs, untilUs: fromUs + DAY_US };
}

/** A time to compare with: an instant, or a whole day. */
export type ComparedTime = { readonly timeUs: number } | TimeSpan;

/** The instant, or the first of the day. */
export function firstUsOf(time: ComparedTime): number {
  return 'timeUs' in time ? time.timeUs : time.fromUs;
}

/** The instant, or the last of the day. */
export function lastUsOf(time: ComparedTime): number {
  return 'timeUs' in time ? time.timeUs : instantBefore(time.untilUs);
}

/** The instant or day of a text of ISO 8601. */
export function comparedTimeIn(text: string): ComparedTime | undefined {
  const day = dayIn(text);
  if (day) return day;
  const timeUs = instantIn(text);
  return timeUs === undefined ? undefined : { timeUs };
}

/**
 * The comparison of a field with times as one with instants. A day is all of its instants: less is before its first,
 * less or equal is up to its last, greater is after its last, equal is within.
 */
export function comparedWithTimes(field: TimeField, operator: Operator, times: readonly ComparedTime[]): Filter {
  const days = times.filter((time) => 'fromUs' in time);
  const instants = times.filter((time) => 'timeUs' in time);
  const filters = days.map((day) => comparedWithDay(field, operator, day));
  if (instants.length > 0 || days.length === 0) filters.unshift(comparison(field, operator, instants));
  const [only] = filters;
  return only && filters.length === 1 ? only : { kind: 'any', filters };
}

function comparedWithDay(field: TimeField, operator: Operator, { fromUs, untilUs }: TimeSpan): Filter {
  const from = { timeUs: fromUs };
  const until = { timeUs: untilUs };
  switch (operator) {
    case 'less':
      return comparison(field, 'less', [from]);
    case 'less_or_equal':
      return comparison(field, 'less', [until]);
    case 'greater':
      return comparison(field, 'greater_or_equal', [until]);
    case 'greater_or_equal':
      return comparison(field, 'greater_or_equal', [from]);
    case 'equals':
    case 'in':
      return {
        kind: 'all',
        filters: [comparison(field, 'greater_or_equal', [from]), comparison(field, 'less', [until])],
      };
    default:
      return comparison(field, operator, [from]);
  }
}

function comparison(field: TimeField, operator: Operator, values: readonly FilterValue[]): Comparison {
  return { kind: 'comparison', target: { kind: 'field', field }, operator, values, ignoreCase: false };
}
