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

async function untilNot(caller: Caller, request: RecallRequest, reading: RegExp): Promise<void> {
  for (;;) {
    const { degraded } = await caller.ask(RecallServiceService.recall, request);
    if (!degraded.some(({ reason }) => reading.test(reason))) return;
    await sleep(POLL_MS);
  }
}
