import type { Idempotency } from '../memory/call.ts';
import { invalidFields, MnemeError } from '../memory/errors.ts';
import type { Filter } from '../memory/filter.ts';
import type { Micros, Scope } from '../memory/memory.ts';
import type { Webhook, WebhookChange } from '../memory/webhook.ts';

export type DeliveryMode = 'broadcast' | 'work_queue';

/** A durable subscription: its filter, mode and limits. */
export interface Subscription {
  /** Unique until the subscription is deleted. */
  readonly key: number;
  readonly namespace: string;
  readonly id: string;
  readonly mode: DeliveryMode;
  readonly filter?: Filter;
  /** The filter in its original form, in base64, for `GetSubscription`. */
  readonly filterAsGiven?: string;
  readonly scope?: Scope;
  /** Also delivers moves between tiers of memories that the filter admits before or after the move. Absent: false. */
  readonly includeMoved?: boolean;
  readonly ackDeadlineMs: number;
  readonly consumerTtlMs: number;
  readonly createdAtUs: Micros;
  /** Start position of consumers without acknowledgements. */
  readonly startRevision: number;
  /** Of broadcasts only. */
  readonly webhook?: Webhook;
  /** By consumer; a work queue has one, without a name, and so has a webhook. */
  readonly cursors: readonly Cursor[];
}

export interface Cursor {
  readonly consumer: string;
  readonly acknowledgedRevision: number;
  readonly seenAtUs: Micros;
  /**
   * Changes that another server has delivered to the consumer: all changes with an `origin` up to this one are
   * acknowledged, wherever they are in this log.
   */
  readonly passedOrigin?: number;
  /** Missing deliveries of other servers are from before `passedOrigin`. */
  readonly passesGaps?: boolean;
}

export interface SubscriptionWrite
  extends Pick<
    Subscription,
    | 'namespace'
    | 'id'
    | 'mode'
    | 'filter'
    | 'filterAsGiven'
    | 'scope'
    | 'includeMoved'
    | 'ackDeadlineMs'
    | 'consumerTtlMs'
    | 'webhook'
  > {
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface SubscriptionOutcome {
  readonly revision: number;
  readonly subscription: Subscription;
}

/** A subscription with a webhook, without its positions. */
export interface ListedWebhook {
  readonly key: number;
  readonly namespace: string;
  readonly id: string;
  readonly webhook: Webhook;
}

export interface CursorMove {
  readonly subscriptionKey: number;
  readonly consumer: string;
  readonly acknowledgedRevision: number;
  /** For a work queue: acknowledged changes after the cursor, by their `origin`. */
  readonly done?: readonly number[];
  /** The consumer has requested acknowledged changes again. */
  readonly isRewind?: boolean;
}

/** `mine`: this server delivers it; `taken`: another server has claimed it for now; `done`: acknowledged. */
export type Claim = 'mine' | 'taken' | 'done';

/** Distributes the changes of a work queue among servers that follow the same store. */
export interface WorkClaims {
  /** Claims changes by their `origin`. Claims last until `untilMs`, or until they are released. */
  claim(ask: {
    readonly subscriptionKey: number;
    readonly origins: readonly number[];
    readonly untilMs: number;
    readonly nowMs: number;
  }): Promise<readonly Claim[]>;
  /** Releases all claims of this server without an acknowledgement. */
  release(subscriptionKey: number): Promise<void>;
}

/** The right of one holder to a part of the work of a subscription. */
export interface WorkLease {
  readonly subscriptionKey: number;
  /** Of the part. */
  readonly name: string;
  /** Unique to each taking of the lease, so that a former holder never counts as the present one. */
  readonly holder: string;
}

/** Leases among servers that follow the same store. Each ends when it is released, or so long after its last renewal. */
export interface WorkLeases {
  /** Takes the lease; false while another holder has it. */
  take(lease: WorkLease, durationMs: number): Promise<boolean>;
  /** Extends the lease; false where the holder has lost it. */
  renew(lease: WorkLease, durationMs: number): Promise<boolean>;
  /** Ends the lease, if the holder has it. */
  release(lease: WorkLease): Promise<void>;
  /** Those of the changes, by their `origin`, that a server has acknowledged. */
  doneOf(subscriptionKey: number, origins: readonly number[]): Promise<ReadonlySet<number>>;
}

/** Changes of all servers, in namespaces that the log of this server may not have. */
export interface SharedNamespaces {
  /** Namespaces that were changed since the last call; `undefined` where there are too many. */
  takeChanged(): readonly string[] | undefined;
  /** Whether the namespace has the subscription, or a memory with the id of a message. Needs no log. */
  hasAnyOf(namespace: string, subscription: string): Promise<boolean>;
}

/** The owner of durable subscriptions. Writes resolve when they are durable. */
export interface SubscriptionStore {
  /** Absent where no other server delivers the same subscriptions. */
  readonly claims?: WorkClaims;
  /** Present with `claims`. */
  readonly leases?: WorkLeases;
  /** Absent where the log of this server has the changes of every namespace. */
  readonly shared?: SharedNamespaces;
  /** Fails with NAMESPACE_NOT_FOUND, SUBSCRIPTION_EXISTS, TOO_MANY_STREAMS. */
  createSubscription(write: SubscriptionWrite): Promise<SubscriptionOutcome>;
  /** Fails with NAMESPACE_NOT_FOUND, SUBSCRIPTION_NOT_FOUND. */
  deleteSubscription(write: {
    readonly namespace: string;
    readonly id: string;
    readonly atUs: Micros;
    readonly idempotency?: Idempotency;
  }): Promise<{ revision: number }>;
  /** Fails with NAMESPACE_NOT_FOUND, SUBSCRIPTION_NOT_FOUND. */
  getSubscription(namespace: string, id: string): Promise<Subscription>;
  /** Fails with NAMESPACE_NOT_FOUND, SUBSCRIPTION_NOT_FOUND, and FIELD_INVALID where the subscription has no webhook. */
  changeWebhook(write: {
    readonly namespace: string;
    readonly id: string;
    readonly change: WebhookChange;
    readonly atUs: Micros;
    readonly idempotency?: Idempotency;
  }): Promise<SubscriptionOutcome>;
  /** Of all namespaces, by key. */
  listWebhooks(): Promise<readonly ListedWebhook[]>;
  /** By id. Fails with NAMESPACE_NOT_FOUND. */
  listSubscriptions(namespace: string): Promise<Subscription[]>;
  /**
   * Stores positions of consumers and the time of their last contact; deleted subscriptions are skipped. Where servers
   * share the store, a position goes back only with `isRewind`.
   */
  moveCursors(write: { cursors: readonly CursorMove[]; atUs: Micros }): Promise<void>;
  /** Deletes broadcast consumers without contact for their subscription's time; returns their number. */
  forgetConsumers(write: { atUs: Micros }): Promise<number>;
}

export const SUBSCRIPTIONS_MAX = 1000;

/** Subscriptions of the server itself, hidden from callers. */
export function isInternalSubscription(id: string): boolean {
  return id.startsWith('~');
}

export function subscriptionNotFound(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/subscriptions/${id}`;
  return new MnemeError('SUBSCRIPTION_NOT_FOUND', `${name} does not exist`, { metadata: { name } });
}

export function webhookMissing(namespace: string, id: string): MnemeError {
  const description = `namespaces/${namespace}/subscriptions/${id} has no webhook`;
  return invalidFields([{ field: 'name', description }]);
}

export function subscriptionExists(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/subscriptions/${id}`;
  return new MnemeError('SUBSCRIPTION_EXISTS', `${name} already exists`, { metadata: { name } });
}

export function tooManySubscriptions(namespace: string): MnemeError {
  const limit = String(SUBSCRIPTIONS_MAX);
  return new MnemeError('TOO_MANY_STREAMS', `namespaces/${namespace} has reached its limit of ${limit} subscriptions`, {
    metadata: { limit },
  });
}
