import type { Worker } from 'node:worker_threads';
import { fromThrown, MnemeError, type Thrown } from './memory/errors.ts';
import { Slots } from './memory/slots.ts';

/** A request to a thread and its answer, matched by number. A message has one or more of them. */
export interface ThreadRequest<Q> {
  readonly call: number;
  readonly request: Q;
}

export type ThreadAnswer =
  | { readonly call: number; readonly answer: unknown }
  | { readonly call: number; readonly thrown: Thrown };

export interface ThreadOptions<Q> {
  /** Names the thread in errors. */
  readonly name: string;
  start(): Worker;
  /** Called when the thread has answered the last request of `close`. */
  onClosed(worker: Worker): void;
  /** True for requests that are answered at once and fast: several may be one message. Others have a message each. */
  isFast(request: Q): boolean;
  /** Called before the answers of a message are passed on. */
  onAnswer?(): void;
  /** Receives the thread's messages that are not answers. */
  onNotice(notice: unknown): void;
  /** Called when the thread ends unexpectedly. */
  onDeath(cause: unknown): void;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * Calls into a worker thread. When the thread dies, pending calls fail with STORAGE_UNAVAILABLE and the next call
 * starts another one. While it works on calls, the next fast ones of a turn of the event loop go to it as one message: each
 * message wakes the thread, and is received by itself.
 */
export class ThreadCalls<Q> {
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
    const { worker } = this;
    return new Promise((resolve, reject) => {
      const isIdle = this.waiting.size === 0;
      const call = this.waiting.add({ resolve, reject });
      if (!isIdle && this.options.isFast(request)) {
        this.gather(worker, { call, request });
        return;
      }
      this.sendGathered(worker);
      this.send(worker, [{ call, request }]);
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
      for (const { call } of requests) this.waiting.take(call)?.reject(error);
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
      if ('thrown' in answer) waiting?.reject(fromThrown(answer.thrown));
      else waiting?.resolve(answer.answer);
    }
  }

  private buried(worker: Worker, cause: unknown): void {
    if (this.worker === worker) {
      this.worker = undefined;
      this.gathered = undefined;
    }
    for (const { reject } of this.waiting.takeAll()) reject(this.gone('has ended', cause));
    if (!this.isClosed) this.options.onDeath(cause);
  }

  private gone(what: string, cause?: unknown): MnemeError {
    const { name } = this.options;
    return new MnemeError('STORAGE_UNAVAILABLE', `the ${name} thread ${what}`, { metadata: { backend: name }, cause });
  }
}
