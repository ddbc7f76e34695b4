import type { FilterLike } from '../filter.ts';
import type { MemoryView, Scope } from '../memory.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type { StreamOptions } from './resuming.ts';
import type { MemoryChange } from './watch-types.ts';

/** `broadcast`: every consumer gets every change. `work_queue`: each change goes to one of them. */
export type DeliveryMode = 'broadcast' | 'work_queue';

export interface SubscriptionSettings {
  /** Default `broadcast`. */
  readonly mode?: DeliveryMode;
  /** Selects memories. Default: all. Deletions and expiries are delivered whatever the filter. */
  readonly filter?: FilterLike;
  readonly scope?: Omit<Scope, 'namespace'>;
  /** Includes moves between tiers that bring a memory neither into the filter nor out of it. Default false. */
  readonly includeMoved?: boolean;
  /** In a work queue: time after which an unacknowledged change goes to another consumer. Default 30 s. */
  readonly ackDeadlineMs?: number;
  /** Time after which a consumer that was not seen is forgotten with its place. Default 7 days. */
  readonly consumerTtlMs?: number;
}

/** A change feed that remembers how far it has been read. */
export interface Subscription {
  readonly id: string;
  readonly mode: DeliveryMode;
  readonly filter?: FilterLike;
  readonly scope?: Scope;
  readonly includeMoved: boolean;
  readonly ackDeadlineMs: number;
  readonly consumerTtlMs: number;
  readonly createTime: Date;
  /** One for each consumer of a broadcast; of a work queue one, whose `consumer` is empty. */
  readonly cursors: readonly {
    readonly consumer: string;
    readonly acknowledgedRevision: number;
    readonly seenTime: Date;
  }[];
}

export interface ConsumeQuery {
  /** Most changes that are delivered and not acknowledged. Default 1,000. */
  readonly maxOutstanding?: number;
  /** Default `basic`; vectors are never included. */
  readonly view?: MemoryView;
  /** Moves the cursor: the next revision to be delivered. Default: after its last acknowledgement. */
  readonly startRevision?: number;
  /**
   * Handling of undelivered changes that are no longer retained: `fail` (default) throws `OutOfRangeError`, `skip`
   * continues with the oldest retained one.
   */
  readonly onCompacted?: 'fail' | 'skip';
}

/** A change to be worked on. */
export interface Delivery extends MemoryChange {
  /** It is done: it is not delivered again. Without it, it is: after a break, and in a work queue to another consumer. */
  acknowledge(): void;
}

/** Durable subscriptions. */
export interface SubscriptionCalls {
  /** It begins with the next change. */
  create(id: string, settings?: SubscriptionSettings, options?: WriteOptions): Promise<Subscription>;
  get(id: string, options?: CallOptions): Promise<Subscription>;
  /** By id. */
  list(options?: CallOptions): Promise<Subscription[]>;
  delete(id: string, options?: WriteOptions): Promise<void>;
  /**
   * Changes for one consumer, each at least once, indefinitely: a broken stream is reopened after the last
   * acknowledgement. Leaving the loop ends it once the server has received the acknowledgements; the signal ends it
   * immediately.
   */
  consume(
    id: string,
    consumer: string,
    query?: ConsumeQuery,
    options?: StreamOptions,
  ): AsyncGenerator<Delivery, void, undefined>;
}
