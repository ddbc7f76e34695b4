import { InvalidArgumentError } from 'commander';
import { type Json, PreciseDate, type Tier } from '../../clients/typescript/src/index.ts';
import { parseJson } from '../memory/json.ts';
import { periodAt, shifted, weekdayOf } from '../memory/time/calendar.ts';
import { dayIn } from '../memory/time/calendar-day.ts';
import { isTimeZone } from '../memory/time/zone.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const DAY_MS = 86_400_000;

/** Parsers of flag values: commander appends their messages to the flag's name. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw expected(`a whole number from ${min} to ${max}`);
    return value;
  };
}

export function numberFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= min && value <= max)) throw expected(`a number from ${min} to ${max}`);
    return value;
  };
}

export function finiteNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw expected('a number');
  return value;
}

/** Numbers with commas between them, such as `48.85,2.35`. */
export function numbers(countMin: number, countMax: number): (text: string) => number[] {
  return (text) => {
    const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    if (values.length >= countMin && values.length <= countMax && values.every(Number.isFinite)) return values;
    throw expected(
      `${countMin === countMax ? countMin : `${countMin} or ${countMax}`} numbers with commas between them`,
    );
  };
}

/** As the server's limit of a time to live. */
const SPAN_MAX_DAYS = 36_500;

/** A span of time in milliseconds, such as `90s`, `15m`, `2h` or `7d`. */
export function durationMs(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  const factor = UNIT_MS[unit ?? ''];
  if (amount === undefined || factor === undefined) throw expected('a span of time, such as 90s, 15m, 2h or 7d');
  const ms = Number(amount) * factor;
  if (ms > SPAN_MAX_DAYS * DAY_MS) throw expected(`a span of time of at most ${SPAN_MAX_DAYS}d`);
  return ms;
}

/** As `durationMs`: what lives for no time would be gone before it is read. */
export function timeToLiveMs(text: string): number {
  const ms = durationMs(text);
  if (ms === 0) throw expected('a span of time above zero, such as 90s, 15m, 2h or 7d');
  return ms;
}

const A_TIME = 'a time, such as 2026-11-01, 2026-11-01T15:30, yesterday or "2 days ago"';

/** A time such as `2024-05-08`, `2024-05-08T13:56Z` or `last week`; of a day its beginning. */
export function time(text: string): Date {
  const found = timeOf(text, new Date());
  if (!found) throw expected(A_TIME);
  return found;
}

/** The first instant after: of a day its end, otherwise as `time`. */
export function endTime(text: string): Date {
  const found = endOf(text, new Date());
  if (!found) throw expected(A_TIME);
  return found;
}

/** IANA name of a time zone, or an offset. */
export function timeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw expected('a time zone, such as Europe/Berlin or +02:00');
}

export function jsonObject(text: string): { readonly [key: string]: Json } {
  try {
    const value: unknown = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw expected('a JSON object, such as {"hours": 2}');
}

/** For repeatable `key=value` flags. */
export function setting(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw expected('key=value, such as short_term.ttl=2h');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** A path into JSON content, without an empty key. */
export function contentPath(text: string): string {
  if (/^(?:[^\\.]|\\[\\.])+(?:\.(?:[^\\.]|\\[\\.])+)*$/s.test(text)) return text;
  throw expected('keys joined by dots, such as position.room; \\. is a dot inside a key');
}

/** The id of a memory, or its full resource name. */
export function memoryId(text: string): string {
  if (/^(?:namespaces\/.+|[A-Za-z0-9._~:-]{1,128})$/.test(text)) return text;
  throw expected('the id of a memory: 1 to 128 letters, digits and . _ ~ : -');
}

export function memoryIds(text: string, before: readonly string[] = []): string[] {
  return [...before, memoryId(text)];
}

export const TIERS: readonly Tier[] = ['short_term', 'intermediate', 'long_term'];

export const tier = tierAmong(TIERS);

export function tierAmong(tiers: readonly Tier[]): (text: string) => Tier {
  return (text) => {
    const found = tiers.find((name) => name === text);
    if (!found) throw expected(`one of ${tiers.join(', ')}`);
    return found;
  };
}

/** For repeatable flags. */
export function several(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

function expected(what: string): InvalidArgumentError {
  return new InvalidArgumentError(`Expected ${what}.`);
}

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;

type Unit = (typeof UNITS)[number];

const NAMED_DAYS = ['yesterday', 'today', 'tomorrow'];
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * The time that a text names, relative to `now`; `undefined` when it names none. Days, weeks (from Monday), months and
 * years are in UTC and mean their beginning. `mneme help times` lists the forms.
 */
export function timeOf(text: string, now: Date): Date | undefined {
  return wordTime(wordsOf(text), now) ?? zonedDay(text)?.from ?? isoTime(text.trim());
}

/** As `timeOf`, and of a day, by its date or by a word, the end. */
export function endOf(text: string, now: Date): Date | undefined {
  const words = wordsOf(text);
  const isDay = NAMED_DAYS.includes(words) || DAYS.includes(words.slice(words.indexOf(' ') + 1));
  const from = isDay ? wordTime(words, now) : undefined;
  return from ? startOf('day', from, 1) : (zonedDay(text)?.until ?? timeOf(text, now));
}

function zonedDay(text: string): { readonly from: Date; readonly until: Date } | undefined {
  const day = dayIn(text.trim());
  return day && { from: new Date(day.fromUs / 1000), until: new Date(day.untilUs / 1000) };
}

function wordsOf(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, ' ');
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
  const day = NAMED_DAYS.indexOf(words);
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
  if (unit === 'second') return new Date(from.getTime() + count * 1000);
  if (!UNITS.includes(unit)) return undefined;
  return dateOf(shifted(usOf(from), unit, count));
}

function startOf(period: 'day' | 'week' | 'month' | 'year', now: Date, step: number): Date {
  return dateOf(periodAt(period, usOf(now), step).fromUs);
}

/** Without a step the latest one, today included; else the one before or after today. */
function startOfWeekday(weekday: number, now: Date, step: number): Date {
  const since = (weekdayOf(usOf(now)) - weekday + 7) % 7;
  const days = step > 0 ? 7 - since : step < 0 && since === 0 ? -7 : -since;
  return startOf('day', now, days);
}

function usOf(date: Date): number {
  return date.getTime() * 1000;
}

function dateOf(atUs: number): Date {
  return new Date(atUs / 1000);
}
