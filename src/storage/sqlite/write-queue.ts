import { MnemeError } from '../../memory/errors.ts';
import type { CommitMeter } from '../../memory/meters.ts';
import { monotonicMs, recordedSpan, type Span } from '../../search/threads/span.ts';
import type { QueuedInCall } from '../current-call.ts';
import type { Command } from './commands/command.ts';
import type { WriterAnswer } from './writer-thread.ts';

export interface QueueLimits {
  /** Maximum writes in the queue, and their bytes: a write beyond either limit is refused. */
  readonly queueMax: number;
  readonly queueBytesMax: number;
  /** Maximum of one transaction; a single write may be larger. */
  readonly batchMax: number;
  readonly batchBytesMax: number;
}

/** Data of a write that is measured. */
interface Observed {
  /** Time by `monotonicMs`; 0 where the write is not measured. */
  readonly queuedAtMs: number;
  /** Present where the write is part of a recorded trace. */
  readonly span?: Span;
}

export interface Waiting extends Observed {
  readonly command: Command;
  readonly bytes: number;
  /** Present where the write is left out when its call ends before it is taken. */
  readonly call?: QueuedInCall;
  readonly resolve: (outcome: never) => void;
  readonly reject: (error: unknown) => void;
}

const LIMITS: QueueLimits = { queueMax: 10_000, queueBytesMax: 67_108_864, batchMax: 512, batchBytesMax: 4_194_304 };

/** Writes that wait for the writer thread, in order. */
export class WriteQueue {
  private readonly limits: QueueLimits;
  private waiting: Waiting[] = [];
  private bytes = 0;

  constructor(limits: Partial<QueueLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
  }

  get length(): number {
    return this.waiting.length;
  }

  /** Fails with QUEUE_FULL. A write that is larger than the limit of the queue is accepted when the queue is empty. */
  add(write: Waiting): void {
    const { queueMax, queueBytesMax } = this.limits;
    const isTooMuch = this.bytes + write.bytes > queueBytesMax && this.waiting.length > 0;
    if (this.waiting.length >= queueMax || isTooMuch) {
      throw new MnemeError('QUEUE_FULL', 'too many writes are waiting to be stored: try again shortly');
    }
    this.waiting.push(write);
    this.bytes += write.bytes;
  }

  /** Adds a write regardless of the limits. */
  putFirst(write: Waiting): void {
    this.waiting.unshift(write);
    this.bytes += write.bytes;
  }

  takeBatch(): Waiting[] {
    const { batchMax, batchBytesMax } = this.limits;
    let count = 0;
    let bytes = 0;
    for (const write of this.waiting) {
      if (count >= batchMax || (count > 0 && bytes + write.bytes > batchBytesMax)) break;
      count++;
      bytes += write.bytes;
    }
    this.bytes -= bytes;
    const batch = this.waiting.splice(0, count);
    for (const { call } of batch) call?.sent();
    return batch;
  }

  /** False where it was taken. */
  remove(write: Waiting): boolean {
    const at = this.waiting.indexOf(write);
    if (at < 0) return false;
    this.waiting.splice(at, 1);
    this.bytes -= write.bytes;
    return true;
  }

  takeAll(): Waiting[] {
    this.bytes = 0;
    return this.waiting.splice(0);
  }
}

/** The data of a write that is added to the queue. */
export function observed(meter: CommitMeter | undefined): Observed {
  const span = recordedSpan();
  if (!span) return { queuedAtMs: meter ? monotonicMs() : 0 };
  return { span, queuedAtMs: monotonicMs() };
}

/** Measures and traces the writes of a batch that has been answered. */
export function observeCommit(
  batch: readonly Waiting[],
  sentAtMs: number,
  { answers, time, commitTime }: WriterAnswer,
  meter: CommitMeter | undefined,
): void {
  if (!meter && !batch.some(({ span }) => span)) return;
  const endedAtMs = monotonicMs();
  const syncMs = commitTime ? commitTime.endedAtMs - commitTime.startedAtMs : 0;
  meter?.committed({ writeCount: answers.length, durationMs: endedAtMs - sentAtMs, syncMs });
  for (const { span, queuedAtMs, command } of batch) {
    if (meter && queuedAtMs > 0) meter.waited(sentAtMs - queuedAtMs);
    if (!span) continue;
    span.child('writer queue', { startedAtMs: queuedAtMs }).end({ endedAtMs: sentAtMs });
    const attributes = {
      'db.system.name': 'sqlite',
      'db.operation.name': command.kind,
      'db.operation.batch.size': batch.length,
    };
    const commit = span.child('group commit', { startedAtMs: sentAtMs, attributes });
    const transaction = commit.child('sqlite transaction', time);
    if (commitTime) transaction.child('sqlite COMMIT', commitTime).end(commitTime);
    transaction.end(time);
    commit.end({ endedAtMs });
  }
}
