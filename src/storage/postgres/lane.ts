import { setImmediate as turn } from 'node:timers/promises';
import { activeSpan, forAll, outsideSpans, type Span } from '../../search/threads/span.ts';
import { outsideCall, type QueuedInCall } from '../current-call.ts';
import type { Fence } from '../job-fence.ts';
import { despiteConflicts, isRefusedStatement } from './driver-error.ts';

/** A write in the queue. */
export interface LaneJob {
  /** What it concerns, such as ids of memories. */
  readonly ids: readonly string[];
  /** Approximate size in the queue. */
  readonly bytes: number;
  /** No other write is in its transaction. */
  readonly isAlone?: boolean;
  /** Of the job that it is a part of. */
  readonly fence?: Fence;
}

export type Answer = { readonly outcome: unknown } | { readonly error: unknown };

export interface Waiting<J> {
  readonly job: J;
  readonly resolve: (outcome: never) => void;
  readonly reject: (error: unknown) => void;
  /** Of the call that waits for it. */
  readonly span: Span | undefined;
  /** Present where the write is left out when its call ends before it is taken. */
  readonly call: QueuedInCall | undefined;
}

export interface LaneOptions<J extends LaneJob> {
  /** Carries writes out as one transaction: an answer for each. Fails where none of them has taken effect. */
  readonly carryOut: (jobs: readonly J[]) => Promise<readonly Answer[]>;
  /** Runs a batch when fewer than the maximum number of batches run. */
  readonly admitted: <T>(batch: () => Promise<T>) => Promise<T>;
  /** Called when writes have left the queue, to be carried out or because their calls have ended. */
  readonly onLeft: (jobs: readonly J[]) => void;
  /** Called when no write waits or runs: the lane is not used again. */
  readonly onIdle: () => void;
}

/** Maximum of one transaction; a single write may be larger. */
const BATCH_MAX = 512;
const BATCH_BYTES_MAX = 4_194_304;
const BATCH_IDS_MAX = 2000;

/** Runs the writes of one namespace in order, all that wait as one transaction: the next batch gathers meanwhile. */
export class Lane<J extends LaneJob> {
  private readonly options: LaneOptions<J>;
  private waiting: Waiting<J>[] = [];
  private working: Promise<void> | undefined;

  constructor(options: LaneOptions<J>) {
    this.options = options;
  }

  /** Resolves when no write waits or runs; `undefined` where none does. */
  get settled(): Promise<void> | undefined {
    return this.working;
  }

  /** A write whose call ends while it waits is not carried out, and fails. */
  submit(write: Omit<Waiting<J>, 'span'>): void {
    const waiting = { ...write, span: activeSpan() };
    this.waiting.push(waiting);
    write.call?.withdrawAtEnd((reason) => this.withdraw(waiting, reason));
    // The lane goes on for later calls than the one that starts it.
    this.working ??= outsideCall(() => outsideSpans(() => this.work()));
  }

  private withdraw(write: Waiting<J>, reason: Error): void {
    const at = this.waiting.indexOf(write);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    this.options.onLeft([write.job]);
    write.reject(reason);
  }

  private async work(): Promise<void> {
    // Writes of one turn of the event loop go together.
    for (await turn(); this.waiting.length > 0; ) {
      await this.options.admitted(async () => {
        const batch = this.waiting.splice(0, batchSizeOf(this.waiting));
        // All of them may have been withdrawn while the batch waited for its turn.
        if (batch.length === 0) return;
        for (const { call } of batch) call?.sent();
        this.options.onLeft(batch.map(({ job }) => job));
        await this.settle(batch);
      });
    }
    this.options.onIdle();
  }

  private async settle(batch: readonly Waiting<J>[]): Promise<void> {
    let answers: readonly Answer[];
    try {
      const spans = batch.map(({ span }) => span);
      const carryOut = () => this.options.carryOut(batch.map(({ job }) => job));
      answers = await forAll(spans, 'group commit', () => despiteConflicts(carryOut));
    } catch (error) {
      // The values of one write may be the reason: alone, only that one fails.
      if (batch.length > 1 && isRefusedStatement(error)) {
        for (const write of batch) await this.settle([write]);
        return;
      }
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [at, { resolve, reject }] of batch.entries()) {
      const answer = answers[at];
      if (answer && 'outcome' in answer) resolve(answer.outcome as never);
      else reject(answer?.error);
    }
  }
}

/** Number of queued writes that go together. */
function batchSizeOf(waiting: readonly Waiting<LaneJob>[]): number {
  let [bytes, ids] = [0, 0];
  for (const [at, { job }] of waiting.entries()) {
    bytes += job.bytes;
    ids += job.ids.length;
    const isTooMuch = at >= BATCH_MAX || bytes > BATCH_BYTES_MAX || ids > BATCH_IDS_MAX;
    if (at > 0 && (isTooMuch || job.isAlone || waiting[0]?.job.isAlone)) return at;
  }
  return waiting.length;
}
