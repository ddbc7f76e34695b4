import type { TaskProgress, TaskState, TaskStatus } from '../../clients/typescript/src/index.ts';
import { type ClientFlags, withClient } from './client-flags.ts';
import { print, printJson } from './output.ts';
import { paint, printable } from './terminal.ts';

interface TaskFlags extends ClientFlags {
  readonly id?: string;
  readonly description?: string;
  readonly status?: TaskStatus;
  readonly detail?: string;
  readonly step?: number;
  readonly steps?: number;
  readonly progress?: number;
}

/** The first change makes the task. */
export async function showTask(session: string, flags: TaskFlags): Promise<void> {
  const { id, description, status, detail, step, steps, progress } = flags;
  const change: TaskProgress = {
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
    ...(detail !== undefined && { detail }),
    ...(step !== undefined && { currentStep: step }),
    ...(steps !== undefined && { totalSteps: steps }),
    ...(progress !== undefined && { progressPercent: progress }),
  };
  await withClient(flags, async (mneme) => {
    const wm = mneme.session(session);
    const before = await wm.getTaskState();
    let task = before;
    if (id !== undefined || (!before && Object.keys(change).length > 0)) {
      task = await wm.setTaskState({ ...change, ...(id !== undefined && { taskId: id }) });
    } else if (Object.keys(change).length > 0) {
      task = await wm.updateTaskProgress(change);
    }
    if (flags.json) await printJson(task ?? null);
    else await print(task ? taskText(task) : 'no task state');
  });
}

function taskText(task: TaskState): string {
  const { description, status, detail, currentStep, totalSteps, progressPercent } = task;
  const step =
    totalSteps > 0 ? `, step ${currentStep} of ${totalSteps}` : currentStep > 0 ? `, step ${currentStep}` : '';
  const told = [`${status.replaceAll('_', ' ')}, ${progressPercent} %${step}`, description, detail].filter(Boolean);
  return told.map(printable).join('\n');
}

export async function addNote(session: string, texts: readonly string[], flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const appended = await mneme.session(session).appendScratchpad(texts);
    if (flags.json) await printJson(appended);
    else await print(`note ${appended.firstSequence}`);
  });
}

export async function listNotes(
  session: string,
  flags: ClientFlags & { readonly newest?: boolean; readonly limit?: number },
): Promise<void> {
  const { newest = false, limit = Number.POSITIVE_INFINITY } = flags;
  await withClient(flags, async (mneme) => {
    let count = 0;
    for await (const { sequence, time, content } of mneme
      .session(session)
      .listScratchpad({ order: newest ? 'newest' : 'oldest' })) {
      if (count >= limit) return;
      count += 1;
      const text = Buffer.from(content.data).toString();
      if (flags.json) await printJson({ sequence, time, mediaType: content.mediaType, text });
      else await print(`${paint('dim', `${sequence}  ${time.toISOString()}`)}  ${printable(text)}`);
    }
  });
}
