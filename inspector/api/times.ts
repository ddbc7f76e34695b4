import type { Timestamp } from '../../gen/ts/google/protobuf/timestamp.ts';

export function dateOf({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1000 + nanos / 1e6);
}

export function timestampOf(date: Date): Timestamp {
  const ms = date.getTime();
  const seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1_000_000 };
}

/** RFC 3339 with microseconds, as the server keeps them. */
export function isoOf(time: Timestamp): string {
  const whole = new Date(Number(time.seconds) * 1000).toISOString().slice(0, -5);
  const micros = Math.floor(time.nanos / 1000);
  return micros === 0 ? `${whole}Z` : `${whole}.${String(micros).padStart(6, '0')}Z`;
}

/** Whether a text, such as that of an address, is a time that requests can have. */
export function isTimeText(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}
