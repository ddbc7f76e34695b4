import { bytesOfChange } from '../../../storage/change-log/change-feed.ts';
import type { Claim } from '../../../storage/subscription-store.ts';
import type { VisibleChange } from './watch.ts';

interface Delivery {
  readonly visible: VisibleChange;
  /** Absent while no consumer works on it. */
  consumer: string | undefined;
  deadlineAtMs: number;
}

/** Unacknowledged changes of one consumer. */
interface Held {
  count: number;
  bytes: number;
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
  /** Those that no consumer works on, oldest first. */
  private readonly free = new Set<Delivery>();
  private readonly held = new Map<string, Held>();
  /** No change in progress is due for another consumer before. */
  private earliestMs = Number.POSITIVE_INFINITY;
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

  /** Changes that were read from the log and are not acknowledged. */
  get pendingCount(): number {
    return this.open.size;
  }

  /** Milliseconds until an unacknowledged change may be redelivered to another consumer: never too many. */
  get dueInMs(): number {
    if (this.earliestMs <= this.options.nowMs() || this.held.size === 0) this.findEarliest();
    return Math.max(this.earliestMs - this.options.nowMs(), 0);
  }

  /** Assigns the consumer released changes or, when there are none, the next changes of the log; empty at the end. */
  async take(
    consumer: string,
    limits: TakeLimits,
    read: (afterRevision: number) => Promise<LedgerPage>,
  ): Promise<VisibleChange[]> {
    const { count, bytes } = this.held.get(consumer) ?? { count: 0, bytes: 0 };
    const free = Math.min(limits.outstandingMax - count, limits.batchMax);
    if (free <= 0 || bytes >= limits.outstandingBytesMax) return [];
    for (let hasRead = false; ; ) {
      const left = this.takeLeft(consumer, free, limits.bytesMax);
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
      for (const delivery of left) this.assign(delivery, undefined);
      this.sortFree();
      throw error;
    }
    const others = new Map(shared.map((delivery, at) => [delivery, claims[at] ?? 'taken']));
    for (const [delivery, answer] of others) {
      if (answer === 'done') this.remove(delivery);
      if (answer === 'taken') this.assign(delivery, ELSEWHERE, nowMs() + LOOK_MS);
    }
    return left.filter((delivery) => (others.get(delivery) ?? 'mine') === 'mine');
  }

  /** Consumers read one after the other, so that no change is read twice. */
  private readNext(read: (afterRevision: number) => Promise<LedgerPage>): Promise<void> {
    const next = this.reading.then(async () => {
      if (this.free.size > 0) return;
      const { changes, revision } = await read(this.position);
      const passed = this.options.passedOrigin ?? 0;
      for (const visible of changes) {
        const { revision: at, origin, copiedRevision } = visible.change;
        if ((origin ?? copiedRevision ?? Number.POSITIVE_INFINITY) <= passed) continue;
        const delivery: Delivery = { visible, consumer: undefined, deadlineAtMs: 0 };
        this.open.set(at, delivery);
        this.free.add(delivery);
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
    const isOverdue = nowMs >= this.earliestMs;
    for (const delivery of isOverdue ? this.open.values() : this.free) {
      if (taken.length >= count) break;
      if (delivery.consumer !== undefined && delivery.deadlineAtMs > nowMs) continue;
      bytes += bytesOfChange(delivery.visible.change);
      if (taken.length > 0 && bytes > bytesMax) break;
      this.assign(delivery, consumer, nowMs + this.options.ackDeadlineMs);
      taken.push(delivery);
    }
    if (isOverdue) this.findEarliest();
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
    this.remove(delivery);
    const { origin } = delivery.visible.change;
    if (this.options.isPublished && origin !== undefined) this.done.add(origin);
  }

  /** The consumer has disconnected: its unacknowledged changes are released. */
  release(consumer: string): void {
    for (const delivery of this.open.values()) if (delivery.consumer === consumer) this.assign(delivery, undefined);
    this.sortFree();
  }

  private assign(delivery: Delivery, consumer: string | undefined, deadlineAtMs = 0): void {
    this.count(delivery, -1);
    delivery.consumer = consumer;
    delivery.deadlineAtMs = deadlineAtMs;
    this.count(delivery, 1);
    if (consumer === undefined) this.free.add(delivery);
    else {
      this.free.delete(delivery);
      this.earliestMs = Math.min(this.earliestMs, deadlineAtMs);
    }
  }

  private remove(delivery: Delivery): void {
    this.count(delivery, -1);
    this.free.delete(delivery);
    this.open.delete(delivery.visible.change.revision);
  }

  private count({ consumer, visible }: Delivery, times: 1 | -1): void {
    if (consumer === undefined) return;
    const held = this.held.get(consumer) ?? { count: 0, bytes: 0 };
    held.count += times;
    held.bytes += times * bytesOfChange(visible.change);
    if (held.count === 0) this.held.delete(consumer);
    else this.held.set(consumer, held);
  }

  private findEarliest(): void {
    this.earliestMs = Number.POSITIVE_INFINITY;
    for (const { consumer, deadlineAtMs } of this.open.values()) {
      if (consumer !== undefined) this.earliestMs = Math.min(this.earliestMs, deadlineAtMs);
    }
  }

  /** Released changes are older than those never delivered. */
  private sortFree(): void {
    this.free.clear();
    for (const delivery of this.open.values()) if (delivery.consumer === undefined) this.free.add(delivery);
  }
}
