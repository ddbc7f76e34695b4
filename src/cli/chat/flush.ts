import type { ConversationExtraction, FlushResult, Mneme } from '../../../clients/typescript/src/index.ts';
import { CommandFailure, PARTLY_DONE } from '../failure.ts';
import { progressBar } from '../progress-bar.ts';
import { print, printable } from '../terminal.ts';

const FLUSH_SLICE_MS = 2000;
/** Slices without any progress after which a flush is given up. */
const IDLE_SLICES_MAX = 5;

/** Waits for as long as anything is being extracted, or the number of pending messages falls. */
export async function flushAll(mneme: Mneme, conversation: string): Promise<FlushResult> {
  const bar = progressBar('extracting');
  try {
    let total: number | undefined;
    let idleCount = 0;
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const flushed = await mneme.conversations.flush({ conversation }, { timeoutMs: FLUSH_SLICE_MS });
      const { pendingCount, complete, conversations } = flushed;
      total ??= pendingCount;
      bar.update(total - pendingCount, total, `${pendingCount} pending`);
      const isMoving = pendingCount < before || conversations.some(({ state }) => state === 'extracting');
      idleCount = isMoving ? 0 : idleCount + 1;
      if (complete || idleCount >= IDLE_SLICES_MAX) return flushed;
      if (conversations.length > 0 && conversations.every(({ state }) => state === 'failed')) return flushed;
      before = pendingCount;
    }
  } finally {
    bar.stop();
  }
}

export async function reportFlush({ complete, conversations, degraded }: FlushResult, json = false): Promise<void> {
  if (complete) {
    if (!json) await print('everything is extracted');
    return;
  }
  const lines = conversations.map((each) => extractionLine(each));
  const why = [...(degraded === '' ? [] : [degraded]), ...lines].join('; ');
  throw new CommandFailure(`not everything is extracted: ${why || 'the server is still reading'}`, {
    exitCode: PARTLY_DONE,
  });
}

export function extractionLine(extraction: ConversationExtraction): string {
  const { conversation, state, pendingCount, lastExtractedSequence, failed, error } = extraction;
  const ranges = failed.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
  const parts = [
    `${printable(conversation)}  ${state}`,
    ...(pendingCount > 0 ? [`${pendingCount} pending`] : []),
    ...(lastExtractedSequence === undefined ? [] : [`extracted up to ${lastExtractedSequence}`]),
    ...(ranges === '' ? [] : [`failed: ${ranges}`]),
    ...(error === '' ? [] : [printable(error)]),
  ];
  return parts.join(', ');
}
