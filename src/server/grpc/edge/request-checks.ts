import type { Duration } from '../../../../gen/ts/google/protobuf/duration.ts';
import type { Timestamp } from '../../../../gen/ts/google/protobuf/timestamp.ts';
import { type FieldViolation, invalidFields, MnemeError } from '../../../memory/errors.ts';
import { type Filter, scopedFilter } from '../../../memory/filter.ts';
import type { Micros, Scope } from '../../../memory/memory.ts';
import { instantAt, SECONDS, splitInstant } from '../../../memory/time/instants.ts';

const CONTROL = /\p{Cc}/u;
/** Most faults that are reported. */
const VIOLATIONS_MAX = 50;
const STEP_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Collects the violations of a request. Each check returns a value of the right type, even for an invalid field, so
 * that all fields are checked and all violations are reported together; `finish` refuses an invalid request.
 */
export class RequestChecks {
  private readonly violations: FieldViolation[] = [];

  /** `description` states the valid values. */
  add(field: string, description: string): void {
    if (this.violations.length < VIOLATIONS_MAX) this.violations.push({ field, description });
  }

  get hasFound(): boolean {
    return this.violations.length > 0;
  }

  finish(reason: 'FIELD_INVALID' | 'FILTER_INVALID' = 'FIELD_INVALID'): void {
    const { violations } = this;
    if (violations.length === 0) return;
    const error = invalidFields(violations);
    throw reason === error.reason ? error : new MnemeError(reason, error.message, { violations });
  }

  namespace(field: string, name: string): string {
    const namespace = namespaceIn(name);
    if (namespace === undefined) {
      const shape = 'must be namespaces/{namespace}, [a-z0-9] and up to 62 more of [a-z0-9._-]';
      this.add(field, `${shape}, ${gotten(name)}`);
    }
    return namespace ?? '';
  }

  memoryName(field: string, name: string): { namespace: string; id: string } {
    const parts = memoryNameIn(name);
    if (!parts) {
      const shape = 'must be namespaces/{namespace}/memories/{id}, the id 1 to 128 of [A-Za-z0-9._~:-]';
      this.add(field, `${shape}, ${gotten(name)}`);
    }
    return parts ?? { namespace: '', id: '' };
  }

  /** A text without NUL; with `plain` without any control character. */
  text(field: string, value: string, bytesMax: number, { plain = false } = {}): string {
    if (value.length * 3 > bytesMax) {
      const bytes = Buffer.byteLength(value);
      if (bytes > bytesMax) this.add(field, `must be at most ${bytesMax} bytes of UTF-8, got ${bytes}`);
    }
    if (value.includes('\0')) this.add(field, 'must not contain NUL (U+0000)');
    else if (plain && CONTROL.test(value)) this.add(field, 'must not contain control characters');
    return value;
  }

  matching(field: string, value: string, pattern: RegExp, shape: string): string {
    if (!pattern.test(value)) this.add(field, `must be ${shape}, ${gotten(value)}`);
    return value;
  }

  /** A finite number within bounds, both included. */
  within(field: string, value: number, min: number, max: number): number {
    if (value >= min && value <= max) return value;
    const bounds = max === Number.MAX_VALUE ? `a finite number of at least ${min}` : `a number from ${min} to ${max}`;
    this.add(field, `must be ${bounds}, got ${value}`);
    return min;
  }

  finite(field: string, value: number): number {
    if (Number.isFinite(value)) return value;
    this.add(field, `must be a finite number, got ${value}`);
    return 0;
  }

  wholeWithin(field: string, value: bigint, max: bigint = STEP_MAX): number {
    if (value >= 0n && value <= max) return Number(value);
    this.add(field, `must be from 0 to ${max}, got ${value}`);
    return 0;
  }

  /** The version that a resource must have, if the caller asked for one. */
  ifVersion(value: bigint | undefined): number | undefined {
    return value === undefined ? undefined : this.wholeWithin('if_version', value);
  }

  /** 0 selects the default. */
  pageSize(value: number, fallback: number, max: number, field = 'page_size'): number {
    if (value < 0 || value > max) this.add(field, `must be from 1 to ${max}, or 0 for ${fallback}, got ${value}`);
    return value <= 0 || value > max ? Math.min(fallback, max) : value;
  }

  /** Maps an enum's number to its value. Numbers that are not in the table are unknown or unspecified. */
  choice<T>(field: string, value: number, table: Readonly<Record<number, T>>): T {
    const meaning = table[value];
    if (meaning === undefined) this.add(field, `must be ${alternatives(table)}, got ${value}`);
    return meaning as T;
  }
}

/** Longer descriptions would be cut before the received value. */
const ALTERNATIVES_LENGTH = 180;

/** The valid numbers of an enum field, with their names where these are words. */
function alternatives(table: Readonly<Record<number, unknown>>): string {
  const words = Object.entries(table).map(([number, meaning]) =>
    typeof meaning === 'string' ? `${number} (${meaning})` : number,
  );
  const text = words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : `${words[0]}`;
  return text.length <= ALTERNATIVES_LENGTH ? text : 'one of the values of its enum';
}

/** The received value, cut to a readable length. */
function gotten(value: string): string {
  return value === ''
    ? 'got an empty text'
    : `got ${JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)}`;
}

const LEAD = 'namespaces/([a-z0-9][a-z0-9._-]{0,62})';
const NAMESPACE = new RegExp(`^${LEAD}$`);
const WITHIN_NAMESPACE = new RegExp(`^${LEAD}(?:/|$)`);
const MEMORY = new RegExp(`^${LEAD}/memories/([A-Za-z0-9._~:-]{1,128})$`);

/** Shape of the last part of a memory's name. */
export const MEMORY_ID = /^[A-Za-z0-9._~:-]{1,128}$/;

export function namespaceName(namespace: string): string {
  return `namespaces/${namespace}`;
}

export function memoryName(namespace: string, id: string): string {
  return `namespaces/${namespace}/memories/${id}`;
}

/** The namespace that a resource name leads to; `undefined` when it is none. */
export function namespaceIn(name: string): string | undefined {
  return NAMESPACE.exec(name)?.[1];
}

/** The namespace that a resource name begins with; `undefined` where it begins with none. */
export function leadingNamespaceIn(name: string): string | undefined {
  return WITHIN_NAMESPACE.exec(name)?.[1];
}

/** Where a memory's resource name leads; `undefined` when it is none. */
export function memoryNameIn(name: string): { namespace: string; id: string } | undefined {
  const [, namespace, id] = MEMORY.exec(name) ?? [];
  return namespace === undefined || id === undefined ? undefined : { namespace, id };
}

/** An instant outside of the years 1 to 9999, which no request can name, becomes the first or the last second of them. */
export function timestampOf(atUs: Micros): Timestamp {
  const { ms, us } = splitInstant(atUs);
  const seconds = Math.floor(ms / 1000);
  const within = Math.min(Math.max(seconds, SECONDS.min), SECONDS.max);
  return { seconds: BigInt(within), nanos: (ms - seconds * 1000) * 1_000_000 + us * 1000 };
}

/** `undefined` where there is no timestamp. */
export function optionalTimestamp(atUs: Micros | undefined): Timestamp | undefined {
  return atUs === undefined ? undefined : timestampOf(atUs);
}

/** The instant to the microsecond, or far from today to the millisecond (`instantAt`); finer parts are cut off. */
export function instantOf(checks: RequestChecks, field: string, { seconds, nanos }: Timestamp): Micros {
  if (seconds < SECONDS.min || seconds > SECONDS.max) {
    checks.add(
      field,
      `must be in the years 1 to 9999 (${SECONDS.min} to ${SECONDS.max} seconds), got ${seconds} seconds`,
    );
  } else if (nanos < 0 || nanos > 999_999_999) {
    checks.add(`${field}.nanos`, `must be from 0 to 999999999, got ${nanos}`);
  } else {
    return instantAt(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000), Math.floor(nanos / 1000) % 1000);
  }
  return 0;
}

/** A duration greater than 0, in whole microseconds, rounded up. */
export function durationOf(checks: RequestChecks, field: string, duration: Duration, daysMax: number): Micros {
  if (!hasNanos(checks, field, duration)) return 1;
  const us = Math.ceil(Number(duration.seconds) * 1_000_000 + duration.nanos / 1000);
  if (us > 0 && us <= daysMax * 86_400_000_000) return us;
  checks.add(field, `must be more than 0 and at most ${daysMax} days, got ${duration.seconds} s ${duration.nanos} ns`);
  return 1;
}

function hasNanos(checks: RequestChecks, field: string, { nanos }: Duration): boolean {
  if (nanos >= 0 && nanos <= 999_999_999) return true;
  checks.add(`${field}.nanos`, `must be from 0 to 999999999, got ${nanos}`);
  return false;
}

/** The error of a nested request: its field names are prefixed with the part's name. */
export function fieldsWithin(part: string, error: unknown): unknown {
  if (!(error instanceof MnemeError) || error.violations.length === 0) return error;
  const { reason, message, metadata, violations } = error;
  const isNamed = violations.some(({ field }) => message.startsWith(`${field}:`));
  return new MnemeError(reason, isNamed ? `${part}.${message}` : message, {
    metadata,
    violations: violations.map(({ field, description }) => ({ field: `${part}.${field}`, description })),
    cause: error,
  });
}

/** Reads the part of a request. */
export function readingPart<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw fieldsWithin(part, error);
  }
}

const HEARTBEAT_MS = { min: 1000, max: 300_000 };
const BATCH = { fallback: 128, max: 1000 };
const BATCH_BYTES = { fallback: 262_144, min: 1024, max: 3_145_728 };

export function heartbeatOf(checks: RequestChecks, interval: Duration | undefined, fallbackMs: number): number {
  return interval ? spanOf(checks, 'heartbeat_interval', interval, HEARTBEAT_MS) : fallbackMs;
}

/** A length of time in whole milliseconds within bounds, rounded up. */
export function spanOf(
  checks: RequestChecks,
  field: string,
  duration: Duration,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  if (!hasNanos(checks, field, duration)) return min;
  const { seconds, nanos } = duration;
  const ms = Math.ceil(Number(seconds) * 1000 + nanos / 1e6);
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
  return scopedFilter({ filter, scope });
}
