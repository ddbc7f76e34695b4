import { asFailure, type CallFailure } from './failure.ts';

/** State of a stream: `live` once the server has sent its first message. */
export type WatchState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'broken'; readonly failure: CallFailure };

export interface Follower<Message> {
  /** Opens the stream, also again after a break; it goes on from what the follower has seen. */
  open(signal: AbortSignal): AsyncIterable<Message>;
  onMessage(message: Message): void;
  onState(state: WatchState): void;
}

const PAUSE_MS = 1000;
const PAUSE_MS_MAX = 15_000;
/** Codes after which another attempt can succeed. */
const TRANSIENT = new Set(['unavailable', 'resource_exhausted', 'deadline_exceeded', 'internal', 'unknown']);

/** Reads a stream until the signal; one that breaks is opened again. */
export async function follow<Message>(follower: Follower<Message>, signal: AbortSignal): Promise<void> {
  let pauseMs = PAUSE_MS;
  while (!signal.aborted) {
    follower.onState({ kind: 'connecting' });
    try {
      for await (const message of follower.open(signal)) {
        pauseMs = PAUSE_MS;
        follower.onState({ kind: 'live' });
        follower.onMessage(message);
      }
    } catch (error) {
      if (signal.aborted) return;
      const failure = asFailure(error);
      follower.onState({ kind: 'broken', failure });
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
