import { type FieldViolation, invalidFields, MnemeError } from '../../memory/errors.ts';
import { contradictionOf, patchedTask, type TaskFields, type TaskState } from '../../memory/session.ts';
import type { OpResult, SessionOp } from '../session-store.ts';
import { checkVersion } from './session-errors.ts';
import type { OpContext, SessionView } from './session-view.ts';

type Of<K extends SessionOp['kind']> = Extract<SessionOp, { kind: K }>;

export function setTask(view: SessionView, op: Of<'setTask'>, { name, atUs }: OpContext): OpResult {
  const before = taskOf(view.record.task);
  checkVersion(name, 'task_state', op.ifVersion, before?.version ?? 0);
  const isSame = before !== undefined && before.taskId === op.task.taskId;
  mustAgree(contradictionOf(op.task));
  return written(view, op.task, op.startedAtUs ?? (isSame ? before.startedAtUs : atUs), atUs);
}

export function patchTask(
  view: SessionView,
  { patch, ifVersion }: Of<'patchTask'>,
  { name, atUs }: OpContext,
): OpResult {
  const before = taskOf(view.record.task);
  checkVersion(name, 'task_state', ifVersion, before?.version ?? 0);
  if (!before) throw new MnemeError('TASK_NOT_FOUND', `${name} has no task state`, { metadata: { name } });
  const fields = { ...before, ...patch };
  mustAgree(contradictionOf(fields, patch));
  return written(view, fields, before.startedAtUs, atUs);
}

function mustAgree(contradiction: FieldViolation | undefined): void {
  if (contradiction) throw invalidFields([contradiction]);
}

function written(view: SessionView, fields: TaskFields, startedAtUs: number, atUs: number): OpResult {
  const task: TaskState = { ...patchedTask(fields, {}), startedAtUs, updatedAtUs: atUs, version: view.record.revision };
  view.record.task = JSON.stringify(task);
  view.log('task', '');
  return { written: 1, removed: 0, task };
}

const EMPTY: TaskState = {
  taskId: '',
  description: '',
  status: 'pending',
  detail: '',
  currentStep: 0,
  totalSteps: 0,
  progressPercent: 0,
  startedAtUs: 0,
  updatedAtUs: 0,
  version: 0,
};

/** What the record keeps as text. Versions before and after this one know fewer fields or more. */
export function taskOf(text: string): TaskState | undefined {
  if (text === '') return undefined;
  const kept = JSON.parse(text) as Partial<TaskState>;
  const known = Object.keys(EMPTY) as (keyof TaskState)[];
  return Object.fromEntries(known.map((name) => [name, kept[name] ?? EMPTY[name]])) as unknown as TaskState;
}
