import type { Worker } from 'node:worker_threads';
import { fromThrown, MnemeError, type Thrown } from '../../memory/errors.ts';
import { Slots } from '../../memory/slots.ts';
import { recordedSpan, type Span, type WorkTime } from './span.ts';

/** A request to a thread and its answer, matched by number. A message has one or more of them. */
export interface ThreadRequest<Q> {
  readonly call: number;
  readonly request: Q;
  /** The answer has the time of the work. */
  readonly isTraced?: true;
}

export type ThreadAnswer = { readonly call: number; readonly time?: WorkTime } & (
  | { readonly answer: unknown }
  | { readonly thrown: Thrown }
);

/** Measures the answered requests of a thread. */
export interface ThreadMeter {
  answered(kind: string, durationMs: number): void;
}

export interface ThreadOptions<Q> {
  /** Names the thread in errors. */
  readonly name: string;
  start(): Worker;
  /** Called when the thread has answered the last request of `close`. */
  onClosed(worker: Worker): void;
  /** True for requests that are answered at once and fast: several may be one message. Others have a message each. */
  isFast(request: Q): boolean;
  /** Name of the work in traces and metrics; of few values. */
  kindOf(request: Q): string;
  /** Called before the answers of a message are passed on. */
  onAnswer?(): void;
  /** Receives the thread's messages that are not answers. */
  onNotice(notice: unknown): void;
  /** Called when the thread ends unexpectedly. */
  onDeath(cause: unknown): void;
}

interface Waiting {
  readonly kind: string;
  readonly askedAtMs: number;
  /** Present where the call is part of a recorded trace. */
  readonly span?: Span;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * Calls into a worker thread. When the thread dies, pending calls fail with STORAGE_UNAVAILABLE and the next call
 * starts another one. While it works on calls, the next fast ones of a turn of the event loop go to it as one message: each
 * message wakes the thread, and is received by itself.
 */
export class ThreadCalls<Q> {
  /** Absent where metrics are disabled. */
  meter: ThreadMeter | undefined;
  private readonly options: ThreadOptions<Q>;
  private readonly waiting = new Slots<Waiting>();
  private worker: Worker | undefined;
  private isClosed = false;
  /** Requests that are sent at the end of the turn. */
  private gathered: ThreadRequest<Q>[] | undefined;

  constructor(options: ThreadOptions<Q>) {
    this.options = options;
    this.worker = this.start();
  }

  ask(request: Q): Promise<unknown> {
    if (this.isClosed) return Promise.reject(this.gone('is closed'));
    this.worker ??= this.start();
    const { worker, options } = this;
    const kind = options.kindOf(request);
    const span = recordedSpan()?.child(`${options.name} thread ${kind}`);
    const askedAtMs = this.meter ? performance.now() : 0;
    return new Promise((resolve, reject) => {
      const isIdle = this.waiting.size === 0;
      const call = this.waiting.add({ kind, askedAtMs, span, resolve, reject });
      const asked: ThreadRequest<Q> = span ? { call, request, isTraced: true } : { call, request };
      if (!isIdle && options.isFast(request)) {
        this.gather(worker, asked);
        return;
      }
      this.sendGathered(worker);
      this.send(worker, [asked]);
    });
  }

  private gather(worker: Worker, request: ThreadRequest<Q>): void {
    if (this.gathered) {
      this.gathered.push(request);
      return;
    }
    const gathered = [request];
    this.gathered = gathered;
    setImmediate(() => {
      // They have left before another one, or the thread has died and its calls have failed.
      if (this.gathered === gathered) this.sendGathered(worker);
    });
  }

  private sendGathered(worker: Worker): void {
    const { gathered } = this;
    this.gathered = undefined;
    if (gathered) this.send(worker, gathered);
  }

  private send(worker: Worker, requests: readonly ThreadRequest<Q>[]): void {
    try {
      worker.postMessage(requests);
    } catch (error) {
      for (const { call } of requests) this.fail(this.waiting.take(call), error);
    }
  }

  /** Sends a last request, after which the thread exits or is given back. */
  async close(last: Q): Promise<void> {
    if (this.isClosed) return;
    const { worker } = this;
    const answer = worker && this.ask(last);
    this.isClosed = true;
    await answer;
    if (!worker) return;
    if (this.waiting.size === 0) this.options.onClosed(worker);
    else await worker.terminate();
  }

  private start(): Worker {
    const worker = this.options.start();
    let cause: unknown;
    worker.on('message', (message: readonly ThreadAnswer[]) => this.receive(message));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => this.buried(worker, cause));
    return worker;
  }

  /** Anything but a list of answers is a notice. */
  private receive(message: readonly ThreadAnswer[]): void {
    this.options.onAnswer?.();
    if (!Array.isArray(message)) {
      this.options.onNotice(message);
      return;
    }
    for (const answer of message as readonly ThreadAnswer[]) {
      const waiting = this.waiting.take(answer.call);
      if (!waiting) continue;
      this.measure(waiting, answer.time);
      if ('thrown' in answer) this.fail(waiting, fromThrown(answer.thrown));
      else {
        waiting.span?.end();
        waiting.resolve(answer.answer);
      }
    }
  }

  private buried(worker: Worker, cause: unknown): void {
    if (this.worker === worker) {
      this.worker = undefined;
      this.gathered = undefined;
    }
    for (const waiting of this.waiting.takeAll()) this.fail(waiting, this.gone('has ended', cause));
    if (!this.isClosed) this.options.onDeath(cause);
  }

  /** Requests without an answer. */
  get pendingCount(): number {
    return this.waiting.size;
  }

  /** The time in the thread, as a part of the span: what is before and after it was waited for. */
  private measure({ kind, askedAtMs, span }: Waiting, time: WorkTime | undefined): void {
    if (span && time) span.child(kind, time).end(time);
    if (this.meter && askedAtMs > 0) this.meter.answered(kind, performance.now() - askedAtMs);
  }

  private fail(waiting: Waiting | undefined, error: unknown): void {
    waiting?.span?.end({ error });
    waiting?.reject(error);
  }

  private gone(what: string, cause?: unknown): MnemeError {
    const { name } = this.options;
    return new MnemeError('STORAGE_UNAVAILABLE', `the ${name} thread ${what}`, { metadata: { backend: name }, cause });
  }
}
