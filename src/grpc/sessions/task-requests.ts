import {
  type SetTaskStateRequest,
  TaskState as TaskCodec,
  TaskStatus,
  type UpdateTaskProgressRequest,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { SessionKey, TaskFields } from '../../memory/session.ts';
import { contradictionOf, patchedTask } from '../../memory/task-state.ts';
import type { SessionOp } from '../../storage/session-store.ts';
import type { RequestChecks } from '../edge/request-checks.ts';
import { instantOf } from '../edge/time-messages.ts';
import { sessionIn } from './session-fields.ts';
import { TASK_STATUSES } from './working-memory-messages.ts';
import { checked, ifVersionOf } from './working-memory-requests.ts';

const ID_BYTES = 128;
const DESCRIPTION_BYTES = 4096;
const DETAIL_BYTES = 1024;

interface TaskRequest<K extends 'setTask' | 'patchTask'> {
  readonly of: SessionKey;
  readonly op: Extract<SessionOp, { kind: K }>;
}

export function setTaskRequestOf({ session, task, ifVersion }: SetTaskStateRequest): TaskRequest<'setTask'> {
  return checked((checks) => {
    if (!task) checks.add('task', 'must be given');
    const message = task ?? TaskCodec.create();
    const fields: TaskFields = {
      taskId: checks.text('task.task_id', message.taskId, ID_BYTES, { plain: true }),
      description: checks.text('task.description', message.description, DESCRIPTION_BYTES),
      status: checks.choice('task.status', message.status, TASK_STATUSES),
      detail: checks.text('task.detail', message.detail, DETAIL_BYTES),
      currentStep: stepOf(checks, 'task.current_step', message.currentStep),
      totalSteps: stepOf(checks, 'task.total_steps', message.totalSteps),
      progressPercent: checks.finite('task.progress_percent', message.progressPercent),
    };
    const wrong = contradictionOf(fields);
    if (wrong) checks.add(wrong.field, wrong.description);
    const { startTime } = message;
    const startedAtUs = startTime && instantOf(checks, 'task.start_time', startTime);
    return {
      of: sessionIn(checks, 'session', session),
      op: {
        kind: 'setTask',
        task: patchedTask(fields, {}),
        ...(startedAtUs === undefined ? {} : { startedAtUs }),
        ...ifVersionOf(checks, 'if_version', ifVersion),
      },
    };
  });
}

export function taskPatchRequestOf(message: UpdateTaskProgressRequest): TaskRequest<'patchTask'> {
  return checked((checks) => {
    const { currentStep, totalSteps, progressPercent, status, detail, description } = message;
    const patch: Partial<TaskFields> = {
      ...(currentStep === undefined ? {} : { currentStep: checks.wholeWithin('current_step', currentStep) }),
      ...(totalSteps === undefined ? {} : { totalSteps: checks.wholeWithin('total_steps', totalSteps) }),
      ...(progressPercent === undefined ? {} : { progressPercent: checks.finite('progress_percent', progressPercent) }),
      ...(status === TaskStatus.TASK_STATUS_UNSPECIFIED
        ? {}
        : { status: checks.choice('status', status, TASK_STATUSES) }),
      ...(detail === undefined ? {} : { detail: checks.text('detail', detail, DETAIL_BYTES) }),
      ...(description === undefined ? {} : { description: checks.text('description', description, DESCRIPTION_BYTES) }),
    };
    if (Object.keys(patch).length === 0) checks.add('current_step', 'or another field must be given');
    const { session, ifVersion } = message;
    const of = sessionIn(checks, 'session', session);
    return { of, op: { kind: 'patchTask', patch, ...ifVersionOf(checks, 'if_version', ifVersion) } };
  });
}

function stepOf(checks: RequestChecks, field: string, step: number): number {
  return checks.within(field, step, 0, Number.MAX_SAFE_INTEGER);
}
