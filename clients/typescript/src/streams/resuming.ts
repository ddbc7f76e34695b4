import { cancelledBy } from '../call-error.ts';
import type { Connection } from '../connection.ts';
import { UnavailableError } from '../errors.ts';
import { Attempt } from './attempt.ts';
import { Backoff } from './backoff.ts';
import { isBroken, retryDelayMsOf } from './is-broken.ts';

export interface StreamOptions {
  /** Ends the stream: the iterator then throws `CancelledError`. */
  readonly signal?: AbortSignal;
  /** Maximum time without a message, over all attempts, after which the last error is thrown. Default: unlimited. */
  readonly patienceMs?: number;
  /** Called with the reason whenever the stream broke and is about to be reopened. */
  readonly onBroken?: (error: unknown) => void;
  /** Called when the server has answered on a stream, the first one or a reopened one. */
  readonly onOpen?: () => void;
}

/** Runs of a stream, one after the other, as one sequence of messages. */
export interface Runs<Message> {
  /**
   * Opens another stream, which continues where the last one ended. Done when it ends by itself, unless it is endless.
   */
  open(attempt: Attempt): AsyncIterable<Message>;
  /** True when it never ends normally: a stream that ends was cut off. */
  readonly isEndless: boolean;
  /** A way out of an error that is final otherwise; true when the stream is to be opened again. */
  recover?(error: unknown): boolean;
}

/** Reopens a stream whenever it breaks. Yields the messages of all runs. */
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
    if (!connection.retries || !connection.waits || !isBroken(failure, signal)) throw failure;
    if (timing.nowMs() - heardAtMs > patienceMs) throw failure;
    onBroken?.(failure);
    await backoff.wait(retryDelayMsOf(failure), signal);
    if (signal?.aborted) throw cancelledBy(signal);
  }
}
