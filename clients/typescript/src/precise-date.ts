import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import { badInput, incompleteAnswer } from './bad-input.ts';

/**
 * A `Date` that keeps the microseconds that the server keeps. Times in answers are of this class; where a time is
 * asked for, any `Date` will do.
 */
export class PreciseDate extends Date {
  /** Whole microseconds in addition to the milliseconds of the `Date`, 0 to 999. */
  readonly microseconds: number;

  /** Expects microseconds since 1970-01-01T00:00:00Z. */
  constructor(sinceEpochUs: number) {
    const milliseconds = Math.floor(sinceEpochUs / 1000);
    super(milliseconds);
    this.microseconds = sinceEpochUs - milliseconds * 1000;
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
    return new PreciseDate(milliseconds * 1000 + fractionUs);
  }

  /** Six digits after the second, or three when the microseconds are 0: as `Date` prints it. */
  override toISOString(): string {
    const text = super.toISOString();
    return this.microseconds === 0 ? text : text.replace('Z', `${String(this.microseconds).padStart(3, '0')}Z`);
  }
}

/** `Date.parse` reads 30 February as 2 March. */
function hasItsDay(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  return day === undefined || new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

export function timestampOf(date: Date): Timestamp {
  const milliseconds = date.getTime();
  if (Number.isNaN(milliseconds)) throw badInput('time', 'is an invalid Date');
  const seconds = Math.floor(milliseconds / 1000);
  const microseconds = date instanceof PreciseDate ? date.microseconds : 0;
  return { seconds: BigInt(seconds), nanos: (milliseconds - seconds * 1000) * 1_000_000 + microseconds * 1000 };
}

export function dateOf(timestamp: Timestamp): PreciseDate {
  const date = new PreciseDate(Number(timestamp.seconds) * 1_000_000 + Math.floor(timestamp.nanos / 1000));
  if (Number.isNaN(date.getTime())) throw incompleteAnswer('valid time');
  return date;
}

export function durationOfMs(milliseconds: number): { seconds: bigint; nanos: number } {
  const seconds = Math.trunc(milliseconds / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((milliseconds - seconds * 1000) * 1_000_000) };
}
