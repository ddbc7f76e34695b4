import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import { badInput, incompleteAnswer } from './bad-input.ts';

/**
 * A `Date` that keeps the microseconds that the server keeps. Times in answers are of this class; where a time is
 * asked for, any `Date` will do.
 */
export class PreciseDate extends Date {
  /** Whole microseconds in addition to the milliseconds of the `Date`, 0 to 999. */
  readonly microseconds: number;

  /** Expects microseconds since 1970-01-01T00:00:00Z; as a number they are exact from 1684-07-28 to 2255-06-05. */
  constructor(sinceEpochUs: number | bigint) {
    const isExact = typeof sinceEpochUs === 'bigint';
    const milliseconds = isExact ? Number(floorOfThousand(sinceEpochUs)) : Math.floor(sinceEpochUs / 1000);
    super(milliseconds);
    const sinceUs = isExact ? sinceEpochUs - BigInt(milliseconds) * 1000n : sinceEpochUs - milliseconds * 1000;
    this.microseconds = Number(sinceUs);
  }

  /**
   * Reads an ISO 8601 time with up to nine digits after the second; digits beyond the microsecond are dropped. Throws a
   * RangeError for any other text, and for a day that its month does not have.
   */
  static from(text: string): PreciseDate {
    const fraction = /\.(\d{1,9})\d*/.exec(text);
    const milliseconds = Date.parse(fraction === null ? text : text.replace(fraction[0], ''));
    if (Number.isNaN(milliseconds) || !hasItsDay(text)) throw new RangeError(`not a time: ${text}`);
    const fractionUs = Number((fraction?.[1] ?? '').padEnd(6, '0').slice(0, 6));
    return new PreciseDate(BigInt(milliseconds) * 1000n + BigInt(fractionUs));
  }

  /** Six digits after the second, or three when the microseconds are 0: as `Date` prints it. */
  override toISOString(): string {
    const text = super.toISOString();
    return this.microseconds === 0 ? text : text.replace('Z', `${String(this.microseconds).padStart(3, '0')}Z`);
  }
}

/** A thousandth, rounded down: bigints are divided towards 0. */
function floorOfThousand(value: bigint): bigint {
  return (value - (((value % 1000n) + 1000n) % 1000n)) / 1000n;
}

/** `Date.parse` reads 30 February as 2 March. */
function hasItsDay(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  return day === undefined || new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** A time in a request: a `Date`, milliseconds since 1970-01-01T00:00:00Z, or an ISO 8601 text such as `2026-11-29T08:00:00Z`. */
export type TimeLike = Date | number | string;

/** Whether a value is a time that can be sent. */
export function isTime(value: unknown): value is TimeLike {
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  if (typeof value === 'number') return !Number.isNaN(new Date(value).getTime());
  if (typeof value !== 'string' || !ISO.test(value)) return false;
  try {
    return PreciseDate.from(value) instanceof Date;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** `Date.parse` reads other texts as well, such as `5`, each engine in its own way and in the zone of the machine. */
const ISO = /^[+-]?\d{4,6}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/i;

export function timestampOf(time: TimeLike): Timestamp;
export function timestampOf(time: TimeLike | undefined): Timestamp | undefined;
export function timestampOf(time: TimeLike | undefined): Timestamp | undefined {
  if (time === undefined) return undefined;
  if (!isTime(time)) throw badInput('time', `must be a Date, milliseconds since 1970 or an ISO 8601 text, got ${time}`);
  const date = typeof time === 'string' ? PreciseDate.from(time) : new Date(time);
  const milliseconds = date.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const microseconds =
    time instanceof PreciseDate ? time.microseconds : date instanceof PreciseDate ? date.microseconds : 0;
  return { seconds: BigInt(seconds), nanos: (milliseconds - seconds * 1000) * 1_000_000 + microseconds * 1000 };
}

/** The offset of a text such as `2026-11-29T08:00:00+09:00`; empty for any other time. */
export function offsetOf(time: TimeLike | undefined): string {
  const [, hours, minutes] = (typeof time === 'string' && /([+-]\d\d):?(\d\d)$/.exec(time)) || [];
  return hours === undefined || time === undefined || !/\d[T ]/i.test(String(time)) ? '' : `${hours}:${minutes}`;
}

export function dateOf(timestamp: Timestamp): PreciseDate {
  const date = new PreciseDate(timestamp.seconds * 1_000_000n + BigInt(Math.floor(timestamp.nanos / 1000)));
  if (Number.isNaN(date.getTime())) throw incompleteAnswer('valid time');
  return date;
}

export function durationOfMs(milliseconds: number): { seconds: bigint; nanos: number } {
  const seconds = Math.trunc(milliseconds / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((milliseconds - seconds * 1000) * 1_000_000) };
}
