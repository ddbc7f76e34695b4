import { CheckpointKind, type Checkpoint as CheckpointMessage } from '../../../../gen/ts/mneme/v1/checkpoint.ts';
import type { Content as ContentMessage } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  type Expiry as ExpiryMessage,
  type KeyOperation,
  type ScratchpadNote,
  type SetValueRequest,
  TaskStatus as StatusNumber,
  type TaskState as TaskMessage,
  type TransactValuesRequest,
  type ValueOperation,
  type WorkingEntry,
} from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import type { Content, Micros } from '../../../memory/memory.ts';
import type { Checkpoint, EntryHead, Note, SessionKey, TaskState, TaskStatus } from '../../../memory/session.ts';
import type { Expiry, SessionOp } from '../../../storage/session-store.ts';
import { durationOf, namespaceIn, optionalTimestamp, RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { contentMessage, contentOf } from '../memories/memory-fields.ts';

export const TASK_STATUSES: Readonly<Record<number, TaskStatus>> = {
  [StatusNumber.TASK_STATUS_UNSPECIFIED]: 'pending',
  [StatusNumber.TASK_STATUS_PENDING]: 'pending',
  [StatusNumber.TASK_STATUS_IN_PROGRESS]: 'in_progress',
  [StatusNumber.TASK_STATUS_BLOCKED]: 'blocked',
  [StatusNumber.TASK_STATUS_COMPLETED]: 'completed',
  [StatusNumber.TASK_STATUS_FAILED]: 'failed',
  [StatusNumber.TASK_STATUS_CANCELLED]: 'cancelled',
};
const STATUS_NUMBERS: Readonly<Record<TaskStatus, StatusNumber>> = {
  pending: StatusNumber.TASK_STATUS_PENDING,
  in_progress: StatusNumber.TASK_STATUS_IN_PROGRESS,
  blocked: StatusNumber.TASK_STATUS_BLOCKED,
  completed: StatusNumber.TASK_STATUS_COMPLETED,
  failed: StatusNumber.TASK_STATUS_FAILED,
  cancelled: StatusNumber.TASK_STATUS_CANCELLED,
};
const KIND_NUMBERS: Readonly<Record<Checkpoint['kind'], CheckpointKind>> = {
  manual: CheckpointKind.CHECKPOINT_KIND_MANUAL,
  lifecycle: CheckpointKind.CHECKPOINT_KIND_LIFECYCLE,
};

export function entryMessage(entry: EntryHead & { readonly content?: Content }): WorkingEntry {
  return {
    key: entry.key,
    value: entry.content && contentMessage(entry.content),
    version: BigInt(entry.version),
    bytes: entry.bytes,
    createTime: timestampOf(entry.createdAtUs),
    updateTime: timestampOf(entry.updatedAtUs),
    expireTime: optionalTimestamp(entry.expiresAtUs),
  };
}

export function taskMessage(task: TaskState): TaskMessage {
  const { taskId, description, status, detail, currentStep, totalSteps, progressPercent } = task;
  return {
    ...{ taskId, description, detail, currentStep, totalSteps, progressPercent },
    status: STATUS_NUMBERS[status],
    startTime: timestampOf(task.startedAtUs),
    updateTime: timestampOf(task.updatedAtUs),
    version: BigInt(task.version),
  };
}

export function noteMessage({ sequence, atUs, content }: Note): ScratchpadNote {
  return { sequence, time: timestampOf(atUs), content: contentMessage(content) };
}

export function checkpointMessage(checkpoint: Checkpoint): CheckpointMessage {
  const { id, description, parent, keyCount, noteCount, bytes, storedBytes, checksum } = checkpoint;
  return {
    ...{ id, description, parentCheckpointId: parent, keyCount, noteCount, bytes, storedBytes, checksum },
    kind: KIND_NUMBERS[checkpoint.kind],
    createTime: timestampOf(checkpoint.createdAtUs),
    expireTime: optionalTimestamp(checkpoint.expiresAtUs),
    sessionRevision: BigInt(checkpoint.revision),
    memoryRevision: BigInt(checkpoint.memoryRevision),
    hasTaskState: checkpoint.hasTask,
  };
}

/** Everything after `sessions/` is the session's id, including slashes. */
const SESSION = /^(namespaces\/[^/]+)\/sessions\/(.+)$/s;
const KEY_BYTES = 1024;
const { namePartBytes } = MEMORY_LIMITS;

export const CHECKPOINT_ID = /^[A-Za-z0-9._~:-]{1,128}$/;
export const CHECKPOINT_ID_SHAPE = '1 to 128 of [A-Za-z0-9._~:-]';

/** The session that a resource name leads to. */
export function sessionIn(checks: RequestChecks, field: string, name: string): SessionKey {
  const [, parent = '', id = ''] = SESSION.exec(name) ?? [];
  const namespace = namespaceIn(parent);
  if (namespace === undefined) {
    const shape = `must be namespaces/{namespace}/sessions/{id}, the id 1 to ${namePartBytes} bytes`;
    checks.add(field, `${shape}, got ${JSON.stringify(name.slice(0, 80).toWellFormed())}`);
    return { namespace: '', session: '' };
  }
  return { namespace, session: sessionId(checks, field, id) };
}

export function sessionId(checks: RequestChecks, field: string, id: string): string {
  return checks.text(field, id, namePartBytes, { plain: true });
}

/** A key of a session's working memory. */
export function keyIn(checks: RequestChecks, field: string, key: string): string {
  if (key === '') checks.add(field, `must be 1 to ${KEY_BYTES} bytes, got an empty text`);
  return checks.text(field, key, KEY_BYTES, { plain: true });
}

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
  checks.add(field, 'is required; JSON null is a value of application/json');
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
  if (!kind) checks.add(field, 'must be ttl, never or keep');
  else if (kind.$case === 'ttl') return expiresIn(checks, `${field}.ttl`, kind.value, nowUs);
  else if (kind.$case === 'never' && kind.value) return { kind: 'never' };
  else if (kind.$case === 'keep' && kind.value) return { kind: 'keep' };
  else checks.add(`${field}.${kind.$case}`, 'must be true, or left out');
  return { kind: 'default' };
}

/** Changes of the session's default before a key is set. */
export function sessionDefaultOf(checks: RequestChecks, provided: SetValueRequest['sessionDefault']): SessionOp[] {
  if (!provided) return [];
  if (provided.$case === 'sessionDefaultTtl') {
    return [{ kind: 'setDefaultTtl', ttlUs: ttlOf(checks, 'session_default_ttl', provided.value) }];
  }
  if (!provided.value) checks.add('no_session_default_ttl', 'must be true, or left out');
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
  return durationOf(checks, field, ttl, TTL_DAYS_MAX);
}

export function ifVersionOf(
  checks: RequestChecks,
  field: string,
  version: bigint | undefined,
): { readonly ifVersion?: number } {
  return version === undefined ? {} : { ifVersion: checks.wholeWithin(field, version) };
}

/** Keys of a transaction are distinct: no step depends on an earlier one. */
export function transactRequestOf({ session, operations }: TransactValuesRequest, nowUs: Micros) {
  return checked((checks) => {
    if (operations.length < 1 || operations.length > OPERATIONS_MAX) {
      checks.add('operations', `must be 1 to ${OPERATIONS_MAX}, got ${operations.length}`);
    }
    const keys = new Set<string>();
    const ops = operations.slice(0, OPERATIONS_MAX).flatMap((operation, at) => {
      const op = operationOf(checks, `operations[${at}]`, operation, nowUs);
      if (op && keys.has(op.key)) checks.add(`operations[${at}]`, 'must name a key that no earlier operation names');
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
      if (!expiry) checks.add(`${field}.touch.expiry`, 'is required');
      return {
        kind: 'touch',
        ...keyOperationOf(checks, `${field}.touch`, kind.value),
        expiry: expiryOf(checks, `${field}.touch.expiry`, expiry, nowUs),
      };
    }
    case 'check': {
      const { key, ifVersion } = keyOperationOf(checks, `${field}.check`, kind.value);
      if (ifVersion === undefined) checks.add(`${field}.check.if_version`, 'is required');
      return { kind: 'check', key, ifVersion: ifVersion ?? 0 };
    }
    case undefined:
      checks.add(field, 'must name an operation');
  }
  return undefined;
}

function keyOperationOf(checks: RequestChecks, field: string, { key, ifVersion }: KeyOperation) {
  return { key: keyIn(checks, `${field}.key`, key), ...ifVersionOf(checks, `${field}.if_version`, ifVersion) };
}
