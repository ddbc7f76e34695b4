import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { PostgresDatabase } from './database.ts';
import { currentFence } from './fence.ts';
import { type Job, NamespaceLane } from './namespace-lane.ts';

export interface QueueLimits {
  /** Maximum writes in the queue, and their bytes: a write beyond either limit is refused. */
  readonly queueMax: number;
  readonly queueBytesMax: number;
}

const LIMITS: QueueLimits = { queueMax: 10_000, queueBytesMax: 67_108_864 };

export interface LanesOptions {
  readonly database: PostgresDatabase;
  readonly retentionUs: Micros;
  readonly limits?: Partial<QueueLimits>;
  /** Called with the newest revision after each commit. */
  readonly onCommit: (revision: number) => void;
}

/** Writes of all namespaces: one transaction at a time for each, and half of the connections for all. */
export class NamespaceLanes {
  private readonly options: LanesOptions;
  private readonly limits: QueueLimits;
  private readonly lanes = new Map<string, NamespaceLane>();
  private readonly slots: Slots;
  private count = 0;
  private bytes = 0;
  private isClosed = false;

  constructor(options: LanesOptions) {
    this.options = options;
    this.limits = { ...LIMITS, ...options.limits };
    this.slots = new Slots(Math.max(1, Math.floor(options.database.connectionsMax / 2)));
  }

  /**
   * Fails with QUEUE_FULL, and with DRAINING after `close`. A write that is larger than the limit of the queue is
   * accepted when the queue is empty.
   */
  submit<O>(name: string, job: Job<O>): Promise<O> {
    if (this.isClosed) {
      return Promise.reject(new MnemeError('DRAINING', 'the store is closing: nothing more is stored'));
    }
    const isTooMuch = this.count > 0 && this.bytes + job.bytes > this.limits.queueBytesMax;
    if (this.count >= this.limits.queueMax || isTooMuch) {
      const message = 'too many writes are waiting to be stored: try again shortly';
      return Promise.reject(new MnemeError('QUEUE_FULL', message, { metadata: { backend: 'postgres' } }));
    }
    this.count++;
    this.bytes += job.bytes;
    const fence = currentFence();
    return new Promise<O>((resolve, reject) => {
      this.lane(name).submit({ job: fence ? { ...job, fence } : job, resolve, reject });
    });
  }

  /** Refuses further writes, and resolves when the accepted ones are done. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { settled } of [...this.lanes.values()]) await settled;
  }

  private lane(name: string): NamespaceLane {
    const known = this.lanes.get(name);
    if (known) return known;
    const lane = new NamespaceLane({
      ...this.options,
      name,
      admitted: (batch) => this.slots.run(batch),
      onTaken: (jobs) => {
        this.count -= jobs.length;
        for (const { bytes } of jobs) this.bytes -= bytes;
      },
      onIdle: () => this.lanes.delete(name),
    });
    this.lanes.set(name, lane);
    return lane;
  }
}

/** Lets a number of tasks run at a time, the others in the order of their calls. */
class Slots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}
