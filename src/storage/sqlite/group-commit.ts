import type { Worker } from 'node:worker_threads';
import { fromThrown, MnemeError, storageDamaged } from '../../memory/errors.ts';
import type { CommitMeter } from '../../memory/meters.ts';
import { monotonicMs } from '../../search/threads/span.ts';
import type { ThreadSource } from '../../search/threads/thread-source.ts';
import { queuedInCall } from '../current-call.ts';
import type { Command, Commands, Verb } from './commands/command.ts';
import { CommitPace, UpkeepPace } from './commit-pace.ts';
import { isPageDamage } from './driver-error.ts';
import { observeCommit, observed, type QueueLimits, type Waiting, WriteQueue } from './write-queue.ts';
import type { Answer, BatchAnswer } from './writer.ts';
import type { WriterAnswer, WriterClosed, WriterOptions, WriterRequest } from './writer-thread.ts';
import { writerThreads } from './writer-threads.ts';

/** Quiet time after which the upkeep that stores have left is written. */
const UPKEEP_AFTER_MS = 50;

/**
 * Sends writes to the writer thread. When the thread is free, all queued writes go out as one batch: the next batch
 * gathers while the disk syncs the current one, and a little longer where more writes are expected (`CommitPace`). The
 * next write replaces a dead thread.
 */
export class GroupCommit {
  /** Newest durable revision. */
  revision = 0;
  /** At the opening, entries of the change log were lost; its readers begin anew. */
  hasLostEntries = false;
  /** Called after each durable batch with new revisions. */
  readonly listeners = new Set<() => void>();
  /** Called when a batch is durable, before any caller receives its answer. */
  onSettling: (() => void) | undefined;
  /** Absent where metrics are disabled. */
  meter: CommitMeter | undefined;
  private readonly options: WriterOptions;
  private readonly threads: ThreadSource;
  private readonly queue: WriteQueue;
  private link: WriterLink | undefined;
  private inHand: readonly Waiting[] | undefined;
  /** When the batch in hand went out. */
  private sentAtMs = 0;
  private hasLeftovers = false;
  private readonly pace = new CommitPace();
  private readonly upkeep: UpkeepPace;
  /** True while the writer has left upkeep, or may leave some in the batch in hand. */
  private mayBeBehind = false;
  private upkeepTimer: NodeJS.Timeout | undefined;
  private isUpkeepDue = false;
  /** True while a slice of upkeep is in hand. */
  private isSlice = false;
  /** The command that reads wait for. */
  private upkeepWrite: Promise<void> | undefined;
  private isScheduled = false;
  private timer: NodeJS.Timeout | undefined;
  private closing: Promise<void> | undefined;
  private isEnded = false;
  private whenIdle: (() => void) | undefined;

  /** `mayWait`: readers use `withUpkeep`, so that stores may leave their upkeep to later transactions. */
  constructor(
    options: WriterOptions,
    limits: Partial<QueueLimits> = {},
    threads: ThreadSource = writerThreads(),
    mayWait = false,
  ) {
    this.options = options;
    this.upkeep = new UpkeepPace(mayWait);
    this.threads = threads;
    this.queue = new WriteQueue(limits);
  }

  /** Resolves when the thread is ready; fails when it cannot open the database. */
  async open(): Promise<void> {
    this.link = this.startThread();
    const { revision, hasLeftovers, isBehind, hasLostEntries = false } = await this.link.opened;
    this.revision = revision;
    this.hasLostEntries = hasLostEntries;
    this.hasLeftovers = hasLeftovers;
    this.noteUpkeep(isBehind);
    this.schedule();
  }

  /** Fails, and is not carried out, when the call that it serves ends while it waits. */
  submit(command: Command, bytes: number): Promise<Commands[Verb]['outcome']> {
    if (this.closing) return Promise.reject(new MnemeError('DRAINING', 'the store is closing: nothing more is stored'));
    return new Promise((resolve, reject) => {
      const call = queuedInCall();
      const waiting = { command, bytes, call, ...observed(this.meter), resolve, reject };
      this.queue.add(waiting);
      call?.withdrawAtEnd((reason) => this.withdraw(waiting, reason));
      this.schedule();
    });
  }

  private withdraw(write: Waiting, reason: Error): void {
    if (!this.queue.remove(write)) return;
    write.reject(reason);
    if (!this.inHand && this.queue.length === 0) this.whenIdle?.();
  }

  /**
   * Runs a read of what stores may leave to later transactions (`upkeep.ts`): after it is written, and while it runs no
   * store leaves more. `isRare`: no other read is to be expected soon.
   */
  async withUpkeep<A>(read: () => Promise<A>, isRare = false): Promise<A> {
    this.upkeep.readers++;
    try {
      if (this.mayBeBehind) await this.upkeepWritten();
      return await read();
    } finally {
      this.upkeep.readers--;
      if (!isRare) this.upkeep.readAtMs = performance.now();
    }
  }

  /** Reads share the command, which waits for no other write. A thread that dies is replaced once. */
  private async upkeepWritten(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      this.upkeepWrite ??= this.enqueueUpkeep().finally(() => {
        this.upkeepWrite = undefined;
      });
      try {
        return await this.upkeepWrite;
      } catch (error) {
        const isLost = error instanceof MnemeError && error.reason === 'STORAGE_UNAVAILABLE';
        if (!isLost || this.link || attempt > 0) throw error;
      }
    }
  }

  private enqueueUpkeep(): Promise<void> {
    if (this.isEnded) return Promise.reject(new MnemeError('DRAINING', 'the store is closed'));
    return new Promise((resolve, reject) => {
      this.queue.putFirst({
        command: { kind: 'writeUpkeep' },
        bytes: 0,
        queuedAtMs: 0,
        resolve,
        reject,
      });
      this.schedule();
    });
  }

  /** Writes in the queue. */
  get queuedCount(): number {
    return this.queue.length;
  }

  /** Finishes the queued writes, then ends the thread. */
  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    while (this.inHand || this.queue.length > 0) {
      await new Promise<void>((resolve) => {
        this.whenIdle = resolve;
      });
    }
    this.isEnded = true;
    clearTimeout(this.upkeepTimer);
    await this.link?.end();
  }

  /** Waits for the end of the event-loop turn, so that calls of one turn go out together. */
  private schedule(): void {
    if (this.isScheduled || this.inHand) return;
    const dueInMs = this.dueInMs;
    if (dueInMs > 0) {
      this.timer ??= setTimeout(this.ring, dueInMs);
      return;
    }
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.post();
    });
  }

  private get dueInMs(): number {
    return this.pace.dueInMs(this.queue.length, performance.now());
  }

  private readonly ring = (): void => {
    this.timer = undefined;
    this.post();
  };

  private post(): void {
    if (this.inHand) return;
    const batch = this.queue.takeBatch();
    const commands = batch.map(({ command }) => command);
    if (this.hasLeftovers && !this.closing) commands.push({ kind: 'eraseLeftovers' });
    this.isSlice = this.isUpkeepDue && commands.length === 0;
    if (this.isSlice) commands.push({ kind: 'settleSome' });
    this.isUpkeepDue = false;
    if (commands.length === 0) return;
    const nowMs = performance.now();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pace.sent(commands.length, nowMs);
    this.inHand = batch;
    this.sentAtMs = monotonicMs();
    const mayWait = this.upkeep.mayWait(batch, nowMs);
    this.mayBeBehind ||= mayWait;
    try {
      this.link ??= this.startThread();
      this.link.post(commands, mayWait);
    } catch (error) {
      this.settleWith(() => ({ error }));
    }
  }

  private settle(answer: WriterAnswer): void {
    const { answers, revision, hasLeftovers, isBehind } = answer;
    observeCommit(this.inHand ?? [], this.sentAtMs, answer, this.meter);
    const isNew = revision !== this.revision;
    this.revision = revision;
    // The answer to erasing leftovers, or to writing upkeep, may follow those of the batch: if that command failed, the next
    // write tries again.
    const own = answers[this.inHand?.length ?? 0];
    const hasFailed = own !== undefined && 'thrown' in own;
    this.noteUpkeep(isBehind, !hasFailed);
    // Writes that have arrived meanwhile go first, and the quiet time begins again.
    this.isUpkeepDue = this.isSlice && isBehind && !hasFailed;
    this.onSettling?.();
    this.hasLeftovers = hasLeftovers && !hasFailed;
    this.settleWith((at) => resultOf(answers[at]));
    if (isNew) for (const listener of [...this.listeners]) listener();
  }

  private noteUpkeep(isBehind: boolean, isSoonWritten = true): void {
    this.mayBeBehind = isBehind;
    if (!isBehind || !isSoonWritten || this.closing) return;
    this.upkeepTimer ??= setTimeout(this.writeUpkeep, UPKEEP_AFTER_MS).unref();
    this.upkeepTimer.refresh();
  }

  private readonly writeUpkeep = (): void => {
    this.isUpkeepDue = this.mayBeBehind;
    this.post();
  };

  private settleWith(resultAt: (at: number) => { outcome: unknown } | { error: unknown }): void {
    const batch = this.inHand ?? [];
    this.inHand = undefined;
    if (this.dueInMs > 0 && this.queue.length > 0) this.schedule();
    else this.post();
    batch.forEach(({ resolve, reject }, at) => {
      const result = resultAt(at);
      if ('error' in result) reject(result.error);
      else resolve(result.outcome as never);
    });
    if (!this.inHand && this.queue.length === 0) this.whenIdle?.();
  }

  private startThread(): WriterLink {
    const events = {
      onAnswer: (answer: WriterAnswer) => this.settle(answer),
      onDeath: (error: MnemeError) => this.abandon(error),
    };
    return new WriterLink(this.options, events, this.threads);
  }

  private abandon(error: MnemeError): void {
    this.link = undefined;
    this.hasLeftovers = false;
    // The next thread says whether it is.
    this.mayBeBehind = true;
    const waiting = [...(this.inHand ?? []), ...this.queue.takeAll()];
    this.inHand = undefined;
    for (const { reject } of waiting) reject(error);
    this.whenIdle?.();
  }
}

function resultOf(answer: Answer | undefined): { outcome: unknown } | { error: unknown } {
  if (!answer) return { error: new Error('the writer thread gave fewer answers than it got commands') };
  return 'thrown' in answer ? { error: fromThrown(answer.thrown) } : answer;
}

export interface WriterEvents {
  readonly onAnswer: (answer: WriterAnswer) => void;
  /** The thread ended unexpectedly; it answers no more commands. */
  readonly onDeath: (error: MnemeError) => void;
}

/** A writer thread, from the opening of a data folder to its closing. */
class WriterLink {
  /** Resolves when the thread is ready to write. */
  readonly opened: Promise<BatchAnswer>;
  private readonly threads: ThreadSource;
  private readonly worker: Worker;
  private readonly closed = Promise.withResolvers<void>();
  private readonly exited: Promise<void>;
  private isEnding = false;

  constructor(options: WriterOptions, events: WriterEvents, threads: ThreadSource) {
    this.threads = threads;
    const worker = threads.take();
    this.worker = worker;
    worker.postMessage(options);
    const opening = Promise.withResolvers<BatchAnswer>();
    const exiting = Promise.withResolvers<void>();
    this.opened = opening.promise;
    this.exited = exiting.promise;
    let cause: unknown;
    this.worker.once('message', (answer: BatchAnswer) => {
      opening.resolve(answer);
      this.worker.on('message', (message: WriterAnswer | WriterClosed) => {
        if ('closed' in message) this.closed.resolve();
        else events.onAnswer(message);
      });
    });
    this.worker.on('error', (error) => {
      cause = error;
    });
    this.worker.on('exit', () => {
      exiting.resolve();
      if (this.isEnding) return;
      const error = writerDied(cause);
      opening.reject(error);
      events.onDeath(error);
    });
    // A caller that waits for the opening gets the failure; otherwise `onDeath` has reported it.
    this.opened.catch(() => undefined);
  }

  post(commands: readonly Command[], mayWait: boolean): void {
    this.worker.postMessage({ commands, mayWait } satisfies WriterRequest);
  }

  /** Closes the data folder after all posted commands, and ends the thread or returns it. */
  async end(): Promise<void> {
    this.isEnding = true;
    this.worker.postMessage({ close: true } satisfies WriterRequest);
    await Promise.race([this.closed.promise, this.exited]);
    if (!this.threads.giveBack(this.worker)) await this.exited;
  }
}

function writerDied(cause: unknown): MnemeError {
  if (isPageDamage(cause)) return storageDamaged('sqlite', cause);
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new MnemeError('STORAGE_UNAVAILABLE', `the writer thread has ended${why}`, {
    metadata: { backend: 'sqlite' },
    cause,
  });
}
