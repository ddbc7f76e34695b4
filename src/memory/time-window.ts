import type { Micros } from './memory.ts';
import { instantAt, SECONDS, utcDayMs } from './time/instants.ts';

export type CalendarPeriod = 'day' | 'week' | 'month' | 'year';

/** A validated time window: by the clock, by the calendar of a time zone, or explicit. */
export type TimeWindow =
  | { readonly kind: 'last'; readonly spanUs: Micros }
  | { readonly kind: 'period'; readonly period: CalendarPeriod; readonly ago: number; readonly timeZone: string }
  | { readonly kind: 'provided'; readonly fromUs?: Micros; readonly untilUs?: Micros };

/** The first instant inside and the first instant after; an absent end is open. */
export interface Stretch {
  readonly fromUs?: Micros;
  readonly untilUs?: Micros;
}

export function stretchOf(window: TimeWindow, nowUs: Micros): Stretch {
  switch (window.kind) {
    case 'last':
      return { fromUs: nowUs - window.spanUs, untilUs: nowUs + 1 };
    case 'provided':
      return window;
    case 'period':
      return periodOf(window, nowUs);
  }
}

/** Whether it is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    calendarOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

interface Day {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

function periodOf(
  { period, ago, timeZone }: Extract<TimeWindow, { kind: 'period' }>,
  nowUs: Micros,
): Required<Stretch> {
  const today = dayOf(calendarOf(timeZone), nowUs / 1000);
  const first = firstDayOf(period, today);
  const start = (back: number) => startOfDayUs(stepped(period, first, -back), timeZone);
  return { fromUs: start(ago), untilUs: start(ago - 1) };
}

function firstDayOf(period: CalendarPeriod, { year, month, day }: Day): Day {
  switch (period) {
    case 'day':
      return { year, month, day };
    case 'week':
      return { year, month, day: day - ((new Date(utcMs({ year, month, day })).getUTCDay() + 6) % 7) };
    case 'month':
      return { year, month, day: 1 };
    case 'year':
      return { year, month: 1, day: 1 };
  }
}

/** May name a day that the month does not have, such as the -3rd: `utcMs` counts it out. */
function stepped(period: CalendarPeriod, { year, month, day }: Day, count: number): Day {
  switch (period) {
    case 'day':
      return { year, month, day: day + count };
    case 'week':
      return { year, month, day: day + 7 * count };
    case 'month':
      return { year, month: month + count, day };
    case 'year':
      return { year: year + count, month, day };
  }
}

const DAY_MS = 86_400_000;

/** First instant of a day: not always midnight, as clocks may be put forward then. */
export function startOfDayUs(day: Day, timeZone: string): Micros {
  const calendar = calendarOf(timeZone);
  const midnightMs = utcMs(day);
  const wanted = dayOf(calendarOf('UTC'), midnightMs);
  const candidates = [midnightMs - DAY_MS, midnightMs + DAY_MS].map((atMs) => midnightMs - offsetMs(calendar, atMs));
  const inside = candidates.filter((atMs) => isSame(dayOf(calendar, atMs), wanted));
  // A zone that crossed the date line had no such day at all.
  return Math.min(...(inside.length > 0 ? inside : candidates)) * 1000;
}

function offsetMs(calendar: Intl.DateTimeFormat, atMs: number): number {
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = partsOf(calendar, atMs);
  const dayMs = utcDayMs(year, month - 1, day);
  return dayMs + ((hour * 60 + minute) * 60 + second) * 1000 - Math.floor(atMs / 1000) * 1000;
}

function dayOf(calendar: Intl.DateTimeFormat, atMs: number): Day {
  const { year = 0, month = 0, day = 0 } = partsOf(calendar, atMs);
  return { year, month, day };
}

function partsOf(calendar: Intl.DateTimeFormat, atMs: number): { readonly [part: string]: number } {
  return Object.fromEntries(calendar.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
}

function utcMs({ year, month, day }: Day): number {
  return utcDayMs(year, month - 1, day);
}

function isSame(one: Day, other: Day): boolean {
  return one.year === other.year && one.month === other.month && one.day === other.day;
}

const calendars = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError for an unknown time zone. */
function calendarOf(timeZone: string): Intl.DateTimeFormat {
  let calendar = calendars.get(timeZone);
  if (!calendar) {
    calendar = new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    calendars.set(timeZone, calendar);
  }
  return calendar;
}

const ISO = /^(?!0000)(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|z|[+-]\d\d:?\d\d)?$/;

/** The instant of a text of ISO 8601, in the years 1 to 9999; without a time zone it is UTC. `undefined` for any other text. */
export function instantIn(text: string): Micros | undefined {
  const parts = ISO.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts;
  const date = `${year}-${month}-${day}`;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const ms = Date.parse(`${date}T${hour}:${minute}:${second}${offset}`);
  // A date that no calendar has, such as the 31st of April, is read as one of the month after.
  if (Number.isNaN(ms) || !new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)) return undefined;
  const seconds = Math.floor(ms / 1000);
  if (seconds < SECONDS.min || seconds > SECONDS.max) return undefined;
  const digits = fraction.padEnd(6, '0');
  return instantAt(ms + Number(digits.slice(0, 3)), Number(digits.slice(3, 6)));
}
