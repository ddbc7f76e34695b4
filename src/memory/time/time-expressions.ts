import type { Micros } from '../memory.ts';
import {
  between,
  DAY_US,
  daySpan,
  HOUR_US,
  monthNumber,
  monthOf,
  monthSpan,
  periodAt,
  shifted,
  type TimeSpan,
  type Unit,
  weekdayNumber,
  weekdayOf,
  yearOf,
  yearSpan,
} from './calendar.ts';
import { UTC, type Zone } from './zone.ts';

/** Longer texts are read up to here. */
const CHARACTERS_READ = 2000;
/** A text that names more times than this is a list of dates. */
const SPANS_MAX = 8;
/** Private characters of Unicode replace the times that rules have read: the first private character stands for time 0. */
const READ = /[\uE000-\uE0FF]/g;
const FIRST_READ = 0xe000;

const MONTH =
  '(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\b\\.?';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d\\d)';
const WEEKDAY = '(sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?';
const COUNT = '(\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple of|a few)';
const UNIT = '(minute|hour|day|week|month|year)s?';
/** Two digits are of this century. */
const ANY_YEAR = '((?:19|20)?\\d\\d)';
const QUARTERS: readonly string[] = ['first', 'second', 'third', 'fourth'];
const COUNTS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };
/** Hours of the day from midnight, the last of them on the next day. */
const DAY_PARTS: Readonly<Record<string, readonly [number, number]>> = {
  morning: [4, 12],
  noon: [11, 14],
  afternoon: [12, 18],
  evening: [17, 28],
  night: [18, 30],
};

/** In wall times; elapsed time is not measured by the clock, which may have been changed meanwhile. */
interface NamedSpan extends TimeSpan {
  readonly isElapsed?: boolean;
}

type Found = NamedSpan | readonly NamedSpan[] | undefined;

interface Rule {
  readonly pattern: RegExp;
  /**
   * `part` returns a group of the match, '' where it has none; `nowUs` is the wall time of the question. `undefined`
   * leaves the match to later rules; no spans take it away from them, as of a day that the month does not have.
   */
  readonly span: (part: (at: number) => string, nowUs: Micros) => Found;
}

/** A rule for text between word boundaries, in lower case. */
function rule(pattern: string, span: Rule['span']): Rule {
  return { pattern: new RegExp(`\\b${pattern}(?![\\w-])`, 'g'), span };
}

/** Applied in this order: text that one rule has matched is not offered to later rules. */
const RULES: readonly Rule[] = [
  rule('(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})(?:t[\\d:.]+z?)?', (part) => dayOf(part(1), part(3), part(4))),
  rule('(?<=(?:on|from|since|of|at|dated) )((?:19|20)\\d\\d)(\\d\\d)(\\d\\d)', (part) =>
    dayOf(part(1), part(2), part(3)),
  ),
  rule('(\\d{4})(?:年|년 ?)(\\d{1,2})(?:月|월 ?)(\\d{1,2})(?:日|일)', (part) => dayOf(part(1), part(2), part(3))),
  rule(`(\\d\\d\\.\\d\\d|\\d{1,2}\\.\\d{1,2}(?=\\.\\d{4}))\\.${ANY_YEAR}`, (part) => {
    const [day = '', month = ''] = part(1).split('.');
    return dayOf(part(2), month, day);
  }),
  rule(`(\\d{1,2})/(\\d{1,2})/${ANY_YEAR}`, (part) => eitherDay(part(3), part(1), part(2))),
  rule(`(\\d{1,2})-(\\d{1,2})-${YEAR}`, (part) => eitherDay(part(3), part(1), part(2))),
  rule(`(?:the )?${DAY} (?:of )?${MONTH},? ${YEAR}`, (part) => dayIn(part(3), part(2), part(1))),
  rule(`${MONTH} (?:the )?${DAY},? ${YEAR}`, (part) => dayIn(part(3), part(1), part(2))),
  rule(`(?:the )?${DAY} (?:of )?${MONTH}`, (part, nowUs) => dayNear(part(2), part(1), nowUs)),
  rule(`${MONTH} (?:the )?${DAY}`, (part, nowUs) => dayNear(part(1), part(2), nowUs)),
  rule(`${MONTH},? (?:of )?${YEAR}`, (part) => monthSpan(Number(part(2)), monthNumber(part(1)))),
  rule(`(last|next|this) ${MONTH}`, (part, nowUs) => monthBeside(part(1), part(2), nowUs)),
  rule(
    `(?:(?:in|during|of|by) |(?<=(?:since|from|between|until) )|(?<=(?:and|to) )(?!may))(?:early |late |mid-?)?${MONTH}`,
    (part, nowUs) => monthsNear(part(1), nowUs),
  ),
  rule(`(?:(?:in|the) )?(?:q([1-4])|(first|second|third|fourth) quarter)(?:,? (?:of )?${YEAR})?`, quarter),
  rule('(last|past|this|next) quarter', (part, nowUs) => {
    const { fromUs } = monthSpan(yearOf(nowUs), 3 * Math.floor(monthOf(nowUs) / 3));
    const step = part(1) === 'next' ? 3 : part(1) === 'this' ? 0 : -3;
    return between(shifted(fromUs, 'month', step), shifted(fromUs, 'month', step + 3));
  }),
  rule(`(?:calendar week|cw|kw) ?(\\d{1,2})(?:,? (?:of )?${YEAR})?`, (part, nowUs) => weeks(part(2), part(1), nowUs)),
  rule(`week (\\d{1,2}),? (?:of )?${YEAR}`, (part, nowUs) => weeks(part(2), part(1), nowUs)),
  rule('(\\d{4})-?w(\\d\\d)', (part, nowUs) => weeks(part(1), part(2), nowUs)),
  rule('(last|this|next|in|the|during) (?:the )?(spring|summer|autumn|fall|winter)(?: of ((?:19|20)\\d\\d))?', season),
  rule(`(?:(?:in|during|of|year|back in) |(?<=(?:since|from|between|until|and|to) ))${YEAR}`, (part) =>
    yearSpan(Number(part(1))),
  ),
  rule('the day before yesterday', (_, nowUs) => periodAt('day', nowUs, -2)),
  rule('the day after tomorrow', (_, nowUs) => periodAt('day', nowUs, 2)),
  rule('(yesterday|today|tomorrow|this) (morning|noon|afternoon|evening|night)', (part, nowUs) =>
    partOfDay(part(2), nowUs, part(1) === 'yesterday' ? -1 : Number(part(1) === 'tomorrow')),
  ),
  rule('last (night|evening)', (part, nowUs) => partOfDay(part(1), nowUs, -1)),
  rule('tonight', (_, nowUs) => partOfDay('night', nowUs, 0)),
  rule('yesterday', (_, nowUs) => periodAt('day', nowUs, -1)),
  rule("today(?!'s)", (_, nowUs) => periodAt('day', nowUs)),
  rule('tomorrow', (_, nowUs) => periodAt('day', nowUs, 1)),
  rule('(last|this|next|the|over the|at the) weekend', (part, nowUs) => weekend(part(1), nowUs)),
  rule(
    `(?:(last|this past|past|this|next|on|coming) |(?<=(?:since|from|between|until|and|to) ))${WEEKDAY}`,
    (part, nowUs) => weekday(part(1), part(2), nowUs),
  ),
  rule('(last|this|next) (week|month|year)', (part, nowUs) =>
    periodAt(part(2) as Unit, nowUs, part(1) === 'last' ? -1 : Number(part(1) === 'next')),
  ),
  rule(`(?:in |during |over |within )?(?:the )?(?:last|past) (?:${COUNT} )?${UNIT}`, (part, nowUs) =>
    named(part(2) as Unit, shifted(nowUs, part(2) as Unit, -countOf(part(1) || 'one')), nowUs + 1),
  ),
  rule(`(?:about |around |some )?${COUNT} ${UNIT} ago`, (part, nowUs) => ago(countOf(part(1)), part(2) as Unit, nowUs)),
  rule(`(?:in|within) ${COUNT} ${UNIT}(?: from now)?`, (part, nowUs) => {
    const { fromUs, untilUs } = periodAt(part(2) as Unit, shifted(nowUs, part(2) as Unit, countOf(part(1))));
    return named(part(2) as Unit, fromUs, untilUs);
  }),
];

/** Applied after the rules, to the times that these have read. */
const BETWEEN = /\b(?:from|between) ([\uE000-\uE0FF]) (?:and|to|until|till|through) ([\uE000-\uE0FF])/g;
const SINCE = /\b(?:since|from) (?:the )?([\uE000-\uE0FF])(?: on| onwards?| until (?:now|today))?/g;
const WEEK_OF = /\b(?:the )?week of (?:the )?([\uE000-\uE0FF])/g;

/**
 * The times that an English text names, as they are meant at an instant in a time zone: "yesterday", "last week", "in
 * October", "on 1 November 2026", "three days ago", "since Monday". A month or day without a year is the last one and
 * the next one. Of a date in digits with slashes or dashes whose year is last, the month may be first or second: where
 * both are possible, both days count. Days begin at midnight of the zone, weeks on Monday. At most eight, in no order.
 */
export function timesNamedIn(text: string, referenceUs: Micros, zone: Zone = UTC): TimeSpan[] {
  const nowUs = zone.wallUs(referenceUs);
  const read: (readonly NamedSpan[])[] = [];
  const mark = (found: readonly NamedSpan[]) => String.fromCharCode(FIRST_READ + (read.push(found) - 1));
  const readAt = (character: string) => read[character.charCodeAt(0) - FIRST_READ] ?? [];
  let rest = text.slice(0, CHARACTERS_READ).toLowerCase().replace(READ, ' ');
  for (const { pattern, span } of RULES) {
    rest = rest.replace(pattern, (matched: string, ...parts: unknown[]) => {
      if (read.length > MARKS_MAX) return matched;
      const found = span((at) => (typeof parts[at - 1] === 'string' ? (parts[at - 1] as string) : ''), nowUs);
      return found === undefined ? matched : mark([found].flat());
    });
  }
  if (read.length === 0) return [];
  const combined = rest
    .replace(WEEK_OF, (_, day: string) => mark(readAt(day).map(({ fromUs }) => periodAt('week', fromUs))))
    .replace(BETWEEN, (_, first: string, last: string) => mark(spanBetween(readAt(first), readAt(last), nowUs)))
    .replace(SINCE, (_, first: string) => mark(untilNow(readAt(first), nowUs)));
  const spans = [...combined.matchAll(READ)].flatMap(([character]) => readAt(character));
  return spans.slice(0, SPANS_MAX).map((span) => instantsOf(span, zone, nowUs, referenceUs));
}

/** Limit of times read by rules: combinations need private characters too, and there are 256. */
const MARKS_MAX = 60;

function instantsOf({ fromUs, untilUs, isElapsed }: NamedSpan, zone: Zone, nowUs: Micros, referenceUs: Micros) {
  const instantUs = (wallUs: Micros) => {
    // A wall time that the clock shows twice would be the first one.
    if (isElapsed || wallUs === nowUs || wallUs === nowUs + 1) return referenceUs + (wallUs - nowUs);
    return zone.instantUs(wallUs);
  };
  return between(instantUs(fromUs), instantUs(untilUs));
}

function untilNow(spans: readonly NamedSpan[], nowUs: Micros): readonly NamedSpan[] {
  const last = spans.filter(({ fromUs }) => fromUs <= nowUs).at(-1);
  return last ? [{ ...last, untilUs: Math.max(last.untilUs, nowUs + 1) }] : spans;
}

/** From the past one of the first to the end of the next of the last. */
function spanBetween(first: readonly NamedSpan[], last: readonly NamedSpan[], nowUs: Micros): readonly NamedSpan[] {
  const from = first.filter(({ fromUs }) => fromUs <= nowUs).at(-1) ?? first[0];
  const until = last.find(({ fromUs }) => from && fromUs >= from.fromUs);
  return from && until ? [between(from.fromUs, until.untilUs)] : [...first, ...last];
}

/** Whether the text names a time, independent of the current time. */
export function namesTime(text: string): boolean {
  return text !== '' && timesNamedIn(text, 0).length > 0;
}

/** The text without the times that it names. */
export function withoutTimes(text: string): string {
  let rest = text;
  for (const { pattern } of RULES) rest = rest.replace(new RegExp(pattern.source, 'gi'), '\uE000');
  for (const { source } of [WEEK_OF, BETWEEN, SINCE, READ]) rest = rest.replace(new RegExp(source, 'gi'), ' ');
  return rest.replace(/\s+/g, ' ').trim();
}

export function countOf(word: string): number {
  if (/^\d+$/.test(word)) return Number(word);
  if (word === 'a' || word === 'an') return 1;
  if (word === 'a couple of') return 2;
  if (word === 'a few') return 3;
  return Math.max(1, COUNTS.indexOf(word));
}

function dayIn(year: string, month: string, day: string): Found {
  return daySpan(Number(year), monthNumber(month), Number(day));
}

/** `undefined` for a day that no calendar has. */
function dayOf(year: string, month: string, day: string): TimeSpan | undefined {
  if (Number(month) < 1 || Number(month) > 12) return undefined;
  return daySpan(Number(year) + (year.length === 2 ? 2000 : 0), Number(month) - 1, Number(day));
}

/** A date in digits whose month is first or second. */
function eitherDay(year: string, one: string, other: string): Found {
  const days = [dayOf(year, one, other), one === other ? undefined : dayOf(year, other, one)];
  const real = days.filter((day) => day !== undefined);
  return real.length > 0 ? real : undefined;
}

/** Elapsed time, unless its unit is one of the calendar. */
function named(unit: Unit, fromUs: Micros, untilUs: Micros): NamedSpan {
  return { fromUs, untilUs, isElapsed: unit === 'minute' || unit === 'hour' };
}

function quarter(part: (at: number) => string, nowUs: Micros): Found {
  const first = 3 * (part(1) === '' ? QUARTERS.indexOf(part(2)) : Number(part(1)) - 1);
  const of = (year: number) => between(monthSpan(year, first).fromUs, monthSpan(year, first + 2).untilUs);
  return part(3) === '' ? nearest(of, nowUs) : of(Number(part(3)));
}

/** Weeks of ISO 8601: the first of a year has its 4th of January. */
function weeks(year: string, week: string, nowUs: Micros): Found {
  const of = (one: number) => {
    const span = periodAt('week', monthSpan(one, 0).fromUs + 3 * DAY_US, Number(week) - 1);
    return Number(week) >= 1 && yearOf(span.fromUs + 3 * DAY_US) === one ? span : undefined;
  };
  return year === '' ? nearest(of, nowUs) : of(Number(year));
}

function dayNear(month: string, day: string, nowUs: Micros): Found {
  return nearest((year) => daySpan(year, monthNumber(month), Number(day)), nowUs);
}

function monthsNear(month: string, nowUs: Micros): Found {
  return nearest((year) => monthSpan(year, monthNumber(month)), nowUs);
}

/** The most recent one that has begun, and the next one. */
function nearest(of: (year: number) => TimeSpan | undefined, nowUs: Micros): Found {
  const year = yearOf(nowUs);
  const all = [year - 1, year, year + 1].flatMap((one) => of(one) ?? []);
  const past = all.filter(({ fromUs }) => fromUs <= nowUs).at(-1);
  const ahead = all.find(({ fromUs }) => fromUs > nowUs);
  return [past, ahead].flatMap((one) => one ?? []);
}

function monthBeside(which: string, name: string, nowUs: Micros): Found {
  const month = monthNumber(name);
  const year = yearOf(nowUs);
  const spans = [year - 1, year, year + 1].map((one) => monthSpan(one, month));
  if (which === 'this') return spans[1];
  return which === 'last'
    ? spans.findLast(({ untilUs }) => untilUs <= nowUs)
    : spans.find(({ fromUs }) => fromUs > nowUs);
}

function season(part: (at: number) => string, nowUs: Micros): Found {
  const first = SEASONS[part(2)] ?? 0;
  const of = (year: number) => between(monthSpan(year, first).fromUs, monthSpan(year, first + 2).untilUs);
  if (part(3) !== '') return of(Number(part(3)));
  const all = [-2, -1, 0, 1].map((years) => of(yearOf(nowUs) + years));
  if (part(1) === 'last') return all.findLast(({ untilUs }) => untilUs <= nowUs);
  if (part(1) === 'next') return all.find(({ fromUs }) => fromUs > nowUs);
  return nearest(of, nowUs);
}

function partOfDay(name: string, nowUs: Micros, days: number): Found {
  const [from, until] = DAY_PARTS[name] ?? [0, 24];
  const { fromUs } = periodAt('day', nowUs, days);
  return between(fromUs + from * HOUR_US, fromUs + until * HOUR_US);
}

function weekend(which: string, nowUs: Micros): Found {
  const of = (weeks: number) => {
    const { untilUs } = periodAt('week', nowUs, weeks);
    return between(untilUs - 2 * DAY_US, untilUs);
  };
  if (which === 'next') return of(1);
  if (which === 'last') return of(-1);
  return which === 'this' ? of(0) : [of(-1), of(0)];
}

function weekday(which: string, name: string, nowUs: Micros): Found {
  const behind = (weekdayOf(nowUs) - weekdayNumber(name) + 7) % 7;
  const past = periodAt('day', nowUs, -(behind === 0 && which.endsWith('past') ? 7 : behind));
  const ahead = periodAt('day', nowUs, behind === 0 ? 7 : 7 - behind);
  if (which === 'last') return behind === 0 ? periodAt('day', nowUs, -7) : past;
  if (which.endsWith('past') || which === '') return past;
  return which === 'next' || which === 'coming' ? ahead : [past, ahead];
}

/** As precise as the expression: "three days ago" is a day, "two months ago" a month around it. */
function ago(count: number, unit: Unit, nowUs: Micros): Found {
  const atUs = shifted(nowUs, unit, -count);
  if (unit === 'day') return periodAt('day', atUs);
  const halfUs = { minute: 120_000_000, hour: HOUR_US, week: 4 * DAY_US, month: 16 * DAY_US, year: 183 * DAY_US }[unit];
  return named(unit, atUs - halfUs, atUs + halfUs);
}
