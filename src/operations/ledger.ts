import type { ToldChange } from './watch.ts';

interface Delivery {
  readonly told: ToldChange;
  /** Absent while nobody works on it. */
  consumer: string | undefined;
  deadlineAtMs: number;
}

export interface LedgerPage {
  readonly changes: readonly ToldChange[];
  /** Everything up to here has been read, told or not. */
  readonly revision: number;
}

/** What of a subscription has been read, who works on it, and what is done. */
export class Ledger {
  /** Everything up to here has been read from the log. */
  position: number;
  /** What is not acknowledged, by revision, oldest first. */
  private readonly open = new Map<number, Delivery>();
  private readonly ackDeadlineMs: number;
  private readonly nowMs: () => number;
  private reading: Promise<void> = Promise.resolve();

  /** `ackDeadlineMs` is `Infinity` where nobody else could take over. */
  constructor(acknowledgedRevision: number, ackDeadlineMs: number, nowMs: () => number) {
    this.position = acknowledgedRevision;
    this.ackDeadlineMs = ackDeadlineMs;
    this.nowMs = nowMs;
  }

  /** Everything up to here is acknowledged, or was not to be told. */
  get acknowledgedRevision(): number {
    for (const revision of this.open.keys()) return revision - 1;
    return this.position;
  }

  /** Milliseconds until a change that somebody has not acknowledged goes to another. */
  get dueInMs(): number {
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const { consumer, deadlineAtMs } of this.open.values()) {
      if (consumer !== undefined) earliestMs = Math.min(earliestMs, deadlineAtMs);
    }
    return Math.max(earliestMs - this.nowMs(), 0);
  }

  /** Gives the consumer what others have left, and when there is none what comes next in the log; nothing when there is none. */
  async take(
    consumer: string,
    limits: { readonly outstandingMax: number; readonly batchMax: number },
    read: (afterRevision: number) => Promise<LedgerPage>,
  ): Promise<ToldChange[]> {
    const room = Math.min(limits.outstandingMax - this.outstandingOf(consumer), limits.batchMax);
    if (room <= 0) return [];
    const left = this.takeLeft(consumer, room);
    if (left.length > 0) return left;
    await this.readNext(read);
    return this.takeLeft(consumer, room);
  }

  /** Consumers take turns at reading, so that nothing is read twice. */
  private readNext(read: (afterRevision: number) => Promise<LedgerPage>): Promise<void> {
    const next = this.reading.then(async () => {
      if ([...this.open.values()].some(({ consumer }) => consumer === undefined)) return;
      const { changes, revision } = await read(this.position);
      for (const told of changes) this.open.set(told.change.revision, { told, consumer: undefined, deadlineAtMs: 0 });
      this.position = Math.max(this.position, revision);
    });
    this.reading = next.catch(() => undefined);
    return next;
  }

  private takeLeft(consumer: string, count: number): ToldChange[] {
    const nowMs = this.nowMs();
    const taken: ToldChange[] = [];
    for (const delivery of this.open.values()) {
      if (taken.length >= count) break;
      if (delivery.consumer !== undefined && delivery.deadlineAtMs > nowMs) continue;
      delivery.consumer = consumer;
      delivery.deadlineAtMs = nowMs + this.ackDeadlineMs;
      taken.push(delivery.told);
    }
    return taken;
  }

  /** What was not delivered to the consumer, or is acknowledged already, is passed over. */
  acknowledge(consumer: string, upToRevision: number, revisions: readonly number[]): void {
    for (const revision of revisions) if (this.open.get(revision)?.consumer === consumer) this.open.delete(revision);
    for (const [revision, delivery] of this.open) {
      if (revision > upToRevision) break;
      if (delivery.consumer === consumer) this.open.delete(revision);
    }
  }

  /** The consumer has gone: what it worked on is for others. */
  release(consumer: string): void {
    for (const delivery of this.open.values()) if (delivery.consumer === consumer) delivery.consumer = undefined;
  }

  private outstandingOf(consumer: string): number {
    let count = 0;
    for (const delivery of this.open.values()) if (delivery.consumer === consumer) count++;
    return count;
  }
}
