import { PreciseDate } from './precise-date.ts';

/** Numbers of this size and more count milliseconds, microseconds or nanoseconds since 1970: as seconds they are in the year 5138 or later. */
const MILLISECONDS_FROM = 1e11;
const MICROSECONDS_FROM = 1e14;
const NANOSECONDS_FROM = 1e17;

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const ISO =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[Tt ](?<clock>\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(?<zone>[Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/;
/** `Sat, 05 Aug 2023 14:00:00 GMT` and its relatives: a day, a month in letters and a year. */
const IN_LETTERS =
  /^(?:[A-Za-z]{3,9},? +)?(?:\d{1,2} +[A-Za-z]{3,9}\.?|[A-Za-z]{3,9}\.? +\d{1,2}),? +\d{4}(?:[ ,]+\d{1,2}:\d\d(?::\d\d)?(?: *[AaPp][Mm])?)?(?<zone> *(?:Z|UTC|GMT|(?:GMT|UTC)?[+-]\d\d:?\d\d))?$/;

/**
 * Time of a message as programs write it: ISO 8601, a date in letters, or a number of seconds, milliseconds, microseconds
 * or nanoseconds since 1970, as a number or as text. A time without a zone is UTC. Undefined for anything else.
 */
export function messageTime(value: unknown): Date | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value;
  if (typeof value === 'bigint') return timeOfNumber(Number(value));
  if (typeof value === 'number') return timeOfNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (NUMBER.test(text)) return timeOfNumber(Number(text));
  const iso = ISO.exec(text)?.groups;
  if (iso) return timeOfIso(iso);
  const letters = IN_LETTERS.exec(text);
  return letters ? parsed(letters.groups?.['zone'] === undefined ? `${text} UTC` : text) : undefined;
}

function timeOfNumber(value: number): Date | undefined {
  const size = Math.abs(value);
  const milliseconds =
    size >= NANOSECONDS_FROM
      ? value / 1e6
      : size >= MICROSECONDS_FROM
        ? value / 1000
        : size >= MILLISECONDS_FROM
          ? value
          : value * 1000;
  const time = new Date(Math.round(milliseconds));
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function timeOfIso({ day = '', clock = '00:00', zone = 'Z' }: Readonly<Record<string, string>>): Date | undefined {
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}` : 'Z';
  try {
    return PreciseDate.from(`${day}T${clock.replace(',', '.')}${offset}`);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parsed(text: string): Date | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
