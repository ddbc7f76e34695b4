import type { Duration } from '../../../gen/ts/google/protobuf/duration.ts';
import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import type { Micros } from '../../memory/memory.ts';
import type { RequestChecks } from './request-checks.ts';

/** The seconds that microseconds are exact in: 1684-07-28T00:12:26Z to 2255-06-05T23:47:33Z. */
const SECONDS_MAX = BigInt(Math.floor(Number.MAX_SAFE_INTEGER / 1_000_000) - 1);

export function timestampOf(atUs: Micros): Timestamp {
  const seconds = Math.floor(atUs / 1_000_000);
  return { seconds: BigInt(seconds), nanos: (atUs - seconds * 1_000_000) * 1000 };
}

/** `undefined` where there is no timestamp. */
export function optionalTimestamp(atUs: Micros | undefined): Timestamp | undefined {
  return atUs === undefined ? undefined : timestampOf(atUs);
}

/** The instant to the microsecond; finer parts are cut off. */
export function instantOf(checks: RequestChecks, field: string, { seconds, nanos }: Timestamp): Micros {
  if (seconds < -SECONDS_MAX || seconds > SECONDS_MAX) {
    checks.add(field, `must lie between the years 1685 and 2255, got ${seconds} seconds`);
  } else if (nanos < 0 || nanos > 999_999_999) {
    checks.add(`${field}.nanos`, `must be from 0 to 999999999, got ${nanos}`);
  } else {
    return Number(seconds) * 1_000_000 + Math.floor(nanos / 1000);
  }
  return 0;
}

/** A duration of more than nothing. */
export function durationOf(checks: RequestChecks, field: string, duration: Duration, daysMax: number): Micros {
  if (duration.nanos < 0 || duration.nanos > 999_999_999) {
    checks.add(`${field}.nanos`, `must be from 0 to 999999999, got ${duration.nanos}`);
    return 1;
  }
  const us = Number(duration.seconds) * 1_000_000 + duration.nanos / 1000;
  if (us > 0 && us <= daysMax * 86_400_000_000) return us;
  checks.add(field, `must be more than 0 and at most ${daysMax} days, got ${duration.seconds} s ${duration.nanos} ns`);
  return 1;
}
