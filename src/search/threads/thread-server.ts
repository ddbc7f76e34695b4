import { toThrown } from '../../memory/errors.ts';
import { monotonicMs, type WorkTime } from './span.ts';
import type { ThreadAnswer, ThreadRequest } from './thread-calls.ts';

/** Time for which an answer waits for the next ones: a message wakes the other thread, which costs as much as a third of a search. */
const HELD_MS = 1;

export interface ThreadServerOptions<Q> {
  /** Sends answers as one message. */
  send(answers: readonly ThreadAnswer[]): void;
  /** The result, or a promise of it. Throws, or rejects, with the error of the call. */
  answer(request: Q): unknown;
  /** True for requests that are answered at once and fast: the answers before them may wait for theirs. */
  isFast(request: Q): boolean;
}

/**
 * The side of a thread that serves `ThreadCalls`: requests of a message in their order, and the answers of several fast ones
 * as one message.
 */
export class ThreadServer<Q> {
  private readonly options: ThreadServerOptions<Q>;
  private readonly nowMs: () => number;
  private held: ThreadAnswer[] = [];
  private heldSinceMs = 0;

  constructor(options: ThreadServerOptions<Q>, nowMs = () => performance.now()) {
    this.options = options;
    this.nowMs = nowMs;
  }

  /** Serves the requests of one message. */
  receive(requests: readonly ThreadRequest<Q>[]): void {
    for (let at = 0; at < requests.length; at++) {
      this.serve(requests[at] as ThreadRequest<Q>);
      const next = requests[at + 1];
      const mayWait = next && this.options.isFast(next.request) && this.nowMs() - this.heldSinceMs < HELD_MS;
      if (!mayWait) this.flush();
    }
  }

  private serve({ call, request, isTraced }: ThreadRequest<Q>): void {
    const timed = isTraced ? workTimer() : () => ({});
    try {
      const result = this.options.answer(request);
      if (result instanceof Promise) this.await(call, result, timed);
      else this.hold({ call, answer: result, ...timed() });
    } catch (error) {
      this.hold({ call, thrown: toThrown(error), ...timed() });
    }
  }

  private await(call: number, result: Promise<unknown>, timed: () => { time?: WorkTime }): void {
    void result.then(
      (answer) => this.send([{ call, answer, ...timed() }]),
      (error: unknown) => this.send([{ call, thrown: toThrown(error), ...timed() }]),
    );
  }

  private hold(answer: ThreadAnswer): void {
    if (this.held.length === 0) this.heldSinceMs = this.nowMs();
    this.held.push(answer);
  }

  private flush(): void {
    const { held } = this;
    if (held.length === 0) return;
    this.held = [];
    this.send(held);
  }

  /** Answers that cannot be sent are failures of their calls. */
  private send(answers: readonly ThreadAnswer[]): void {
    try {
      this.options.send(answers);
    } catch (error) {
      this.options.send(answers.map(({ call }) => ({ call, thrown: toThrown(error) })));
    }
  }
}

/** Begins to measure; the result ends it. */
function workTimer(): () => { time: WorkTime } {
  const startedAtMs = monotonicMs();
  return () => ({ time: { startedAtMs, endedAtMs: monotonicMs() } });
}
