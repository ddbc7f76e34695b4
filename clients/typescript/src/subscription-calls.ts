import { randomUUID } from 'node:crypto';
import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import {
  DeliveryMode as Mode,
  SubscriptionServiceService as methods,
  WebhookState as State,
  type Subscription as SubscriptionMessage,
  Webhook as WebhookMessage,
} from '../../../gen/ts/mneme/v1/subscription_service.ts';
import { incompleteAnswer } from './bad-input.ts';
import { refuseBrokenTexts } from './broken-texts.ts';
import type { Connection } from './connection.ts';
import { filterFields } from './filter.ts';
import { scopeMessage } from './memory-to-message.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { namespaceName } from './names.ts';
import { dateOf, durationOfMs, PreciseDate } from './precise-date.ts';
import { ConsumeRuns } from './streams/consume-runs.ts';
import { msOf } from './streams/heartbeat.ts';
import { resuming } from './streams/resuming.ts';
import type {
  DeliveryMode,
  Subscription,
  SubscriptionCalls,
  SubscriptionSettings,
  Webhook,
  WebhookState,
} from './streams/subscription-types.ts';

const MODES: Readonly<Record<DeliveryMode, Mode>> = {
  broadcast: Mode.DELIVERY_MODE_BROADCAST,
  work_queue: Mode.DELIVERY_MODE_WORK_QUEUE,
};

export function subscriptionCalls(connection: Connection, namespace: string): SubscriptionCalls {
  const parent = namespaceName(namespace);
  const nameOf = (id: string) => `${parent}/subscriptions/${id}`;
  return {
    async create(subscriptionId, settings = {}, { requestId = randomUUID(), ...options } = {}) {
      const request = { parent, subscriptionId, subscription: messageOf(settings), requestId };
      const answer = await connection.unary(methods.createSubscription, request, options);
      connection.seen(answer.revision);
      return subscriptionOf(answer.subscription);
    },
    async get(id, options = {}) {
      const answer = await connection.unary(methods.getSubscription, { name: nameOf(id) }, options);
      return subscriptionOf(answer.subscription);
    },
    async list(options = {}) {
      const { subscriptions } = await connection.unary(methods.listSubscriptions, { parent }, options);
      return subscriptions.map(subscriptionOf);
    },
    async delete(id, { requestId = randomUUID(), ...options } = {}) {
      await connection.unary(methods.deleteSubscription, { name: nameOf(id), requestId }, options);
    },
    async rotateWebhookSecret(id, { secret = '', overlapMs } = {}, { requestId = randomUUID(), ...options } = {}) {
      const overlap = overlapMs === undefined ? undefined : durationOfMs(overlapMs);
      const request = { name: nameOf(id), secret, overlap, requestId };
      const answer = await connection.unary(methods.rotateWebhookSecret, request, options);
      return { secret: answer.secret, ...dated('formerSecretExpireTime', answer.formerSecretExpireTime) };
    },
    async resumeWebhook(id, { url = '' } = {}, { requestId = randomUUID(), ...options } = {}) {
      const answer = await connection.unary(methods.resumeWebhook, { name: nameOf(id), url, requestId }, options);
      return subscriptionOf(answer.subscription);
    },
    consume(id, consumer, query = {}, options = {}) {
      refuseBrokenTexts({ id, consumer });
      return resuming(connection, new ConsumeRuns(connection, nameOf(id), consumer, query), options);
    },
  };
}

function messageOf(settings: SubscriptionSettings): SubscriptionMessage {
  const { mode, filter, scope, includeMoved = false, ackDeadlineMs, consumerTtlMs, webhook } = settings;
  return {
    name: '',
    mode: mode === undefined ? Mode.DELIVERY_MODE_UNSPECIFIED : MODES[mode],
    ...filterFields(filter),
    scope: scopeMessage(scope),
    includeMoved,
    ackDeadline: ackDeadlineMs === undefined ? undefined : durationOfMs(ackDeadlineMs),
    consumerTtl: consumerTtlMs === undefined ? undefined : durationOfMs(consumerTtlMs),
    createTime: undefined,
    webhook: webhook && WebhookMessage.fromPartial(webhook),
    cursors: [],
  };
}

function subscriptionOf(message: SubscriptionMessage | undefined): Subscription {
  if (message === undefined) throw incompleteAnswer('subscription');
  const {
    name,
    mode,
    filter: made,
    filterText,
    scope,
    includeMoved,
    ackDeadline,
    consumerTtl,
    createTime,
    webhook,
    cursors,
  } = message;
  const filter = filterText || made;
  return {
    id: name.slice(name.lastIndexOf('/') + 1),
    mode: mode === Mode.DELIVERY_MODE_WORK_QUEUE ? 'work_queue' : 'broadcast',
    ...(filter && { filter }),
    ...(scope && { scope: scopeOfMessage(scope) }),
    includeMoved,
    ackDeadlineMs: msOf(ackDeadline),
    consumerTtlMs: msOf(consumerTtl),
    createTime: createTime ? dateOf(createTime) : new PreciseDate(0),
    ...(webhook && { webhook: webhookOf(webhook) }),
    cursors: cursors.map(({ consumer, acknowledgedRevision, seenTime }) => ({
      consumer,
      acknowledgedRevision: Number(acknowledgedRevision),
      seenTime: seenTime ? dateOf(seenTime) : new PreciseDate(0),
    })),
  };
}

const STATES: Readonly<Partial<Record<State, WebhookState>>> = {
  [State.WEBHOOK_STATE_FAILING]: 'failing',
  [State.WEBHOOK_STATE_PARKED]: 'parked',
};

function webhookOf(message: WebhookMessage): Webhook {
  const { url, headers, secret, state, failure, failureCount } = message;
  return {
    url,
    headers: Object.keys(headers),
    ...(secret && { secret }),
    state: STATES[state] ?? 'active',
    ...(failure && { failure }),
    failureCount,
    ...dated('failingSince', message.failingSince),
    ...dated('nextAttemptTime', message.nextAttemptTime),
    ...dated('formerSecretExpireTime', message.formerSecretExpireTime),
  };
}

function dated<K extends string>(name: K, time: Timestamp | undefined): { readonly [Name in K]?: Date };
function dated(name: string, time: Timestamp | undefined): Record<string, Date> {
  return time ? { [name]: dateOf(time) } : {};
}
