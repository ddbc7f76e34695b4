import { MnemeError } from '../../memory/errors.ts';
import { queuedInCall } from '../current-call.ts';
import { currentFence } from '../job-fence.ts';
import type { Slots } from '../slots.ts';
import { type Answer, Lane, type LaneJob } from './lane.ts';
import type { Job } from './namespace-lane.ts';

export interface QueueLimits {
  /** Maximum writes in the queue, and their bytes: a write beyond either limit is refused. */
  readonly queueMax: number;
  readonly queueBytesMax: number;
}

const LIMITS: QueueLimits = { queueMax: 10_000, queueBytesMax: 67_108_864 };

export interface LanesOptions<J extends LaneJob> {
  readonly carryOut: (name: string, jobs: readonly J[]) => Promise<readonly Answer[]>;
  /** Of all lanes that share the connections. */
  readonly slots: Slots;
  readonly limits?: Partial<QueueLimits>;
}

/** Writes of all namespaces: one transaction at a time for each. */
export class Lanes<J extends LaneJob> {
  private readonly options: LanesOptions<J>;
  private readonly limits: QueueLimits;
  private readonly lanes = new Map<string, Lane<J>>();
  private count = 0;
  private bytes = 0;
  private isClosed = false;

  constructor(options: LanesOptions<J>) {
    this.options = options;
    this.limits = { ...LIMITS, ...options.limits };
  }

  /**
   * Resolves to the outcome of the write. Fails with QUEUE_FULL, and with DRAINING after `close`; fails, and is not carried
   * out, when the call that it serves ends while it waits. A write that is larger than the limit of the queue is accepted
   * when the queue is empty.
   */
  submit(name: string, job: J): Promise<unknown> {
    if (this.isClosed) {
      return Promise.reject(new MnemeError('DRAINING', 'the store is closing: nothing more is stored'));
    }
    const isTooMuch = this.count > 0 && this.bytes + job.bytes > this.limits.queueBytesMax;
    if (this.count >= this.limits.queueMax || isTooMuch) {
      const message = 'too many writes are waiting to be stored: try again shortly';
      return Promise.reject(new MnemeError('QUEUE_FULL', message, { metadata: { backend: 'postgres' } }));
    }
    const fence = currentFence();
    return new Promise((resolve, reject) => {
      const call = queuedInCall();
      this.lane(name).submit({ job: fence ? { ...job, fence } : job, call, resolve, reject });
      this.count++;
      this.bytes += job.bytes;
    });
  }

  /** Writes in the queue. */
  get queuedCount(): number {
    return this.count;
  }

  /** Refuses further writes, and resolves when the accepted ones are done. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { settled } of [...this.lanes.values()]) await settled;
  }

  private lane(name: string): Lane<J> {
    const known = this.lanes.get(name);
    if (known) return known;
    const { carryOut, slots } = this.options;
    const lane = new Lane<J>({
      carryOut: (jobs) => carryOut(name, jobs),
      admitted: (batch) => slots.run(batch),
      onLeft: (jobs) => {
        this.count -= jobs.length;
        for (const { bytes } of jobs) this.bytes -= bytes;
      },
      onIdle: () => this.lanes.delete(name),
    });
    this.lanes.set(name, lane);
    return lane;
  }
}

/** Writes of memories. */
export class NamespaceLanes extends Lanes<Job<unknown>> {
  override submit<O>(name: string, job: Job<O>): Promise<O> {
    return super.submit(name, job) as Promise<O>;
  }
}
