import { CheckpointKind, type Checkpoint as CheckpointMessage } from '../../../gen/ts/mneme/v1/checkpoint.ts';
import {
  type WorkingEntry as EntryMessage,
  type SessionEvent as EventMessage,
  type Expiry,
  SessionEventKind as KindCode,
  type ValueOperation as OperationMessage,
  type SetValueRequest,
  TaskStatus as StatusCode,
  type TaskState as TaskMessage,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { incompleteAnswer, integerOf } from './bad-input.ts';
import { contentMessage, contentOfMessage } from './content-messages.ts';
import { dateOf, durationOfMs, PreciseDate } from './precise-date.ts';
import type {
  Checkpoint,
  KeyExpiry,
  SessionEvent,
  SessionEventKind,
  TaskState,
  TaskStatus,
  ValueOperation,
  WorkingEntry,
  WorkingKey,
} from './working-memory-types.ts';

export const STATUS_CODES: Readonly<Record<TaskStatus, StatusCode>> = {
  pending: StatusCode.TASK_STATUS_PENDING,
  in_progress: StatusCode.TASK_STATUS_IN_PROGRESS,
  blocked: StatusCode.TASK_STATUS_BLOCKED,
  completed: StatusCode.TASK_STATUS_COMPLETED,
  failed: StatusCode.TASK_STATUS_FAILED,
  cancelled: StatusCode.TASK_STATUS_CANCELLED,
};
const KINDS: Readonly<Record<number, SessionEventKind>> = {
  [KindCode.SESSION_EVENT_KIND_SET]: 'set',
  [KindCode.SESSION_EVENT_KIND_DELETED]: 'deleted',
  [KindCode.SESSION_EVENT_KIND_EXPIRED]: 'expired',
  [KindCode.SESSION_EVENT_KIND_TOUCHED]: 'touched',
  [KindCode.SESSION_EVENT_KIND_CLEARED]: 'cleared',
  [KindCode.SESSION_EVENT_KIND_RESTORED]: 'restored',
  [KindCode.SESSION_EVENT_KIND_TASK_STATE]: 'task_state',
  [KindCode.SESSION_EVENT_KIND_SCRATCHPAD_APPENDED]: 'scratchpad_appended',
  [KindCode.SESSION_EVENT_KIND_SCRATCHPAD_CLEARED]: 'scratchpad_cleared',
  [KindCode.SESSION_EVENT_KIND_CHECKPOINT_CREATED]: 'checkpoint_created',
  [KindCode.SESSION_EVENT_KIND_CHECKPOINT_DELETED]: 'checkpoint_deleted',
  [KindCode.SESSION_EVENT_KIND_LIFECYCLE]: 'lifecycle',
};

export function expiryMessage(expiry: KeyExpiry | undefined): Expiry | undefined {
  if (expiry === undefined) return undefined;
  if (typeof expiry === 'object') return { kind: { $case: 'ttl', value: durationOfMs(expiry.ttlMs) } };
  return { kind: { $case: expiry, value: true } };
}

export function sessionDefaultMessage(ttlMs: number | 'never' | undefined): SetValueRequest['sessionDefault'] {
  if (ttlMs === undefined) return undefined;
  if (ttlMs === 'never') return { $case: 'noSessionDefaultTtl', value: true };
  return { $case: 'sessionDefaultTtl', value: durationOfMs(ttlMs) };
}

export function operationMessage(operation: ValueOperation): OperationMessage {
  const ifVersion = integerOf(operation.ifVersion, 'ifVersion');
  if ('set' in operation) {
    const { set: key, value, expiry } = operation;
    const message = { key, value: contentMessage(value, 'value'), expiry: expiryMessage(expiry), ifVersion };
    return { kind: { $case: 'set', value: message } };
  }
  if ('remove' in operation) return { kind: { $case: 'remove', value: { key: operation.remove, ifVersion } } };
  if ('check' in operation) return { kind: { $case: 'check', value: { key: operation.check, ifVersion } } };
  const { touch: key, expiry } = operation;
  return { kind: { $case: 'touch', value: { key, expiry: expiryMessage(expiry), ifVersion } } };
}

export function keyOf(message: EntryMessage | undefined): WorkingKey {
  if (message === undefined) throw incompleteAnswer('key');
  const { key, version, bytes, createTime, updateTime, expireTime } = message;
  return {
    key,
    version: Number(version),
    bytes,
    createTime: timeOf(createTime),
    updateTime: timeOf(updateTime),
    ...(expireTime && { expireTime: dateOf(expireTime) }),
  };
}

export function entryOf(message: EntryMessage): WorkingEntry {
  const { value } = message;
  return { ...keyOf(message), value: contentOfMessage(value) };
}

export function taskOf(message: TaskMessage | undefined): TaskState {
  if (message === undefined) throw incompleteAnswer('task state');
  const { startTime, updateTime, version, status, ...fields } = message;
  const known = (Object.keys(STATUS_CODES) as TaskStatus[]).find((name) => STATUS_CODES[name] === status);
  return {
    ...fields,
    status: known ?? 'pending',
    startTime: timeOf(startTime),
    updateTime: timeOf(updateTime),
    version: Number(version),
  };
}

export function checkpointOf(message: CheckpointMessage | undefined): Checkpoint {
  if (message === undefined) throw incompleteAnswer('checkpoint');
  const { createTime, expireTime, sessionRevision, memoryRevision, kind, ...fields } = message;
  return {
    ...fields,
    kind: kind === CheckpointKind.CHECKPOINT_KIND_LIFECYCLE ? 'lifecycle' : 'manual',
    createTime: timeOf(createTime),
    ...(expireTime && { expireTime: dateOf(expireTime) }),
    sessionRevision: Number(sessionRevision),
    memoryRevision: Number(memoryRevision),
  };
}

export function eventOf({ kind, revision, key, time, entry }: EventMessage): SessionEvent {
  return {
    kind: KINDS[kind] ?? 'other',
    revision: Number(revision),
    key,
    time: timeOf(time),
    ...(entry && { entry: entryOf(entry) }),
  };
}

export function timeOf(timestamp: EntryMessage['createTime']): Date {
  return timestamp === undefined ? new PreciseDate(0) : dateOf(timestamp);
}
