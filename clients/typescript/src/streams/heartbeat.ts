import type { Duration } from '../../../../gen/ts/google/protobuf/duration.ts';

/** How often a stream gives a sign of life, unless said otherwise. */
export const HEARTBEAT_MS = 15_000;

export function heartbeatMsOf(interval: Duration | undefined): number {
  return interval === undefined ? HEARTBEAT_MS : Number(interval.seconds) * 1000 + interval.nanos / 1e6;
}
