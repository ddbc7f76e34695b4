import { MESSAGE_TYPE } from '../../../memory/conversation.ts';
import { isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import type { ChangeFeed, NamespaceTail } from '../../../storage/change-log/change-feed.ts';
import type { SubscriptionStore, WorkLeases } from '../../../storage/subscription-store.ts';
import { hasMessages } from '../conversations/conversations.ts';
import { compare } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import type { LedgerPage, TakeLimits } from '../streams/ledger.ts';
import type { Consumer, OpenSubscription, OpenSubscriptions } from '../streams/open-subscriptions.ts';
import { type VisibleChange, visibleChangesOf } from '../streams/watch.ts';

export interface IntakeDeps extends Pick<MemoryDeps, 'clock'> {
  readonly feed: ChangeFeed;
  readonly subscriptionStore: SubscriptionStore;
  /** Of extraction only. */
  readonly subscriptions: OpenSubscriptions;
}

/** Name that no caller can give a subscription. */
export const EXTRACTION_SUBSCRIPTION = '~extraction';
const CONSUMER = 'extraction';
/** Time after which changes are delivered again that have not been acknowledged. */
const ACK_DEADLINE_MS = 600_000;
const PAGE = { max: 256, bytesMax: 1_048_576 };
/** Of messages that wait for extraction; the log is not read further while there are as many. */
const LIMITS: TakeLimits = {
  outstandingMax: 4096,
  outstandingBytesMax: 8 * 1_048_576,
  batchMax: PAGE.max,
  bytesMax: PAGE.bytesMax,
};
const MESSAGES = compare('type', 'equals', MESSAGE_TYPE);

/**
 * Reads the changes of a namespace for extraction, from a durable position. Changes are delivered at least once; the position
 * stays before the first change that is not acknowledged.
 */
export class LogIntake {
  /** Nothing has been extracted in the namespace yet: a scan finds its messages. */
  readonly isNew: boolean;
  private readonly deps: IntakeDeps;
  private readonly tail: NamespaceTail;
  private readonly open: OpenSubscription;
  private readonly consumer: Consumer;
  private saving: Promise<void> | undefined;
  private isUnsaved = false;

  private constructor(deps: IntakeDeps, tail: NamespaceTail, open: OpenSubscription, consumer: Consumer) {
    this.deps = deps;
    this.tail = tail;
    this.open = open;
    this.consumer = consumer;
    this.isNew = open.subscription.cursors.length === 0;
  }

  /** Fails with NAMESPACE_NOT_FOUND, STORAGE_UNAVAILABLE. `wake` is called when there may be changes. */
  static async open(deps: IntakeDeps, namespace: string, wake: () => void): Promise<LogIntake> {
    const tail = await deps.feed.open(namespace);
    try {
      await deps.feed.current(namespace);
      await ensureSubscription(deps, namespace);
      const consumer: Consumer = { name: CONSUMER, wake, end: wake };
      const open = await deps.subscriptions.enter(namespace, EXTRACTION_SUBSCRIPTION, consumer);
      tail.listeners.add(wake);
      return new LogIntake(deps, tail, open, consumer);
    } catch (error) {
      deps.feed.close(tail);
      throw error;
    }
  }

  /** Absent where no other server extracts from the same store. */
  get leases(): WorkLeases | undefined {
    return this.deps.subscriptionStore.leases;
  }

  get subscriptionKey(): number {
    return this.open.subscription.key;
  }

  get newestRevision(): number {
    return this.deps.feed.log.revision;
  }

  /** Everything up to here is completed, durably. */
  get durableRevision(): number {
    return this.open.acknowledgedBy(CONSUMER);
  }

  /** Everything up to here has been read. */
  get position(): number {
    return this.ledger.position;
  }

  /** Milliseconds until a change may be delivered again. */
  get dueInMs(): number {
    return this.ledger.dueInMs;
  }

  private get ledger() {
    return this.open.ledgerOf(CONSUMER, this.deps.subscriptions.nowMs);
  }

  /**
   * The next changes; none when all are read, or too many are unacknowledged. `throughRevision` requests everything up
   * to a revision that the log has. Fails with REVISION_COMPACTED.
   */
  take(throughRevision: number): Promise<VisibleChange[]> {
    return this.ledger.take(CONSUMER, LIMITS, (after) => this.read(after, throughRevision));
  }

  private async read(afterRevision: number, throughRevision: number): Promise<LedgerPage> {
    const { feed } = this.deps;
    const { namespace } = this.tail;
    const isAhead = throughRevision > this.tail.throughRevision;
    const page = isAhead
      ? await feed.log.readChanges({ namespace, afterRevision, limit: PAGE.max, bytesMax: PAGE.bytesMax })
      : await feed.read(this.tail, afterRevision, PAGE.max, PAGE.bytesMax);
    return visibleChangesOf(page.changes, page.throughRevision, {
      filter: MESSAGES,
      includeTouched: false,
      includeMoved: false,
      batchBytesMax: PAGE.bytesMax,
      passedOrigin: this.open.passedGapsOf(CONSUMER),
    });
  }

  /** True while the log has changes that were not read, as far as the tail knows. */
  get isBehind(): boolean {
    const { position } = this;
    return position < this.tail.throughRevision && this.tail.after(position, 1)?.changes.length !== 0;
  }

  acknowledge(revisions: readonly number[]): void {
    this.ledger.acknowledge(CONSUMER, 0, revisions);
  }

  /** Writes the position. */
  async save(): Promise<void> {
    await this.deps.subscriptions.save();
  }

  /** Everything up to a revision is completed; continues after it. Another server may have come further. */
  async moveTo(revision: number): Promise<void> {
    this.open.move(CONSUMER, revision, this.deps.subscriptions.nowMs, { isRewind: false });
    await this.save();
  }

  /** Writes the position, together with what is acknowledged until then. Does not reject. */
  saveSoon(onFault: (error: unknown) => void): Promise<void> {
    this.isUnsaved = true;
    this.saving ??= this.saveAll(onFault);
    return this.saving;
  }

  private async saveAll(onFault: (error: unknown) => void): Promise<void> {
    while (this.isUnsaved) {
      await new Promise((resolve) => setImmediate(resolve));
      this.isUnsaved = false;
      await this.save().catch(onFault);
    }
    this.saving = undefined;
  }

  async close(): Promise<void> {
    await this.saving;
    this.tail.listeners.delete(this.consumer.wake);
    this.deps.feed.close(this.tail);
    await this.deps.subscriptions.leave(this.open, this.consumer);
  }
}

/**
 * Whether extraction has begun in a namespace, or may have to: where it has messages. A log that is made on demand is
 * not made for the answer.
 */
export async function mayHaveMessages(
  deps: Pick<IntakeDeps, 'subscriptionStore' | 'clock'> & Pick<MemoryDeps, 'store' | 'view'>,
  namespace: string,
): Promise<boolean> {
  const { shared } = deps.subscriptionStore;
  if (shared) return shared.hasAnyOf(namespace, EXTRACTION_SUBSCRIPTION);
  return (await hasExtraction(deps, namespace)) || hasMessages(deps, namespace);
}

async function hasExtraction({ subscriptionStore }: Pick<IntakeDeps, 'subscriptionStore'>, namespace: string) {
  try {
    await subscriptionStore.getSubscription(namespace, EXTRACTION_SUBSCRIPTION);
    return true;
  } catch (error) {
    if (isNamespaceMissing(error) || isReason(error, 'SUBSCRIPTION_NOT_FOUND')) return false;
    throw error;
  }
}

async function ensureSubscription(deps: IntakeDeps, namespace: string): Promise<void> {
  if (await hasExtraction(deps, namespace)) return;
  try {
    await deps.subscriptionStore.createSubscription({
      namespace,
      id: EXTRACTION_SUBSCRIPTION,
      mode: 'work_queue',
      ackDeadlineMs: ACK_DEADLINE_MS,
      consumerTtlMs: 0,
      atUs: deps.clock.nowUs(),
    });
  } catch (error) {
    if (!isReason(error, 'SUBSCRIPTION_EXISTS')) throw error;
  }
}

function isReason(error: unknown, reason: MnemeError['reason']): boolean {
  return error instanceof MnemeError && error.reason === reason;
}
