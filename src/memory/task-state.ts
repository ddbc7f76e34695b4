import type { FieldViolation } from './errors.ts';
import type { TaskFields } from './session.ts';

export const PROGRESS_MAX_PERCENT = 100;

/** A task with the fields of a patch; progress is brought within 0 and 100. */
export function patchedTask(task: TaskFields, patch: Partial<TaskFields>): TaskFields {
  const merged = { ...task, ...patch };
  const { taskId, description, status, detail, currentStep, totalSteps } = merged;
  const progressPercent = Math.min(PROGRESS_MAX_PERCENT, Math.max(0, merged.progressPercent));
  return { taskId, description, status, detail, currentStep, totalSteps, progressPercent };
}

/**
 * What contradicts itself in a task, or `undefined`. Fields are named as in a request for `patch`, of which one is at fault, or
 * for the whole task where there is none.
 */
export function contradictionOf(
  { currentStep, totalSteps, progressPercent }: TaskFields,
  patch?: Partial<TaskFields>,
): FieldViolation | undefined {
  const within = patch ? '' : 'task.';
  if (!Number.isFinite(progressPercent)) {
    return { field: `${within}progress_percent`, description: `must be a finite number, got ${progressPercent}` };
  }
  if (totalSteps === 0 || currentStep <= totalSteps) return undefined;
  return patch && patch.currentStep === undefined
    ? { field: 'total_steps', description: `must be at least current_step (${currentStep}), got ${totalSteps}` }
    : {
        field: `${within}current_step`,
        description: `must be at most total_steps (${totalSteps}), got ${currentStep}`,
      };
}
