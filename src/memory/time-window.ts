import type { Micros } from './memory.ts';
import { periodAt } from './time/calendar.ts';
import { instantAt, SECONDS } from './time/instants.ts';
import { inZone, zoneNamed } from './time/zone.ts';

export type CalendarPeriod = 'day' | 'week' | 'month' | 'year';

/** A validated time window: by the clock, by the calendar of a time zone, or explicit. */
export type TimeWindow =
  | { readonly kind: 'last'; readonly spanUs: Micros }
  | { readonly kind: 'period'; readonly period: CalendarPeriod; readonly ago: number; readonly timeZone?: string }
  | { readonly kind: 'provided'; readonly fromUs?: Micros; readonly untilUs?: Micros };

/** The window whose calendar is of a zone, unless it has its own. */
export function zonedWindow<W extends TimeWindow>(window: W, timeZone: string | undefined): W {
  return window.kind === 'period' ? { ...window, timeZone: window.timeZone ?? timeZone } : window;
}

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

function periodOf(
  { period, ago, timeZone = 'UTC' }: Extract<TimeWindow, { kind: 'period' }>,
  nowUs: Micros,
): Required<Stretch> {
  const zone = zoneNamed(timeZone);
  return inZone(zone, periodAt(period, zone.wallUs(nowUs), -ago));
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
