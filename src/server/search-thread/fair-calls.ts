import { MnemeError } from '../../memory/errors.ts';
import { activeSpan, monotonicMs, resumedIn, type Span } from '../../search/threads/span.ts';
import { FairQueue, type Share } from './fair-queue.ts';

/** Answer of a thread that has set a request aside: it goes on with it when it is asked for the ticket. */
export interface PausedWork {
  readonly pausedTicket: number;
}

/** Goes on with work that was set aside, or forgets it. */
export type PausedRequest =
  | { readonly kind: 'resume'; readonly ticket: number }
  | { readonly kind: 'forget'; readonly ticket: number };

/** Slices longer than this are not sent ahead of time: a caller that asks for little waits for one of them, not for two. */
const LONG_SLICE_MS = 30;
/**
 * Paused searches, above which one goes on before later ones of its caller in the namespace: each keeps what it has found out,
 * a byte a memory with a filter, some 60 with a preset.
 */
const PAUSED_MAX = 8;
/** Requests that wait for the thread. The limit of calls in flight is below it; streams and jobs add some. */
const WAITING_MAX = 10_000;

export interface FairCallsOptions<Q> {
  /** Sends a request to the thread; resolves with its answer or with `PausedWork`. */
  ask(request: Q | PausedRequest): Promise<unknown>;
  /** Requests at the thread at a time, while slices are short. */
  readonly window: number;
}

interface Job<Q> {
  request: Q | PausedRequest;
  readonly share: Share;
  readonly signal: AbortSignal | undefined;
  /** The span that was active when it was asked for. */
  readonly span: Span | undefined;
  /** As of `monotonicMs`; 0 where it is not traced. */
  waitsSinceMs: number;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * Shares a thread among callers: few requests are at the thread at a time, the others wait in a fair queue, and a
 * request that the thread sets aside waits there again. Requests whose signal is aborted are not carried out, or not to
 * the end.
 */
export class FairCalls<Q> {
  private readonly options: FairCallsOptions<Q>;
  private readonly nowMs: () => number;
  private readonly queue: FairQueue<Job<Q>>;
  private atThread = 0;
  private readonly paused = new Set<Job<Q>>();
  private answeredAtMs = 0;
  private lastSliceMs = 0;
  private closedBy: MnemeError | undefined;

  constructor(options: FairCallsOptions<Q>, nowMs: () => number = () => performance.now()) {
    this.options = options;
    this.nowMs = nowMs;
    this.queue = new FairQueue(nowMs);
  }

  /** Requests that wait. */
  get waitingCount(): number {
    return this.queue.size;
  }

  /** Fails as the thread does, and with the reason of the signal. */
  ask(request: Q, share: Share, signal?: AbortSignal): Promise<unknown> {
    if (this.closedBy) return Promise.reject(this.closedBy);
    if (this.queue.size >= WAITING_MAX) {
      const message = `${WAITING_MAX} searches wait already`;
      return Promise.reject(new MnemeError('QUEUE_FULL', message, { metadata: { limit: String(WAITING_MAX) } }));
    }
    return new Promise((resolve, reject) => {
      const span = activeSpan();
      this.queue.add(share, { request, share, signal, span, waitsSinceMs: waitBeginsOf(span), resolve, reject });
      this.sendNext();
    });
  }

  /** Requests that wait, and later ones, fail with the reason. */
  close(reason: MnemeError): void {
    this.closedBy = reason;
    this.paused.clear();
    for (const job of this.queue.takeAll()) this.drop(job, reason);
  }

  private sendNext(): void {
    while (this.atThread < this.window()) {
      const job = this.queue.next();
      if (!job) return;
      this.paused.delete(job);
      if (job.signal?.aborted) this.drop(job, job.signal.reason);
      else this.send(job);
    }
  }

  private window(): number {
    return this.lastSliceMs > LONG_SLICE_MS ? 1 : this.options.window;
  }

  private send(job: Job<Q>): void {
    this.atThread++;
    const sentAtMs = this.nowMs();
    noteWait(job);
    resumedIn(job.span, () => this.options.ask(job.request)).then(
      (answer) => {
        this.answered(job, sentAtMs);
        const ticket = ticketOf(answer);
        if (ticket === undefined) job.resolve(answer);
        else this.setAside(job, ticket);
        this.sendNext();
      },
      (error: unknown) => {
        this.answered(job, sentAtMs);
        job.reject(error);
        this.sendNext();
      },
    );
  }

  /** The thread answers in the order of requests: it worked on this one since its last answer. */
  private answered({ share }: Job<Q>, sentAtMs: number): void {
    this.atThread--;
    const nowMs = this.nowMs();
    this.lastSliceMs = nowMs - Math.max(sentAtMs, this.answeredAtMs);
    this.answeredAtMs = nowMs;
    this.queue.worked(share, this.lastSliceMs);
  }

  private setAside(job: Job<Q>, ticket: number): void {
    job.request = { kind: 'resume', ticket };
    job.waitsSinceMs = waitBeginsOf(job.span);
    if (this.closedBy) this.drop(job, this.closedBy);
    else {
      this.paused.add(job);
      this.queue.add(job.share, job, this.paused.size > PAUSED_MAX);
    }
  }

  private drop({ request, reject }: Job<Q>, reason: unknown): void {
    reject(reason);
    const ticket = ticketToForget(request);
    // A thread that is gone has forgotten it.
    if (ticket !== undefined) this.options.ask({ kind: 'forget', ticket }).catch(() => {});
  }
}

function waitBeginsOf(span: Span | undefined): number {
  return span?.isRecorded ? monotonicMs() : 0;
}

function noteWait({ span, waitsSinceMs }: Pick<Job<unknown>, 'span' | 'waitsSinceMs'>): void {
  if (span?.isRecorded) span.child('search queue', { startedAtMs: waitsSinceMs }).end();
}

function ticketOf(answer: unknown): number | undefined {
  return typeof answer === 'object' && answer !== null && 'pausedTicket' in answer
    ? (answer as PausedWork).pausedTicket
    : undefined;
}

function ticketToForget(request: unknown): number | undefined {
  return typeof request === 'object' && request !== null && 'kind' in request && request.kind === 'resume'
    ? (request as Extract<PausedRequest, { kind: 'resume' }>).ticket
    : undefined;
}
