import type { Idempotency } from '../memory/call.ts';
import { MnemeError } from '../memory/errors.ts';
import type { Filter } from '../memory/filter.ts';
import type { Micros, Scope } from '../memory/memory.ts';

export type DeliveryMode = 'broadcast' | 'work_queue';

/** A durable subscription: its filter, mode and limits. */
export interface Subscription {
  /** Stays with it until it is deleted. */
  readonly key: number;
  readonly namespace: string;
  readonly id: string;
  readonly mode: DeliveryMode;
  readonly filter?: Filter;
  /** The filter in the form in which it came, in base64, for `GetSubscription`. */
  readonly filterAsGiven?: string;
  readonly scope?: Scope;
  /** Also delivers moves between tiers that leave a memory in the filter, or out of it. Absent: false. */
  readonly includeMoved?: boolean;
  readonly ackDeadlineMs: number;
  readonly consumerTtlMs: number;
  readonly createdAtUs: Micros;
  /** Consumers that have acknowledged nothing begin behind it. */
  readonly startRevision: number;
  /** By consumer; a work queue has one, without a name. */
  readonly cursors: readonly Cursor[];
}

export interface Cursor {
  readonly consumer: string;
  readonly acknowledgedRevision: number;
  readonly seenAtUs: Micros;
  /**
   * Changes that another server has delivered to the consumer: of those with an `origin`, all up to this one are
   * acknowledged, wherever they lie.
   */
  readonly passedOrigin?: number;
  /** What is missing here of the deliveries of other servers lies before `passedOrigin`. */
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
  > {
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface SubscriptionOutcome {
  readonly revision: number;
  readonly subscription: Subscription;
}

export interface CursorMove {
  readonly subscriptionKey: number;
  readonly consumer: string;
  readonly acknowledgedRevision: number;
  /** Of a work queue: changes behind it that are done, by their `origin`. */
  readonly done?: readonly number[];
  /** The consumer has asked for what it had acknowledged. */
  readonly isRewind?: boolean;
}

/** `mine`: this server's to deliver; `taken`: another server's, for now; `done`: acknowledged. */
export type Claim = 'mine' | 'taken' | 'done';

/** Shares out the changes of a work queue among servers that follow the same store. */
export interface WorkClaims {
  /** Asks for changes by their `origin`. Claims last until `untilMs`, or until they are released. */
  claim(ask: {
    readonly subscriptionKey: number;
    readonly origins: readonly number[];
    readonly untilMs: number;
    readonly nowMs: number;
  }): Promise<readonly Claim[]>;
  /** Releases all that this server has claimed and no consumer has acknowledged. */
  release(subscriptionKey: number): Promise<void>;
}

/** Where durable subscriptions are kept. Writes resolve when they are durable. */
export interface SubscriptionStore {
  /** Absent where no other server delivers the same subscriptions. */
  readonly claims?: WorkClaims;
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
  /** By id. Fails with NAMESPACE_NOT_FOUND. */
  listSubscriptions(namespace: string): Promise<Subscription[]>;
  /** Notes how far consumers have come and that they were seen; subscriptions that are gone are passed over. */
  moveCursors(write: { cursors: readonly CursorMove[]; atUs: Micros }): Promise<void>;
  /** Forgets broadcast consumers that were not seen for their subscription's time; returns how many. */
  forgetConsumers(write: { atUs: Micros }): Promise<number>;
}

export const SUBSCRIPTIONS_MAX = 1000;

/** Subscriptions of the server itself, which callers neither see nor name. */
export function isInternalSubscription(id: string): boolean {
  return id.startsWith('~');
}

export function subscriptionNotFound(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/subscriptions/${id}`;
  return new MnemeError('SUBSCRIPTION_NOT_FOUND', `${name} does not exist`, { metadata: { name } });
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
