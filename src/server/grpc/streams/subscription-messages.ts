import { Filter as FilterMessage } from '../../../../gen/ts/mneme/v1/filter.ts';
import {
  type Subscription as Message,
  DeliveryMode as ModeNumber,
} from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import type { DeliveryMode, Subscription, SubscriptionWrite } from '../../../storage/subscription-store.ts';
import { encode } from '../edge/codec.ts';
import { durationMessage, type RequestChecks, spanOf, timestampOf } from '../edge/request-checks.ts';
import { givenFilter } from '../memories/filter-messages.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { type WebhookTerms, webhookMessage, webhookOf } from './webhook-messages.ts';

/** Shape of the last part of a subscription's name, and of a consumer's name. */
export const SUBSCRIPTION_ID = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const NAME = /^namespaces\/([a-z0-9][a-z0-9._-]{0,62})\/subscriptions\/([a-z0-9][a-z0-9._-]{0,62})$/;

const MODES: Readonly<Record<number, DeliveryMode>> = {
  [ModeNumber.DELIVERY_MODE_UNSPECIFIED]: 'broadcast',
  [ModeNumber.DELIVERY_MODE_BROADCAST]: 'broadcast',
  [ModeNumber.DELIVERY_MODE_WORK_QUEUE]: 'work_queue',
};

const ACK_DEADLINE_MS = { fallback: 30_000, min: 1000, max: 3_600_000 };
const DAY_MS = 86_400_000;
const CONSUMER_TTL_MS = { fallback: 7 * DAY_MS, min: 60_000, max: 365 * DAY_MS };

export function subscriptionName(namespace: string, id: string): string {
  return `namespaces/${namespace}/subscriptions/${id}`;
}

export function subscriptionNameOf(
  checks: RequestChecks,
  field: string,
  name: string,
): { namespace: string; id: string } {
  const [, namespace = '', id = ''] = NAME.exec(name) ?? [];
  if (id === '') {
    checks.add(
      field,
      'must be namespaces/{namespace}/subscriptions/{id}, each [a-z0-9] and up to 62 more of [a-z0-9._-]',
    );
  }
  return { namespace, id };
}

type Fields = Pick<
  SubscriptionWrite,
  'mode' | 'filter' | 'filterAsGiven' | 'scope' | 'includeMoved' | 'ackDeadlineMs' | 'consumerTtlMs' | 'webhook'
>;

/**
 * Validates the fields of a subscription; call `finish` of the checks before the result, as a filter is validated
 * separately.
 */
export function subscriptionFields(
  checks: RequestChecks,
  message: Message | undefined,
  webhooks: WebhookTerms,
): () => Fields {
  const mode = checks.choice('subscription.mode', message?.mode ?? 0, MODES);
  const scope = message?.scope && scopeOf(checks, 'subscription.scope', message.scope);
  const ackDeadlineMs = message?.ackDeadline
    ? spanOf(checks, 'subscription.ack_deadline', message.ackDeadline, ACK_DEADLINE_MS)
    : ACK_DEADLINE_MS.fallback;
  const consumerTtlMs = message?.consumerTtl
    ? spanOf(checks, 'subscription.consumer_ttl', message.consumerTtl, CONSUMER_TTL_MS)
    : CONSUMER_TTL_MS.fallback;
  const webhook = message?.webhook && webhookOf(checks, 'subscription.webhook', message.webhook, webhooks);
  if (webhook && mode === 'work_queue') checks.add('subscription.webhook', 'must be absent in a work queue');
  return () => ({
    mode,
    ...(message ? filterFields(message) : {}),
    scope,
    ...(message?.includeMoved ? { includeMoved: true } : {}),
    ackDeadlineMs,
    consumerTtlMs,
    ...(webhook && { webhook }),
  });
}

/** Distinguishes a textual filter from an encoded message, which is stored in base64. */
const TEXT_MARK = 'text:';

function filterFields(message: Message): Pick<Fields, 'filter' | 'filterAsGiven'> {
  const filter = givenFilter(message, 'subscription.');
  if (!filter) return {};
  const asMessage = message.filter && encode(FilterMessage, message.filter).toString('base64');
  return { filter, filterAsGiven: asMessage ?? TEXT_MARK + message.filterText };
}

function filterMessageOf(asSent: string | undefined): Pick<Message, 'filter' | 'filterText'> {
  if (asSent === undefined) return { filter: undefined, filterText: '' };
  if (asSent.startsWith(TEXT_MARK)) return { filter: undefined, filterText: asSent.slice(TEXT_MARK.length) };
  return { filter: FilterMessage.decode(Buffer.from(asSent, 'base64')), filterText: '' };
}

/** `secret`: of a webhook that the call has made. */
export function subscriptionMessage(subscription: Subscription, secret = ''): Message {
  const { namespace, id, mode, filterAsGiven, scope, cursors, webhook } = subscription;
  return {
    name: subscriptionName(namespace, id),
    mode: mode === 'work_queue' ? ModeNumber.DELIVERY_MODE_WORK_QUEUE : ModeNumber.DELIVERY_MODE_BROADCAST,
    ...filterMessageOf(filterAsGiven),
    scope: scope && { namespace, ...scope },
    includeMoved: subscription.includeMoved ?? false,
    ackDeadline: durationMessage(subscription.ackDeadlineMs),
    consumerTtl: durationMessage(subscription.consumerTtlMs),
    createTime: timestampOf(subscription.createdAtUs),
    webhook: webhook && webhookMessage(webhook, secret),
    cursors: cursors.map(({ consumer, acknowledgedRevision, seenAtUs }) => {
      return {
        consumer,
        acknowledgedRevision: BigInt(Math.max(0, acknowledgedRevision)),
        seenTime: timestampOf(seenAtUs),
      };
    }),
  };
}
