import { CheckpointKind, type Checkpoint as CheckpointMessage } from '../../../gen/ts/mneme/v1/checkpoint.ts';
import {
  type ScratchpadNote,
  TaskStatus as StatusNumber,
  type TaskState as TaskMessage,
  type WorkingEntry,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Content } from '../../memory/memory.ts';
import type { Checkpoint, EntryHead, Note, TaskState, TaskStatus } from '../../memory/session.ts';
import { optionalTimestamp, timestampOf } from '../edge/time-messages.ts';
import { contentMessage } from '../memories/content-messages.ts';

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
