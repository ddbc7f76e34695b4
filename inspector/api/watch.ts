import type { Change } from '../../gen/ts/mneme/v1/change.ts';
import { watchMemories } from './calls.ts';
import { asFailure, type CallFailure } from './failure.ts';

type Draft = Parameters<typeof watchMemories>[0];

/** State of a watch: `live` once the server has sent its first message. */
export type WatchState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'broken'; readonly failure: CallFailure };

export interface Watcher {
  onChanges(changes: readonly Change[], token: string): void;
  onState(state: WatchState): void;
}

const PAUSE_MS = 1000;
const PAUSE_MS_MAX = 15_000;
/** Codes after which another attempt can succeed. */
const TRANSIENT = new Set(['unavailable', 'resource_exhausted', 'deadline_exceeded', 'internal', 'unknown']);

/** Reads changes until the signal; a stream that breaks goes on from its token. */
export async function watch(draft: Draft, watcher: Watcher, signal: AbortSignal): Promise<void> {
  let token = draft.resumeToken ?? '';
  let pauseMs = PAUSE_MS;
  while (!signal.aborted) {
    watcher.onState({ kind: 'connecting' });
    const from = token === '' ? draft : { ...draft, startRevision: 0n, resumeToken: token };
    try {
      for await (const { event, resumeToken } of watchMemories(from, signal)) {
        token = resumeToken;
        pauseMs = PAUSE_MS;
        watcher.onState({ kind: 'live' });
        watcher.onChanges(event?.$case === 'batch' ? event.value.changes : [], token);
      }
    } catch (error) {
      if (signal.aborted) return;
      const failure = asFailure(error);
      watcher.onState({ kind: 'broken', failure });
      if (!TRANSIENT.has(failure.code)) return;
    }
    await paused(pauseMs, signal);
    pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2);
  }
}

function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
