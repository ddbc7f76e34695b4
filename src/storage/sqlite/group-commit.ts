import type { Worker } from 'node:worker_threads';
import { fromThrown, MnemeError } from '../../memory/errors.ts';
import type { Command, Commands, Verb } from './commands/command.ts';
import { CommitPace } from './commit-pace.ts';
import { type QueueLimits, type Waiting, WriteQueue } from './write-queue.ts';
import type { Answer, BatchAnswer } from './writer.ts';
import { WriterLink } from './writer-link.ts';
import type { WriterOptions } from './writer-thread.ts';

/**
 * Sends writes to the writer thread, all that have gathered in one batch when the thread is free: the time in which one
 * batch is brought to disk is the time in which the next one gathers, and a little more where more are to be expected
 * (`CommitPace`). A thread that died is replaced by the next write.
 */
export class GroupCommit {
  /** Newest durable revision. */
  revision = 0;
  /** Told after each batch that made new revisions, when they are durable. */
  readonly listeners = new Set<() => void>();
  /** Called when a batch is durable, before anybody is told. */
  onSettling: (() => void) | undefined;
  private readonly options: WriterOptions;
  private readonly queue: WriteQueue;
  private link: WriterLink | undefined;
  private inHand: readonly Waiting[] | undefined;
  private hasLeftovers = false;
  private readonly pace = new CommitPace();
  private isScheduled = false;
  private timer: NodeJS.Timeout | undefined;
  private closing: Promise<void> | undefined;
  private whenIdle: (() => void) | undefined;

  constructor(options: WriterOptions, limits: Partial<QueueLimits> = {}) {
    this.options = options;
    this.queue = new WriteQueue(limits);
  }

  /** Resolves when the thread is ready; fails when it cannot open the database. */
  async open(thread?: Worker): Promise<void> {
    this.link = this.startThread(thread);
    const { revision, hasLeftovers } = await this.link.opened;
    this.revision = revision;
    this.hasLeftovers = hasLeftovers;
    this.schedule();
  }

  submit<V extends Verb>(verb: V, write: Commands[V]['write'], bytes: number): Promise<Commands[V]['outcome']> {
    if (this.closing) return Promise.reject(new MnemeError('DRAINING', 'the store is closing: nothing more is stored'));
    return new Promise((resolve, reject) => {
      this.queue.add({ command: { verb, write } as Command, bytes, resolve, reject });
      this.schedule();
    });
  }

  /** Writes that wait for the writer thread. */
  get queuedCount(): number {
    return this.queue.length;
  }

  /** Lets what is queued finish, then ends the thread. */
  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    if (this.inHand || this.queue.length > 0) {
      await new Promise<void>((resolve) => {
        this.whenIdle = resolve;
      });
    }
    await this.link?.end();
  }

  /** Waits for the end of the turn of the event loop, so that calls that came in together go out together. */
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
    if (this.hasLeftovers && !this.closing) commands.push({ verb: 'eraseLeftovers', write: undefined });
    if (commands.length === 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pace.sent(commands.length, performance.now());
    this.inHand = batch;
    try {
      this.link ??= this.startThread();
      this.link.post(commands);
    } catch (error) {
      this.settleWith(() => ({ error }));
    }
  }

  private settle({ answers, revision, hasLeftovers }: BatchAnswer): void {
    const isNew = revision !== this.revision;
    this.revision = revision;
    this.onSettling?.();
    // Behind the answers of the batch may be that of erasing leftovers: when it failed, the next write tries again.
    const erasure = answers[this.inHand?.length ?? 0];
    this.hasLeftovers = hasLeftovers && !(erasure && 'thrown' in erasure);
    this.settleWith((at) => resultOf(answers[at]));
    if (isNew) for (const listener of [...this.listeners]) listener();
  }

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

  private startThread(thread?: Worker): WriterLink {
    const events = {
      onAnswer: (answer: BatchAnswer) => this.settle(answer),
      onDeath: (error: MnemeError) => this.abandon(error),
    };
    return new WriterLink(this.options, events, thread);
  }

  private abandon(error: MnemeError): void {
    this.link = undefined;
    this.hasLeftovers = false;
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
