import type { Clock } from '../../../memory/clock.ts';
import { MnemeError } from '../../../memory/errors.ts';
import { outsideCall } from '../../../storage/current-call.ts';
import type {
  Cursor,
  CursorMove,
  Subscription,
  SubscriptionStore,
  WorkClaims,
} from '../../../storage/subscription-store.ts';
import { Ledger } from './ledger.ts';

/** A stream that consumes a subscription. */
export interface Consumer {
  readonly name: string;
  wake(): void;
  /** Ends the stream with this error. */
  end(error: MnemeError): void;
}

/** A subscription with a consumer. */
export class OpenSubscription {
  readonly subscription: Subscription;
  readonly consumers = new Map<string, Consumer>();
  private readonly ledgers = new Map<string, Ledger>();
  /** Durably. */
  private readonly acknowledged = new Map<string, number>();
  private readonly passed = new Map<string, Pick<Cursor, 'passedOrigin' | 'passesGaps'>>();
  /** Cursors that go back, because their consumers asked for it. */
  private readonly rewound = new Set<string>();
  private readonly claims: WorkClaims | undefined;
  private readonly isClaimed: boolean;

  constructor(subscription: Subscription, claims: WorkClaims | undefined, isClaimed: boolean) {
    this.subscription = subscription;
    this.isClaimed = isClaimed;
    this.claims = subscription.mode === 'work_queue' ? claims : undefined;
    this.learn(subscription);
  }

  /** Applies cursors that are not read on this server, perhaps on another one. */
  learn({ cursors }: Subscription): void {
    for (const cursor of cursors) {
      const { consumer, acknowledgedRevision } = cursor;
      if (this.ledgers.has(consumer)) continue;
      this.acknowledged.set(consumer, acknowledgedRevision);
      this.passed.set(consumer, cursor);
    }
  }

  /** Consumers of a work queue share one cursor. */
  cursorOf(consumer: string): string {
    return this.subscription.mode === 'work_queue' ? '' : consumer;
  }

  acknowledgedBy(consumer: string): number {
    return this.acknowledged.get(this.cursorOf(consumer)) ?? this.subscription.startRevision;
  }

  /** Of deliveries of other servers that are missing here: all up to this `origin` is done. */
  passedGapsOf(consumer: string): number {
    const { passedOrigin = 0, passesGaps = false } = this.passed.get(this.cursorOf(consumer)) ?? {};
    return passesGaps ? passedOrigin : 0;
  }

  ledgerOf(consumer: string, nowMs: () => number): Ledger {
    const cursor = this.cursorOf(consumer);
    const { key: subscriptionKey, mode, ackDeadlineMs } = this.subscription;
    const known = this.ledgers.get(cursor);
    if (known) return known;
    const { claims } = this;
    const passedOrigin = this.passed.get(cursor)?.passedOrigin;
    const ledger = new Ledger({
      acknowledgedRevision: this.acknowledgedBy(consumer),
      ackDeadlineMs: mode === 'work_queue' ? ackDeadlineMs : Number.POSITIVE_INFINITY,
      nowMs,
      passedOrigin,
      ...(claims && {
        isPublished: true,
        ...(this.isClaimed && {
          claim: (origins, untilMs, atMs) => claims.claim({ subscriptionKey, origins, untilMs, nowMs: atMs }),
        }),
      }),
    });
    this.ledgers.set(cursor, ledger);
    return ledger;
  }

  /** Moves the cursor after a revision, without acknowledging it; without `isRewind` it is kept only where it is ahead. */
  move(consumer: string, afterRevision: number, nowMs: () => number, { isRewind = true } = {}): void {
    const cursor = this.cursorOf(consumer);
    this.ledgers.delete(cursor);
    this.acknowledged.set(cursor, afterRevision);
    this.passed.delete(cursor);
    if (isRewind) this.rewound.add(cursor);
    this.ledgerOf(consumer, nowMs);
    // Streams that share the cursor continue from there as well.
    for (const stream of this.consumers.values()) stream.wake();
  }

  /** Where the ledgers have come to, as it is to be kept. */
  cursors(): Omit<CursorMove, 'subscriptionKey'>[] {
    return [...this.ledgers].map(([consumer, { acknowledgedRevision, done }]) => ({
      consumer,
      acknowledgedRevision,
      ...(done.size > 0 && { done: [...done] }),
      ...(this.rewound.has(consumer) && { isRewind: true }),
    }));
  }

  openLedgers(): Iterable<Ledger> {
    return this.ledgers.values();
  }

  noteDurable({ consumer, acknowledgedRevision, done = [], isRewind }: Omit<CursorMove, 'subscriptionKey'>): void {
    this.acknowledged.set(consumer, acknowledgedRevision);
    for (const origin of done) this.ledgers.get(consumer)?.done.delete(origin);
    if (isRewind) this.rewound.delete(consumer);
    for (const stream of this.consumers.values()) stream.wake();
  }

  leave(consumer: Consumer): void {
    if (this.consumers.get(consumer.name) !== consumer) return;
    this.consumers.delete(consumer.name);
    const cursor = this.cursorOf(consumer.name);
    this.ledgers.get(cursor)?.release(consumer.name);
    // A returning consumer gets its unacknowledged changes again.
    if (this.subscription.mode === 'broadcast' || this.consumers.size === 0) this.ledgers.delete(cursor);
    for (const stream of this.consumers.values()) stream.wake();
  }
}

/** The subscriptions that are consumed, and their cursors: writes acknowledgements to disk in batches. */
export class OpenSubscriptions {
  private readonly store: SubscriptionStore;
  private readonly clock: Clock;
  private readonly isClaimed: boolean;
  private readonly open = new Map<number, OpenSubscription>();
  private writing: Promise<void> | undefined;
  private isDirty = false;

  /**
   * `isClaimed`: each change is delivered by the one server that has claimed it; otherwise by every server, whose
   * consumers agree by leases.
   */
  constructor(store: SubscriptionStore, clock: Clock, { isClaimed = true } = {}) {
    this.store = store;
    this.clock = clock;
    this.isClaimed = isClaimed;
  }

  /** What consumers of this server have not acknowledged, up to the newest revision. */
  lag(newestRevision: number): { readonly changeCount: number; readonly revisions: number } {
    let changeCount = 0;
    let revisions = 0;
    for (const open of this.open.values()) {
      for (const { pendingCount, acknowledgedRevision } of open.openLedgers()) {
        changeCount += pendingCount;
        if (pendingCount > 0) revisions = Math.max(revisions, newestRevision - acknowledgedRevision);
      }
    }
    return { changeCount, revisions };
  }

  /** Streams that consume. */
  get consumerCount(): number {
    let count = 0;
    for (const { consumers } of this.open.values()) count += consumers.size;
    return count;
  }

  readonly nowMs = (): number => this.clock.nowUs() / 1000;

  /** Fails with NAMESPACE_NOT_FOUND, SUBSCRIPTION_NOT_FOUND. A stream that the consumer has open ends. */
  async enter(namespace: string, id: string, consumer: Consumer): Promise<OpenSubscription> {
    // A returning consumer must see the acknowledgements of its last stream.
    await this.save();
    const subscription = await this.store.getSubscription(namespace, id);
    const known = this.open.get(subscription.key);
    const open = known ?? new OpenSubscription(subscription, this.store.claims, this.isClaimed);
    known?.learn(subscription);
    this.open.set(subscription.key, open);
    const former = open.consumers.get(consumer.name);
    if (former) {
      former.end(new MnemeError('CANCELLED', 'the consumer has opened another stream'));
      open.leave(former);
    }
    open.consumers.set(consumer.name, consumer);
    return open;
  }

  /** When this resolves, the consumer's acknowledgements are on disk. */
  async leave(open: OpenSubscription, consumer: Consumer): Promise<void> {
    await this.save().catch(() => undefined);
    open.leave(consumer);
    if (open.consumers.size > 0) return;
    const { key, mode } = open.subscription;
    if (this.open.get(key) === open) this.open.delete(key);
    // Where this fails they lapse by themselves.
    if (mode === 'work_queue') await this.store.claims?.release(key).catch(() => undefined);
  }

  /** Ends the streams of a subscription that was deleted. */
  drop(namespace: string, id: string, error: MnemeError): void {
    for (const [key, open] of this.open) {
      if (open.subscription.namespace !== namespace || open.subscription.id !== id) continue;
      this.open.delete(key);
      for (const consumer of open.consumers.values()) consumer.end(error);
    }
  }

  /** Writes all cursors; acknowledgements recorded in the meantime are part of the next write. */
  save(): Promise<void> {
    this.isDirty = true;
    // Of all consumers, whichever call asks for it.
    this.writing ??= outsideCall(() => this.write());
    return this.writing;
  }

  private async write(): Promise<void> {
    try {
      while (this.isDirty) {
        this.isDirty = false;
        await this.writeOnce();
      }
    } finally {
      // Cleared in the turn that found nothing to write: a promise of a write that is over would save nothing.
      this.writing = undefined;
    }
  }

  private async writeOnce(): Promise<void> {
    const moves = [...this.open.values()].flatMap((open) =>
      open.cursors().map((cursor) => ({ open, ...cursor, subscriptionKey: open.subscription.key })),
    );
    if (moves.length === 0) return;
    const cursors = moves.map(({ open: _, ...move }) => move);
    await this.store.moveCursors({ cursors, atUs: this.clock.nowUs() });
    for (const { open, ...move } of moves) open.noteDurable(move);
  }
}

/** Why the streams of its consumers end. */
export function subscriptionDeleted(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/subscriptions/${id}`;
  return new MnemeError('SUBSCRIPTION_NOT_FOUND', `${name} was deleted`, { metadata: { name } });
}
