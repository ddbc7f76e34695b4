import { bytesOfChange } from '../../change-log/change-feed.ts';
import type { Claim } from '../../storage/subscription-store.ts';
import type { VisibleChange } from './watch.ts';

interface Delivery {
  readonly visible: VisibleChange;
  /** Absent while no consumer works on it. */
  consumer: string | undefined;
  deadlineAtMs: number;
}

export interface LedgerPage {
  readonly changes: readonly VisibleChange[];
  /** Everything up to here has been read, delivered or not. */
  readonly revision: number;
}

export interface LedgerOptions {
  /** Acknowledgements are published to other servers that deliver the same changes. */
  readonly isPublished?: boolean;
  readonly acknowledgedRevision: number;
  /** Completed changes from a shared store: those up to this `origin`. */
  readonly passedOrigin?: number;
  /** `Infinity` where no other consumer could take over. */
  readonly ackDeadlineMs: number;
  readonly nowMs: () => number;
  /** Asks whether changes, by their `origin`, are this server's to deliver. Absent where no other server delivers them. */
  readonly claim?: (origins: readonly number[], untilMs: number, nowMs: number) => Promise<readonly Claim[]>;
}

/** Flow-control limits of one consumer. */
export interface TakeLimits {
  /** Maximum number and bytes of unacknowledged changes: delivery stops with the change that reaches them. */
  readonly outstandingMax: number;
  readonly outstandingBytesMax: number;
  /** Of one message: at least one change. */
  readonly batchMax: number;
  readonly bytesMax: number;
}

/** Represents a consumer of another server. */
const ELSEWHERE = '';
/** Interval between reads of other servers' work. */
const LOOK_MS = 1000;

/** State of a subscription's cursor: changes read, in progress and completed. */
export class Ledger {
  /** Everything up to here has been read from the log. */
  position: number;
  /** Unacknowledged changes by revision, oldest first. */
  private readonly open = new Map<number, Delivery>();
  /** Acknowledged changes not yet published to other servers, by their `origin`. */
  readonly done = new Set<number>();
  private readonly options: LedgerOptions;
  private reading: Promise<void> = Promise.resolve();

  constructor(options: LedgerOptions) {
    this.position = options.acknowledgedRevision;
    this.options = options;
  }

  /** Everything up to here is acknowledged, or was not to be delivered. */
  get acknowledgedRevision(): number {
    for (const revision of this.open.keys()) return revision - 1;
    return this.position;
  }

  /** Milliseconds until an unacknowledged change is redelivered to another consumer. */
  get dueInMs(): number {
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const { consumer, deadlineAtMs } of this.open.values()) {
      if (consumer !== undefined) earliestMs = Math.min(earliestMs, deadlineAtMs);
    }
    return Math.max(earliestMs - this.options.nowMs(), 0);
  }

  /** Assigns the consumer released changes or, when there are none, the next changes of the log; empty at the end. */
  async take(
    consumer: string,
    limits: TakeLimits,
    read: (afterRevision: number) => Promise<LedgerPage>,
  ): Promise<VisibleChange[]> {
    const outstanding = this.outstandingOf(consumer);
    const room = Math.min(limits.outstandingMax - outstanding.count, limits.batchMax);
    if (room <= 0 || outstanding.bytes >= limits.outstandingBytesMax) return [];
    for (let hasRead = false; ; ) {
      const left = this.takeLeft(consumer, room, limits.bytesMax);
      if (left.length === 0 && hasRead) return [];
      const mine = await this.claimed(left);
      if (mine.length > 0) return mine.map(({ visible }) => visible);
      if (left.length > 0) continue;
      await this.readNext(read);
      hasRead = true;
    }
  }

  /** The changes that no other server delivers. */
  private async claimed(left: readonly Delivery[]): Promise<readonly Delivery[]> {
    const { claim, nowMs } = this.options;
    const shared = left.filter(({ visible }) => visible.change.origin !== undefined);
    if (!claim || shared.length === 0) return left;
    const origins = shared.map(({ visible }) => visible.change.origin ?? 0);
    const untilMs = Math.max(...shared.map(({ deadlineAtMs }) => deadlineAtMs));
    let claims: readonly Claim[];
    try {
      claims = await claim(origins, untilMs, nowMs());
    } catch (error) {
      for (const delivery of left) delivery.consumer = undefined;
      throw error;
    }
    const others = new Map(shared.map((delivery, at) => [delivery, claims[at] ?? 'taken']));
    for (const [delivery, answer] of others) {
      if (answer === 'done') this.open.delete(delivery.visible.change.revision);
      if (answer !== 'taken') continue;
      delivery.consumer = ELSEWHERE;
      delivery.deadlineAtMs = nowMs() + LOOK_MS;
    }
    return left.filter((delivery) => (others.get(delivery) ?? 'mine') === 'mine');
  }

  /** Consumers read one after the other, so that no change is read twice. */
  private readNext(read: (afterRevision: number) => Promise<LedgerPage>): Promise<void> {
    const next = this.reading.then(async () => {
      if ([...this.open.values()].some(({ consumer }) => consumer === undefined)) return;
      const { changes, revision } = await read(this.position);
      const passed = this.options.passedOrigin ?? 0;
      for (const visible of changes) {
        const { revision: at, origin, copiedRevision } = visible.change;
        if ((origin ?? copiedRevision ?? Number.POSITIVE_INFINITY) > passed)
          this.open.set(at, { visible, consumer: undefined, deadlineAtMs: 0 });
      }
      this.position = Math.max(this.position, revision);
    });
    this.reading = next.catch(() => undefined);
    return next;
  }

  /** At least one where there is any, otherwise no more than a message holds. */
  private takeLeft(consumer: string, count: number, bytesMax: number): Delivery[] {
    const nowMs = this.options.nowMs();
    const taken: Delivery[] = [];
    let bytes = 0;
    for (const delivery of this.open.values()) {
      if (taken.length >= count) break;
      if (delivery.consumer !== undefined && delivery.deadlineAtMs > nowMs) continue;
      bytes += bytesOfChange(delivery.visible.change);
      if (taken.length > 0 && bytes > bytesMax) break;
      delivery.consumer = consumer;
      delivery.deadlineAtMs = nowMs + this.options.ackDeadlineMs;
      taken.push(delivery);
    }
    return taken;
  }

  /** Ignores revisions that were not delivered to the consumer, or are acknowledged already. */
  acknowledge(consumer: string, upToRevision: number, revisions: readonly number[]): void {
    for (const revision of revisions) this.settle(consumer, revision);
    for (const revision of this.open.keys()) {
      if (revision > upToRevision) break;
      this.settle(consumer, revision);
    }
  }

  private settle(consumer: string, revision: number): void {
    const delivery = this.open.get(revision);
    if (delivery?.consumer !== consumer) return;
    this.open.delete(revision);
    const { origin } = delivery.visible.change;
    if (this.options.isPublished && origin !== undefined) this.done.add(origin);
  }

  /** The consumer has disconnected: its unacknowledged changes are released. */
  release(consumer: string): void {
    for (const delivery of this.open.values()) if (delivery.consumer === consumer) delivery.consumer = undefined;
  }

  private outstandingOf(consumer: string): { count: number; bytes: number } {
    let count = 0;
    let bytes = 0;
    for (const delivery of this.open.values()) {
      if (delivery.consumer !== consumer) continue;
      count++;
      bytes += bytesOfChange(delivery.visible.change);
    }
    return { count, bytes };
  }
}
