import { MnemeError } from '../../memory/errors.ts';
import type { Command } from './commands/command.ts';

export interface QueueLimits {
  /** Writes that wait at most, and their bytes: a write beyond either is refused. */
  readonly queueMax: number;
  readonly queueBytesMax: number;
  /** What one transaction takes at most; a single write may be larger. */
  readonly batchMax: number;
  readonly batchBytesMax: number;
}

export interface Waiting {
  readonly command: Command;
  readonly bytes: number;
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

  /** Fails with QUEUE_FULL. A write that is larger than the whole queue may be is taken when nothing else waits. */
  add(write: Waiting): void {
    const { queueMax, queueBytesMax } = this.limits;
    const isTooMuch = this.bytes + write.bytes > queueBytesMax && this.waiting.length > 0;
    if (this.waiting.length >= queueMax || isTooMuch) {
      throw new MnemeError('QUEUE_FULL', 'too many writes are waiting to be stored: try again shortly');
    }
    this.waiting.push(write);
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
    return this.waiting.splice(0, count);
  }

  takeAll(): Waiting[] {
    this.bytes = 0;
    return this.waiting.splice(0);
  }
}
