import { cancelledBy } from '../call-error.ts';
import type { Connection } from '../connection.ts';
import { UnavailableError } from '../errors.ts';
import { Attempt } from './attempt.ts';
import { Backoff } from './backoff.ts';
import { isBroken, retryDelayMsOf } from './is-broken.ts';

export interface StreamOptions {
  /** Ends the stream: the iterator then throws `CancelledError`. */
  readonly signal?: AbortSignal;
  /** Longest time without a message, over all attempts, after which it gives up with the last error. Default: never. */
  readonly patienceMs?: number;
  /** Told why, whenever the stream broke and is about to be opened again. */
  readonly onBroken?: (error: unknown) => void;
  /** Told when the server has answered on a stream, the first one or another after a break. */
  readonly onOpen?: () => void;
}

/** Runs of a stream, one after the other, as one sequence of messages. */
export interface Runs<Message> {
  /** Opens another one, which goes on where the last one ended. Done when it ends by itself, unless it is endless. */
  open(attempt: Attempt): AsyncIterable<Message>;
  /** True when it is never done: one that ends has been cut off. */
  readonly isEndless: boolean;
  /** A way out of an error that is final otherwise; true when the stream is to be opened again. */
  recover?(error: unknown): boolean;
}

/** Opens a stream again whenever it breaks. Messages are those of all runs. */
export async function* resuming<Message>(
  connection: Connection,
  runs: Runs<Message>,
  { signal, patienceMs = Number.POSITIVE_INFINITY, onBroken, onOpen }: StreamOptions,
): AsyncGenerator<Message, void, undefined> {
  const { timing } = connection;
  const backoff = new Backoff(timing);
  let heardAtMs = timing.nowMs();
  for (;;) {
    const attempt = new Attempt(timing, signal, onOpen);
    let failure: unknown;
    try {
      for await (const message of runs.open(attempt)) {
        attempt.heard();
        attempt.pause();
        yield message;
        attempt.heard();
      }
      if (!runs.isEndless) return;
      failure = new UnavailableError('UNAVAILABLE', 'the stream ended before its time');
    } catch (error) {
      failure = attempt.causeOf(error);
    } finally {
      attempt.stop();
    }
    if (attempt.hasHeard) {
      backoff.reset();
      heardAtMs = attempt.heardAtMs;
    }
    if (signal?.aborted) throw cancelledBy(signal);
    if (runs.recover?.(failure)) continue;
    if (!connection.retries || !isBroken(failure, signal)) throw failure;
    if (timing.nowMs() - heardAtMs > patienceMs) throw failure;
    onBroken?.(failure);
    await backoff.wait(retryDelayMsOf(failure), signal);
    if (signal?.aborted) throw cancelledBy(signal);
  }
}
