import type { Duration } from '../../../gen/ts/google/protobuf/duration.ts';
import { type Filter, scopedFilter } from '../../memory/filter.ts';
import type { Scope } from '../../memory/memory.ts';
import { type RequestChecks, timestampOf } from './request-checks.ts';

const HEARTBEAT_MS = { min: 1000, max: 300_000 };
const BATCH = { fallback: 128, max: 1000 };
const BATCH_BYTES = { fallback: 262_144, min: 1024, max: 3_145_728 };

export function heartbeatOf(checks: RequestChecks, interval: Duration | undefined, fallbackMs: number): number {
  return interval ? spanOf(checks, 'heartbeat_interval', interval, HEARTBEAT_MS) : fallbackMs;
}

/** A length of time in milliseconds within bounds. */
export function spanOf(
  checks: RequestChecks,
  field: string,
  { seconds, nanos }: Duration,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const ms = Number(seconds) * 1000 + nanos / 1e6;
  if (ms >= min && ms <= max) return ms;
  checks.add(field, `must be from ${min / 1000} s to ${max / 1000} s, got ${seconds} s ${nanos} ns`);
  return min;
}

export function durationMessage(ms: number): Duration {
  return timestampOf(Math.round(ms * 1000));
}

export function batchMaxOf(checks: RequestChecks, field: string, value: number): number {
  return value === 0 ? BATCH.fallback : checks.within(field, value, 1, BATCH.max);
}

export function batchBytesMaxOf(checks: RequestChecks, value: number): number {
  if (value === 0) return BATCH_BYTES.fallback;
  return checks.within('max_batch_bytes', value, BATCH_BYTES.min, BATCH_BYTES.max);
}

/** Filter and scope as one condition. */
export function conditionOf(filter: Filter | undefined, scope: Scope | undefined): Filter | undefined {
  return scopedFilter({ ...(filter ? { filter } : {}), ...(scope ? { scope } : {}) });
}
