import type { Content as ContentMessage } from '../../../gen/ts/mneme/v1/memory.ts';
import type {
  Expiry as ExpiryMessage,
  KeyOperation,
  SetValueRequest,
  TransactValuesRequest,
  ValueOperation,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Content, Micros } from '../../memory/memory.ts';
import type { SessionKey } from '../../memory/session.ts';
import type { Expiry, SessionOp } from '../../storage/session-store.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { durationOf } from '../edge/time-messages.ts';
import { contentOf } from '../memories/content-messages.ts';
import { keyIn, sessionIn } from './session-fields.ts';

export const TTL_DAYS_MAX = 36_500;
const OPERATIONS_MAX = 1000;

/** Reads a request to its end and fails with all its faults at once. */
export function checked<T>(read: (checks: RequestChecks) => T): T {
  const checks = new RequestChecks();
  const value = read(checks);
  checks.finish();
  return value;
}

export function keyRequestOf({ session, key }: { session: string; key: string }): { of: SessionKey; key: string } {
  return checked((checks) => ({ of: sessionIn(checks, 'session', session), key: keyIn(checks, 'key', key) }));
}

export function sessionRequestOf({ session }: { session: string }): SessionKey {
  return checked((checks) => sessionIn(checks, 'session', session));
}

export function givenContent(checks: RequestChecks, field: string, value: ContentMessage | undefined): Content {
  if (value) return contentOf(checks, field, value);
  checks.add(field, 'must be given; JSON null is a value of application/json');
  return { mediaType: '', data: new Uint8Array() };
}

export function expiryOf(
  checks: RequestChecks,
  field: string,
  expiry: ExpiryMessage | undefined,
  nowUs: Micros,
): Expiry {
  if (!expiry) return { kind: 'default' };
  const { kind } = expiry;
  if (!kind) checks.add(field, 'must say ttl, never or keep');
  else if (kind.$case === 'ttl') return expiresIn(checks, `${field}.ttl`, kind.value, nowUs);
  else if (kind.$case === 'never' && kind.value) return { kind: 'never' };
  else if (kind.$case === 'keep' && kind.value) return { kind: 'keep' };
  else checks.add(`${field}.${kind.$case}`, 'must be true, or left out');
  return { kind: 'default' };
}

/** What is done to the session's default before a key is set. */
export function sessionDefaultOf(checks: RequestChecks, given: SetValueRequest['sessionDefault']): SessionOp[] {
  if (!given) return [];
  if (given.$case === 'sessionDefaultTtl') {
    return [{ kind: 'setDefaultTtl', ttlUs: ttlOf(checks, 'session_default_ttl', given.value) }];
  }
  if (!given.value) checks.add('no_session_default_ttl', 'must be true, or left out');
  return [{ kind: 'setDefaultTtl', ttlUs: 0 }];
}

function expiresIn(
  checks: RequestChecks,
  field: string,
  ttl: { seconds: bigint; nanos: number },
  nowUs: Micros,
): Expiry {
  return { kind: 'at', atUs: nowUs + ttlOf(checks, field, ttl) };
}

/** Whole microseconds, at least one. */
export function ttlOf(checks: RequestChecks, field: string, ttl: { seconds: bigint; nanos: number }): Micros {
  return Math.ceil(durationOf(checks, field, ttl, TTL_DAYS_MAX));
}

export function ifVersionOf(
  checks: RequestChecks,
  field: string,
  version: bigint | undefined,
): { readonly ifVersion?: number } {
  return version === undefined ? {} : { ifVersion: checks.wholeWithin(field, version) };
}

/** Keys of a transaction are distinct: what a later step finds does not depend on an earlier one. */
export function transactRequestOf({ session, operations }: TransactValuesRequest, nowUs: Micros) {
  return checked((checks) => {
    if (operations.length < 1 || operations.length > OPERATIONS_MAX) {
      checks.add('operations', `must be 1 to ${OPERATIONS_MAX}, got ${operations.length}`);
    }
    const keys = new Set<string>();
    const ops = operations.slice(0, OPERATIONS_MAX).flatMap((operation, at) => {
      const op = operationOf(checks, `operations[${at}]`, operation, nowUs);
      if (op && keys.has(op.key)) checks.add(`operations[${at}]`, 'must be on another key than those before');
      if (op) keys.add(op.key);
      return op ? [op] : [];
    });
    return { of: sessionIn(checks, 'session', session), ops };
  });
}

type KeyOp = Extract<SessionOp, { key: string }>;

function operationOf(checks: RequestChecks, field: string, { kind }: ValueOperation, nowUs: Micros): KeyOp | undefined {
  switch (kind?.$case) {
    case 'set': {
      const { key, value, expiry, ifVersion } = kind.value;
      return {
        kind: 'set',
        key: keyIn(checks, `${field}.set.key`, key),
        content: givenContent(checks, `${field}.set.value`, value),
        expiry: expiryOf(checks, `${field}.set.expiry`, expiry, nowUs),
        ...ifVersionOf(checks, `${field}.set.if_version`, ifVersion),
      };
    }
    case 'remove':
      return { kind: 'delete', ...keyOperationOf(checks, `${field}.delete`, kind.value) };
    case 'touch': {
      const { expiry } = kind.value;
      if (!expiry) checks.add(`${field}.touch.expiry`, 'must be given');
      return {
        kind: 'touch',
        ...keyOperationOf(checks, `${field}.touch`, kind.value),
        expiry: expiryOf(checks, `${field}.touch.expiry`, expiry, nowUs),
      };
    }
    case 'check': {
      const { key, ifVersion } = keyOperationOf(checks, `${field}.check`, kind.value);
      if (ifVersion === undefined) checks.add(`${field}.check.if_version`, 'must be given');
      return { kind: 'check', key, ifVersion: ifVersion ?? 0 };
    }
    case undefined:
      checks.add(field, 'must say what is to be done');
  }
  return undefined;
}

function keyOperationOf(checks: RequestChecks, field: string, { key, ifVersion }: KeyOperation) {
  return { key: keyIn(checks, `${field}.key`, key), ...ifVersionOf(checks, `${field}.if_version`, ifVersion) };
}
