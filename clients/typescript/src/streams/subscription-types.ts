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
  /** Which memories to tell of. Default: all. Deletions and expiries are told whatever the filter says. */
  readonly filter?: FilterLike;
  readonly scope?: Omit<Scope, 'namespace'>;
  /** Also tells moves between tiers that bring a memory neither into the filter nor out of it. Default false. */
  readonly includeMoved?: boolean;
  /** In a work queue: time after which what was not acknowledged goes to another consumer. Default 30 s. */
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
  /** Default `basic`; vectors are never told. */
  readonly view?: MemoryView;
  /** Moves the consumer: this is the next revision to be delivered. Default: behind what it has acknowledged. */
  readonly startRevision?: number;
  /**
   * What to do when changes that are still to be delivered are no longer kept: `fail` (default) throws `OutOfRangeError`,
   * `skip` goes on with the oldest that is kept.
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
   * Changes for one consumer, each at least once, for ever: a stream that breaks is opened again behind what was
   * acknowledged. Leaving the loop ends it once the server has taken the acknowledgements; the signal ends it at once.
   */
  consume(
    id: string,
    consumer: string,
    query?: ConsumeQuery,
    options?: StreamOptions,
  ): AsyncGenerator<Delivery, void, undefined>;
}
