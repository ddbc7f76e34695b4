import { namespaceNames } from '../../namespaces/namespace-names.ts';
import { expireSessions } from './expire-sessions.ts';
import { finishTermination } from './finish-termination.ts';
import type { LifecycleDeps } from './lifecycle-deps.ts';

const BATCH = 500;
/** A termination that is younger is still in the hands of the call that began it. */
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
  { eventRetentionMs, isStart = false }: { readonly eventRetentionMs: number; readonly isStart?: boolean },
  signal: AbortSignal,
): Promise<Swept> {
  const nowUs = deps.clock.nowUs();
  const idle = await expireSessions(deps, BATCH, signal);
  const expired = await deps.sessions.eraseExpired({ nowUs, limit: BATCH });
  const events = await deps.events.erase({ beforeUs: nowUs - eventRetentionMs * 1000, limit: BATCH });
  const { finishedCount, failures: unfinished } = await finishTerminations(
    deps,
    isStart ? nowUs : nowUs - BEGUN_BEFORE_US,
    signal,
  );
  const isDone = idle.isDone && expired.isDone && events < BATCH;
  const failures = [...idle.failures, ...unfinished];
  const { expiredCount } = idle;
  return { erasedCount: expired.erasedCount + events, finishedCount, expiredCount, failures, isDone };
}

/** One that fails, such as for a full namespace, keeps none of the others. */
async function finishTerminations(deps: LifecycleDeps, begunBeforeUs: number, signal: AbortSignal) {
  const failures: unknown[] = [];
  let finishedCount = 0;
  // Where both are one write, nothing is ever half done.
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
