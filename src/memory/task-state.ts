import type { TaskFields } from './session.ts';

export const PROGRESS_MAX_PERCENT = 100;

/** A task with the fields of a patch; progress is brought within 0 and 100. */
export function patchedTask(task: TaskFields, patch: Partial<TaskFields>): TaskFields {
  const merged = { ...task, ...patch };
  const { taskId, description, status, detail, currentStep, totalSteps } = merged;
  const progressPercent = Math.min(PROGRESS_MAX_PERCENT, Math.max(0, merged.progressPercent));
  return { taskId, description, status, detail, currentStep, totalSteps, progressPercent };
}

/** What contradicts itself in a task, as a sentence, or `undefined`. */
export function contradictionOf({ currentStep, totalSteps, progressPercent }: TaskFields): string | undefined {
  if (!Number.isFinite(progressPercent)) return `progress_percent must be a finite number, got ${progressPercent}`;
  if (totalSteps > 0 && currentStep > totalSteps) {
    return `current_step must be at most total_steps (${totalSteps}), got ${currentStep}`;
  }
  return undefined;
}
