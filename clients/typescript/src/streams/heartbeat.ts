import type { Duration } from '../../../../gen/ts/google/protobuf/duration.ts';

/** Default heartbeat interval of a stream. */
export const HEARTBEAT_MS = 15_000;

/** An interval of 0 or less would end every stream at once. */
export function heartbeatMsOf(interval: Duration | undefined): number {
  const ms = msOf(interval);
  return ms > 0 ? ms : HEARTBEAT_MS;
}

/** 0 where there is none. */
export function msOf(duration: Duration | undefined): number {
  return duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}
