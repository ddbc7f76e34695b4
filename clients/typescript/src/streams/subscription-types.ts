import type { FilterLike } from '../filter.ts';
import type { MemoryView, Scope } from '../memory.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type { StreamOptions } from './resuming.ts';
import type { MemoryChange } from './watch-types.ts';

/** `broadcast`: every consumer gets every change. `work_queue`: each change goes to one of them. */
export type DeliveryMode = 'broadcast' | 'work_queue';

/** Delivery to a URL by the server: a signed POST request for each batch of changes. */
export interface WebhookSettings {
  /** `http` or `https`. */
  readonly url: string;
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `whsec_` and base64. Default: the server makes one. */
  readonly secret?: string;
}

/** `failing`: the last request failed and is tried again; `parked`: nothing is delivered until `resumeWebhook`. */
export type WebhookState = 'active' | 'failing' | 'parked';

export interface Webhook {
  readonly url: string;
  /** Names of the further headers; their values are not returned. */
  readonly headers: readonly string[];
  /** In the answer of `create` only. */
  readonly secret?: string;
  readonly state: WebhookState;
  /** Reason of the last failure. */
  readonly failure?: string;
  /** Failures in a row. */
  readonly failureCount: number;
  readonly failingSince?: Date;
  readonly nextAttemptTime?: Date;
  readonly formerSecretExpireTime?: Date;
}

/** The new secret of a webhook; no other call returns it. */
export interface WebhookSecret {
  readonly secret: string;
  /** The former secret is valid until then. */
  readonly formerSecretExpireTime?: Date;
}

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
  /** Only in a broadcast. */
  readonly webhook?: WebhookSettings;
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
  readonly webhook?: Webhook;
  /** One for each consumer of a broadcast; of a work queue, and of the webhook, one whose `consumer` is empty. */
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
  /** Replaces the secret of the webhook. Default: the server makes one, and the former one is valid for 24 hours. */
  rotateWebhookSecret(
    id: string,
    settings?: { readonly secret?: string; readonly overlapMs?: number },
    options?: WriteOptions,
  ): Promise<WebhookSecret>;
  /** Delivers to the webhook again at once, also where it is parked; to another URL where one is set. */
  resumeWebhook(id: string, settings?: { readonly url?: string }, options?: WriteOptions): Promise<Subscription>;
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
