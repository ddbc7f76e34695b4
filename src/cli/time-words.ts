import { PreciseDate } from '../../clients/typescript/src/index.ts';

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

const DAY_MS = 86_400_000;
const UNIT_MS = { second: 1000, minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS } as const;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * The time that a text names, counted from `now`; `undefined` when it names none. Days, weeks (from Monday), months and
 * years are those of UTC and stand for their beginning. `mneme help times` lists the forms.
 */
export function timeOf(text: string, now: Date): Date | undefined {
  return wordTime(text.trim().toLowerCase().replace(/\s+/g, ' '), now) ?? isoTime(text.trim());
}

const ISO = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?<zone>[Zz]|[+-]\d\d:?\d\d)?)?$/;

/** A date alone, or a date and a time, which is UTC where it has no zone. */
export function isoTime(text: string): Date | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const isDateAlone = text.length === 10;
  try {
    return PreciseDate.from(isDateAlone || match.groups?.['zone'] !== undefined ? text : `${text}Z`);
  } catch {
    return undefined;
  }
}

function wordTime(words: string, now: Date): Date | undefined {
  if (words === 'now') return now;
  const day = ['yesterday', 'today', 'tomorrow'].indexOf(words);
  if (day >= 0) return startOf('day', now, day - 1);
  const [, which, period] = /^(?:(last|this|next) )?([a-z]+)$/.exec(words) ?? [];
  const step = which === 'last' ? -1 : which === 'next' ? 1 : 0;
  if (which !== undefined && (period === 'week' || period === 'month' || period === 'year')) {
    return startOf(period, now, step);
  }
  const weekday = DAYS.indexOf(period ?? '');
  if (weekday >= 0 && which !== 'this') return startOfWeekday(weekday, now, step);
  return countedTime(words, now);
}

/** `2 days ago` or `in 3 weeks`. */
function countedTime(words: string, now: Date): Date | undefined {
  const match = /^(?:(?<in>in) )?(?<count>\d{1,5}|an?|one) (?<unit>[a-z]+?)s?(?: (?<ago>ago))?$/.exec(words)?.groups;
  if (!match || (match['in'] === undefined) === (match['ago'] === undefined)) return undefined;
  const count = Number(match['count']) || (match['count'] === '0' ? 0 : 1);
  return moved(now, match['unit'] as Unit, match['ago'] === undefined ? count : -count);
}

function moved(from: Date, unit: Unit, count: number): Date | undefined {
  if (unit === 'month' || unit === 'year') return movedByMonths(from, unit === 'month' ? count : 12 * count);
  const ms = Object.hasOwn(UNIT_MS, unit) ? UNIT_MS[unit] : undefined;
  return ms === undefined ? undefined : new Date(from.getTime() + count * ms);
}

/** A day that the month does not have is its last one: a month before 31 March is 28 February. */
function movedByMonths(from: Date, count: number): Date {
  const at = new Date(from);
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + count);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return at;
}

function startOf(period: 'day' | 'week' | 'month' | 'year', now: Date, step: number): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (period === 'year') return new Date(Date.UTC(year + step, 0, 1));
  if (period === 'month') return new Date(Date.UTC(year, month + step, 1));
  const toMonday = period === 'week' ? (now.getUTCDay() + 6) % 7 : 0;
  return new Date(Date.UTC(year, month, day - toMonday + step * (period === 'week' ? 7 : 1)));
}

/** Without a step the latest one, today included; else the one before or after today. */
function startOfWeekday(weekday: number, now: Date, step: number): Date {
  const today = startOf('day', now, 0);
  const since = (today.getUTCDay() - weekday + 7) % 7;
  const days = step > 0 ? 7 - since : step < 0 && since === 0 ? -7 : -since;
  return new Date(today.getTime() + days * DAY_MS);
}
