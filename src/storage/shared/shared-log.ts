import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { MnemeError } from '../../memory/errors.ts';
import { activeSpan, forAll, type Span } from '../../tracing/span.ts';
import type { CommandEntry, CommandLog, CommandLogHead } from '../command-log.ts';
import { outsideCall, type QueuedInCall, queuedInCall } from '../current-call.ts';
import { currentFence, type Fence, LeaseLost, LeasesLost } from '../job-fence.ts';
import { redisUnavailable } from '../redis/driver-error.ts';
import type { SharedPosition } from '../shared-position.ts';

export interface SharedLogOptions {
  readonly log: Pick<CommandLog, 'read' | 'append'>;
  /** Position of the database. */
  readonly position: () => Promise<SharedPosition>;
  /** Executes an entry in the database: resolves with its outcome, or fails as the command does. */
  readonly apply: (entry: CommandEntry) => Promise<unknown>;
  /** Called when Redis has lost the log; resolves when there is one that this server can follow. */
  readonly renew: (at: SharedPosition, recent: readonly CommandEntry[]) => Promise<void>;
  /** Called once, when this server cannot follow the log until it is restarted. */
  readonly onEnd?: (error: MnemeError) => void;
}

const BATCH_MAX = 512;
const BATCH_BYTES_MAX = 4 << 20;
const QUEUE_MAX = 10_000;
const QUEUE_BYTES_MAX = 64 << 20;
const READ_AT_ONCE = 200;
/** Far fewer than the queue of the database holds. */
const IN_HAND_MAX = 1000;
/** Maximum of recent entries, which are appended again if Redis loses them. */
const RECENT_BYTES_MAX = 32 << 20;

interface Waiting {
  readonly stamp: string;
  readonly command: Buffer;
  /** Of the job that submitted it. */
  readonly fence: Fence | undefined;
  /** Of the call that waits for it. */
  readonly span: Span | undefined;
  /** Present where the write is left out when its call ends before it is taken. */
  readonly call: QueuedInCall | undefined;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Executes, in the database of this server, the commands that all servers of a key prefix append to one log, in order.
 * So all databases become equal, and each command has one outcome, whichever server received it.
 */
export class SharedLog {
  private readonly options: SharedLogOptions;
  /** The last entry that was sent to the database. */
  private end: SharedPosition;
  /** Settles when the database has executed it, or failed to. */
  private applied: Promise<void> = Promise.resolve();
  /** Entries that the database is executing. */
  private inHand = 0;
  /** The database has not executed all entries that it received. */
  private isBehind = false;
  private readonly waiting: Waiting[] = [];
  private waitingBytes = 0;
  private readonly recent = new RecentEntries();
  private next: Promise<void> | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private ended: MnemeError | undefined;
  private isClosed = false;

  constructor(options: SharedLogOptions, start: SharedPosition) {
    this.options = options;
    this.end = start;
  }

  /**
   * Resolves with the outcome when this server has executed the command. Fails, and is not appended, when the call that it
   * serves ends while it waits.
   */
  submit(command: Buffer): Promise<unknown> {
    const error = this.refusal(command.length);
    if (error) return Promise.reject(error);
    const stamp = randomUUID();
    return new Promise((resolve, reject) => {
      const call = queuedInCall();
      const waiting = { stamp, command, fence: currentFence(), span: activeSpan(), call, resolve, reject };
      this.waiting.push(waiting);
      this.waitingBytes += command.length;
      call?.withdrawAtEnd((reason) => this.withdraw(waiting, reason));
      // Waiting calls fail with the same error.
      this.nextStep().catch(() => undefined);
    });
  }

  private withdraw(write: Waiting, reason: Error): void {
    const at = this.waiting.indexOf(write);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    this.waitingBytes -= write.command.length;
    write.reject(reason);
  }

  /** Resolves when the database has every command that any server acknowledged before the call. */
  async current(): Promise<void> {
    if (this.isClosed) throw draining();
    await this.nextStep();
    await this.applied;
    if (this.isBehind) throw notCarriedOut();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.running.catch(() => undefined);
    await this.applied;
  }

  private refusal(bytes: number): MnemeError | undefined {
    if (this.isClosed) return draining();
    if (this.ended) return this.ended;
    const isFull = this.waiting.length >= QUEUE_MAX || this.waitingBytes + bytes > QUEUE_BYTES_MAX;
    if (!isFull || this.waiting.length === 0) return undefined;
    return new MnemeError('QUEUE_FULL', 'too many writes wait for Redis', { metadata: { backend: 'redis' } });
  }

  /** The first step that begins after the call. */
  private nextStep(): Promise<void> {
    return this.next ?? outsideCall(() => this.planStep());
  }

  private planStep(): Promise<void> {
    const step = this.running
      .catch(() => undefined)
      .then(() => turn())
      .then(() => {
        this.next = undefined;
        return this.step();
      });
    this.next = step;
    this.running = step;
    return step;
  }

  private async step(): Promise<void> {
    const batch = this.takeBatch();
    try {
      if (this.ended) throw this.ended;
      if (this.isBehind) await this.startOver();
      if (batch.length === 0) await this.read();
      else
        await forAll(
          batch.map(({ span }) => span),
          'group commit',
          () => this.appendHeld(batch),
        );
    } catch (error) {
      for (const { reject } of batch) reject(error);
      throw error;
    } finally {
      if (this.waiting.length > 0) this.nextStep().catch(() => undefined);
    }
  }

  private takeBatch(): Waiting[] {
    let bytes = 0;
    const end = this.waiting.findIndex(({ command }, at) => {
      bytes += command.length;
      return at >= BATCH_MAX || (at > 0 && bytes > BATCH_BYTES_MAX);
    });
    const batch = this.waiting.splice(0, end < 0 ? this.waiting.length : end);
    this.waitingBytes -= batch.reduce((sum, { command }) => sum + command.length, 0);
    for (const { call } of batch) call?.sent();
    return batch;
  }

  /** Without commands of jobs that another server runs now. */
  private async appendHeld(batch: readonly Waiting[]): Promise<void> {
    for (let held = batch; ; ) {
      try {
        return await (held.length === 0 ? this.read() : this.append(held));
      } catch (error) {
        if (!(error instanceof LeasesLost)) throw error;
        const isLost = ({ fence }: Waiting) => fence !== undefined && error.fences.includes(fence);
        for (const { fence, reject } of held.filter(isLost)) {
          fence?.lost();
          if (fence) reject(new LeaseLost(fence));
        }
        held = held.filter((one) => !isLost(one));
      }
    }
  }

  private async append(batch: readonly Waiting[]): Promise<void> {
    const fences = [...new Set(batch.flatMap(({ fence }) => fence ?? []))];
    let first = await this.options.log.append(this.end, batch, false, fences);
    if (!first) {
      // The log differs from the one that this server has followed: nothing was appended.
      await this.read();
      first = await this.options.log.append(this.end, batch, false, fences);
      if (!first) throw redisUnavailable('rolled_back');
    }
    await this.readThrough(first.position - 1);
    let { position, follows } = first;
    for (const { stamp, command, resolve, reject } of batch) {
      this.give({ position, stamp, follows, command }, resolve, reject);
      follows = stamp;
      position++;
    }
  }

  private async read(): Promise<void> {
    const { head, entries } = await this.options.log.read(this.end.position, READ_AT_ONCE);
    if (!head) {
      await this.applied;
      await this.options.renew(this.end, this.recent.all);
      return this.read();
    }
    const { epoch, position, stamp } = head;
    if (epoch !== this.end.epoch) throw this.endWith('flushed');
    if (position < this.end.position || (position === this.end.position && stamp !== this.end.stamp)) {
      return this.appendLost(head);
    }
    for (const entry of entries) this.give(entry);
    return this.readThrough(position);
  }

  private async readThrough(position: number): Promise<void> {
    while (this.end.position < position) {
      // Entries of other servers are not read faster than they are executed.
      if (this.inHand > IN_HAND_MAX) await this.applied;
      if (this.isBehind) throw notCarriedOut();
      // No more: the entries after it are those that this server has just appended.
      const limit = Math.min(READ_AT_ONCE, position - this.end.position);
      const { entries } = await this.options.log.read(this.end.position, limit);
      if (entries.length === 0) throw this.endWith('left_behind');
      for (const entry of entries) this.give(entry);
    }
  }

  /** Redis went back to an older state: the lost entries are appended after its remaining ones. */
  private async appendLost(head: CommandLogHead): Promise<void> {
    const lost = this.recent.after(head);
    if (!lost || !(await this.options.log.append(head, lost, true))) throw this.endWith('rolled_back');
  }

  private give(entry: CommandEntry, resolve?: (outcome: unknown) => void, reject?: (error: unknown) => void): void {
    const { position, stamp, follows } = entry;
    const isNext = position === this.end.position + 1;
    if (!isNext || follows !== this.end.stamp) {
      const error = this.endWith(isNext ? 'rolled_back' : 'left_behind');
      reject?.(error);
      throw error;
    }
    this.end = { epoch: this.end.epoch, position, stamp };
    this.recent.add(entry);
    this.inHand++;
    const done = this.options.apply(entry).finally(() => this.inHand--);
    const noted = done.then(
      (outcome) => this.noteDamage(outcome),
      (error: unknown) => this.noteFailure(error),
    );
    this.applied = Promise.all([this.applied, noted]).then(() => undefined);
    done.then(resolve, (error: unknown) => reject?.(isOutcome(error) ? error : notCarriedOut(error)));
  }

  private async startOver(): Promise<void> {
    await this.applied;
    this.end = await this.options.position();
    this.isBehind = false;
  }

  private noteFailure(error: unknown): void {
    if (error instanceof MnemeError && error.reason === 'CHECKSUM_MISMATCH') this.endWith('damaged_view');
    else if (!isOutcome(error)) this.isBehind = true;
  }

  /** Another server has done the work that failed here. */
  private noteDamage(outcome: unknown): void {
    if (typeof outcome !== 'object' || outcome === null || !('damagedIds' in outcome)) return;
    if (Array.isArray(outcome.damagedIds) && outcome.damagedIds.length > 0) this.endWith('damaged_view');
  }

  private endWith(fault: Parameters<typeof redisUnavailable>[0]): MnemeError {
    const isFirst = !this.ended;
    this.ended ??= redisUnavailable(fault);
    if (isFirst) this.options.onEnd?.(this.ended);
    return this.ended;
  }
}

function draining(): MnemeError {
  return new MnemeError('DRAINING', 'the store is closed');
}

/** Whether a command has failed as it does at every server. */
function isOutcome(error: unknown): boolean {
  return error instanceof MnemeError && !OF_THIS_SERVER.has(error.reason);
}

const OF_THIS_SERVER: ReadonlySet<string> = new Set(['STORAGE_FULL', 'STORAGE_UNAVAILABLE', 'QUEUE_FULL', 'DRAINING']);

/** The log holds it, and it takes effect when the database of this server executes it. */
function notCarriedOut(cause?: unknown): MnemeError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new MnemeError('STORAGE_UNAVAILABLE', `the data folder lacks commands of the shared log${why}`, {
    metadata: { backend: 'sqlite' },
    cause,
  });
}

/** The latest entries, in order. */
class RecentEntries {
  all: CommandEntry[] = [];
  private bytes = 0;

  add(entry: CommandEntry): void {
    // An entry that could not be executed is repeated.
    const from = this.all.findLastIndex(({ position }) => position < entry.position) + 1;
    for (const { command } of this.all.splice(from)) this.bytes -= command.length;
    this.all.push(entry);
    this.bytes += entry.command.length;
    let surplus = 0;
    for (const { command } of this.all) {
      if (this.bytes <= RECENT_BYTES_MAX) break;
      this.bytes -= command.length;
      surplus++;
    }
    if (surplus > 0) this.all.splice(0, surplus);
  }

  /** Entries after a place; `undefined` where the place is not known to be one of these. */
  after({ position, stamp }: Pick<SharedPosition, 'position' | 'stamp'>): readonly CommandEntry[] | undefined {
    const first = this.all.findIndex((entry) => entry.position === position + 1);
    return this.all[first]?.follows === stamp ? this.all.slice(first) : undefined;
  }
}
