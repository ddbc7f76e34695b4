import type { Call } from '../../../../memory/call.ts';
import { MnemeError } from '../../../../memory/errors.ts';
import type { Micros } from '../../../../memory/memory.ts';
import { SERVER_ITSELF } from '../../../../memory/principal.ts';
import type { SessionKey } from '../../../../memory/session.ts';
import { namespaceNames } from '../../namespaces/namespaces.ts';
import type { LifecycleDeps } from './lifecycle-deps.ts';
import { finishTermination, NotIdle, terminateSession } from './terminate-session.ts';

const BATCH = 500;
/** The call that began a younger termination is still at work on it, unless this server has started since. */
const BEGUN_BEFORE_US = 30_000_000;

export interface Swept {
  readonly erasedCount: number;
  readonly finishedCount: number;
  readonly expiredCount: number;
  readonly failures: readonly unknown[];
  readonly isDone: boolean;
}

/** Ends idle sessions, erases expired parts of sessions and old events, and finishes terminations that a crash has cut off. */
export async function sweepSessions(
  deps: LifecycleDeps,
  { eventRetentionMs, startedAtUs }: { readonly eventRetentionMs: number; readonly startedAtUs: Micros },
  signal: AbortSignal,
): Promise<Swept> {
  const nowUs = deps.clock.nowUs();
  const idle = await expireSessions(deps, BATCH, signal);
  const expired = await deps.sessions.eraseExpired({ nowUs, limit: BATCH });
  const events = await deps.events.erase({ beforeUs: nowUs - eventRetentionMs * 1000, limit: BATCH });
  const { finishedCount, failures: unfinished } = await finishTerminations(
    deps,
    Math.max(startedAtUs, nowUs - BEGUN_BEFORE_US),
    signal,
  );
  const isDone = idle.isDone && expired.isDone && events < BATCH;
  const failures = [...idle.failures, ...unfinished];
  const { expiredCount } = idle;
  return { erasedCount: expired.erasedCount + events, finishedCount, expiredCount, failures, isDone };
}

/** A failure, such as a full namespace, does not stop the others. */
async function finishTerminations(deps: LifecycleDeps, begunBeforeUs: number, signal: AbortSignal) {
  const failures: unknown[] = [];
  let finishedCount = 0;
  // Where both are one write, no termination is ever incomplete.
  if (deps.sessions.storesEpisodes) return { finishedCount, failures };
  for await (const namespace of namespaceNames(deps.store)) {
    const begun = await deps.sessions.sessions({ namespace, limit: BATCH, states: ['terminating'] });
    for (const record of begun) {
      signal.throwIfAborted();
      if (record.updatedAtUs > begunBeforeUs) continue;
      try {
        await finishTermination(deps, record, signal);
        finishedCount++;
      } catch (error) {
        failures.push(error);
      }
    }
  }
  return { finishedCount, failures };
}

export interface Expired {
  readonly expiredCount: number;
  readonly failures: readonly unknown[];
  readonly isDone: boolean;
}

/**
 * Terminates sessions that were idle for too long, like a caller with the outcome `expired`: their contents become an
 * episode, hooks are called and events are sent. A session whose end is refused, or fails, is retried after another
 * idle time.
 */
async function expireSessions(deps: LifecycleDeps, limit: number, signal: AbortSignal): Promise<Expired> {
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
  return { signal, deadlineAtMs: Number.POSITIVE_INFINITY, callId: newId(), principal: SERVER_ITSELF, caller: '' };
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

/** An empty write restarts the idle time, so that sessions that cannot end do not block others. */
async function postpone({ sessions, sessionLimits, clock }: LifecycleDeps, key: SessionKey): Promise<void> {
  try {
    await sessions.write({ ...key, states: ['active'], ops: [], limits: sessionLimits, atUs: clock.nowUs() });
  } catch (error) {
    const settled = ['SESSION_NOT_FOUND', 'SESSION_NOT_ACTIVE', 'SESSION_LOST'];
    if (!(error instanceof MnemeError && settled.includes(error.reason))) throw error;
  }
}
