import type { Call } from '../../../memory/call.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { SessionKey } from '../../../memory/session.ts';
import type { LifecycleDeps } from './lifecycle-deps.ts';
import { NotIdle, terminateSession } from './terminate-session.ts';

export interface Expired {
  readonly expiredCount: number;
  readonly failures: readonly unknown[];
  readonly isDone: boolean;
}

/**
 * Terminates sessions that were idle for too long, as a caller would with the outcome `expired`: what they hold becomes an
 * episode, hooks are asked and events are told. One whose end is refused, or fails, is left for as long again.
 */
export async function expireSessions(deps: LifecycleDeps, limit: number, signal: AbortSignal): Promise<Expired> {
  const idle = await deps.sessions.idle({ nowUs: deps.clock.nowUs(), limit });
  const failures: unknown[] = [];
  let expiredCount = 0;
  for (const { namespace, session } of idle) {
    signal.throwIfAborted();
    try {
      await terminateSession(deps, requestFor({ namespace, session }), callOf(deps, signal));
      expiredCount++;
    } catch (error) {
      if (signal.aborted) throw error;
      if (isSettled(error)) continue;
      if (!isVeto(error)) failures.push(error);
      await postpone(deps, { namespace, session });
    }
  }
  return { expiredCount, failures, isDone: idle.length < limit };
}

function requestFor(key: SessionKey) {
  const conclusion = { outcome: 'expired', task: '', lessons: [], actions: [], isRedacted: () => false } as const;
  return { ...key, metadata: {}, conclusion, skipsEpisode: false, keepsWorkingMemory: false, onlyIdle: true };
}

function callOf({ newId }: LifecycleDeps, signal: AbortSignal): Call {
  return { signal, deadlineAtMs: Number.POSITIVE_INFINITY, callId: newId(), caller: '' };
}

/** Somebody wrote to it, ended it or deleted it meanwhile. */
function isSettled(error: unknown): boolean {
  if (error instanceof NotIdle) return true;
  const settled = ['SESSION_NOT_FOUND', 'SESSION_STATE', 'SESSION_LOST', 'NAMESPACE_NOT_FOUND'];
  return error instanceof MnemeError && settled.includes(error.reason);
}

function isVeto(error: unknown): boolean {
  return error instanceof MnemeError && error.reason === 'HOOK_VETOED';
}

/** A write of nothing: the time to the next try begins anew, so that sessions that cannot end keep no others from it. */
async function postpone({ sessions, sessionLimits, clock }: LifecycleDeps, key: SessionKey): Promise<void> {
  try {
    await sessions.write({ ...key, states: ['active'], ops: [], limits: sessionLimits, atUs: clock.nowUs() });
  } catch (error) {
    const settled = ['SESSION_NOT_FOUND', 'SESSION_NOT_ACTIVE', 'SESSION_LOST'];
    if (!(error instanceof MnemeError && settled.includes(error.reason))) throw error;
  }
}
