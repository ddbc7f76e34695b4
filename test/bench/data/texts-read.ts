import { setTimeout as sleep } from 'node:timers/promises';
import { RecallRequest, RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Caller } from '../servers/caller.ts';
import { PARENT } from './corpus.ts';

const POLL_MS = 500;

/** Waits until recalls use every text: the learned order is incomplete before. */
export async function textsRead(caller: Caller, request: RecallRequest): Promise<void> {
  await untilNot(caller, request, /still being read/);
}

/** Waits until the sentence encoder has read every text too, which takes a minute for 10,000. */
export async function sentencesRead(caller: Caller, text: string, parent = PARENT): Promise<void> {
  await untilNot(caller, RecallRequest.fromPartial({ parent, text, limit: 10 }), /still (?:being read|reading)/);
}

/**
 * Waits until recalls by text take what they take from then on. In a namespace of which the sentence encoder reads only
 * the texts that recalls look at, each question is asked once.
 */
export async function textsSettled(caller: Caller, questions: readonly string[], parent = PARENT): Promise<void> {
  const [first = ''] = questions;
  await sentencesRead(caller, first, parent);
  for (const text of questions) {
    await caller.ask(RecallServiceService.recall, RecallRequest.fromPartial({ parent, text, limit: 10 }));
  }
}

async function untilNot(caller: Caller, request: RecallRequest, reading: RegExp): Promise<void> {
  for (;;) {
    const { degraded } = await caller.ask(RecallServiceService.recall, request);
    if (!degraded.some(({ reason }) => reading.test(reason))) return;
    await sleep(POLL_MS);
  }
}
