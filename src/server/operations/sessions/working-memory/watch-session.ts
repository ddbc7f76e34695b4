import type { Call } from '../../../../memory/call.ts';
import { MnemeError } from '../../../../memory/errors.ts';
import { globOf } from '../../../../memory/pattern.ts';
import type { Entry, SessionChange, SessionKey } from '../../../../memory/session.ts';
import { Waker } from '../lifecycle/follow-events.ts';
import type { WorkingMemoryDeps } from './write-session.ts';

export interface WatchRequest extends SessionKey {
  /** Absent: from now on. */
  readonly afterRevision?: number;
  readonly pattern?: string;
  readonly withValues: boolean;
  readonly heartbeatMs: number;
}

export type WatchMessage =
  | { readonly kind: 'created' | 'progress'; readonly revision: number }
  | { readonly kind: 'events'; readonly revision: number; readonly events: readonly WatchEvent[] };

export type WatchEvent = SessionChange & { readonly entry?: Entry };

const CHANGES_PER_READ = 500;
const OF_KEYS = new Set<SessionChange['kind']>(['set', 'deleted', 'expired', 'touched']);

/**
 * Follows a session through the changes that the store retains: a slow reader delays only itself, and no event is
 * queued in memory. Fails with REVISION_COMPACTED when it starts, or has fallen, behind the retained changes.
 */
export async function* watchSession(
  { sessions, clock }: Pick<WorkingMemoryDeps, 'sessions' | 'clock'>,
  request: WatchRequest,
  { signal }: Call,
): AsyncGenerator<WatchMessage> {
  const { namespace, session, withValues, heartbeatMs } = request;
  const key = { namespace, session };
  const glob = request.pattern === undefined ? undefined : globOf(request.pattern);
  const waker = new Waker();
  let hasChanged = false;
  const stop = sessions.onChange(key, () => {
    hasChanged = true;
    waker.wake();
  });
  // With values a message may be large: one write at a time.
  const limit = withValues ? 1 : CHANGES_PER_READ;
  try {
    let after = request.afterRevision ?? (await sessions.session(key))?.revision ?? 0;
    await pageAfter(after);
    yield { kind: 'created', revision: after };
    let saidAtMs = performance.now();
    for (;;) {
      hasChanged = false;
      const changes = await pageAfter(after);
      after = changes.at(-1)?.revision ?? after;
      const wanted = changes.filter((change) => !glob || !OF_KEYS.has(change.kind) || glob.matches(change.key));
      const silenceMs = performance.now() - saidAtMs;
      if (wanted.length > 0) yield { kind: 'events', revision: after, events: await eventsOf(wanted) };
      else if (silenceMs >= heartbeatMs) yield { kind: 'progress', revision: after };
      else {
        if (changes.length === 0 && !hasChanged) await waker.wait(heartbeatMs - silenceMs, signal);
        continue;
      }
      saidAtMs = performance.now();
    }
  } finally {
    stop();
  }

  async function pageAfter(afterRevision: number): Promise<readonly SessionChange[]> {
    signal.throwIfAborted();
    const { changes, compactedRevision, revision } = await sessions.changes({ ...key, afterRevision, limit });
    if (compactedRevision > afterRevision || revision < afterRevision) throw compacted(compactedRevision);
    return changes;
  }

  async function eventsOf(changes: readonly SessionChange[]): Promise<readonly WatchEvent[]> {
    const keys = changes.filter(({ kind }) => kind === 'set').map((change) => change.key);
    if (!withValues || keys.length === 0) return changes;
    const { entries } = await sessions.get({ ...key, keys, nowUs: clock.nowUs() });
    const byKey = new Map(entries.map((entry) => [entry?.key, entry]));
    return changes.map((change) => {
      const entry = change.kind === 'set' ? byKey.get(change.key) : undefined;
      return entry?.version === change.revision ? { ...change, entry } : change;
    });
  }
}

function compacted(revision: number): MnemeError {
  const message = `changes up to revision ${revision} are no longer kept: read everything again and continue from there`;
  return new MnemeError('REVISION_COMPACTED', message, { metadata: { compact_revision: String(revision) } });
}
