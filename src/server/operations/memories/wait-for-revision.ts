import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../memory/call.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Records } from '../../../storage/records.ts';

/** Initially short compared with a network round trip; a revision of this server needs no wait. */
const LOOK_FIRST_MS = 5;
const LOOK_LATER_MS = 50;

/**
 * Returns once the store has reached the revision; fails with REVISION_NOT_YET when it has not by the deadline. The
 * revision may be of another server that shares the store: every read sees that server's acknowledged writes anyway.
 */
export async function waitForRevision(store: Records, revision: number, call: Call): Promise<void> {
  if (store.isShared) return;
  let pauseMs = LOOK_FIRST_MS;
  while (store.revision < revision) {
    const leftMs = call.deadlineAtMs - Date.now();
    if (leftMs <= 0 || isPastDeadline(call.signal)) throw notYet(revision, store.revision);
    call.signal.throwIfAborted();
    await sleep(Math.min(pauseMs, leftMs));
    pauseMs = Math.min(pauseMs * 1.5, LOOK_LATER_MS);
  }
}

function isPastDeadline(signal: AbortSignal): boolean {
  return signal.reason instanceof MnemeError && signal.reason.reason === 'DEADLINE_EXCEEDED';
}

function notYet(wanted: number, reached: number): MnemeError {
  return new MnemeError('REVISION_NOT_YET', `revision ${wanted} was not reached in time; the newest is ${reached}`, {
    metadata: { min_revision: String(wanted), revision: String(reached) },
  });
}
