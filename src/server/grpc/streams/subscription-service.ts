import { Filter as FilterMessage } from '../../../../gen/ts/mneme/v1/filter.ts';
import {
  ConsumeSubscriptionRequest,
  ConsumeSubscriptionResponse,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  DeleteSubscriptionRequest,
  DeleteSubscriptionResponse,
  GetSubscriptionRequest,
  GetSubscriptionResponse,
  ListSubscriptionsRequest,
  ListSubscriptionsResponse,
  type Subscription as Message,
  DeliveryMode as ModeNumber,
  SubscriptionServiceService as Service,
  type ConsumeStart as StartMessage,
} from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import type { Call } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import { invalidFields } from '../../../memory/errors.ts';
import type { MemoryView } from '../../../memory/memory.ts';
import {
  type DeliveryMode,
  isInternalSubscription,
  type Subscription,
  type SubscriptionStore,
  type SubscriptionWrite,
  subscriptionNotFound,
} from '../../../storage/subscription-store.ts';
import { onceFor } from '../../operations/memories/operation-deps.ts';
import { ensureNamespace, type MakeNamespaceDeps } from '../../operations/namespaces/namespaces.ts';
import {
  type Acknowledgement,
  type ConsumeDeps,
  type ConsumeMessage,
  type ConsumeStart,
  consume,
} from '../../operations/streams/consume.ts';
import { subscriptionDeleted } from '../../operations/streams/open-subscriptions.ts';
import { scopeIsPrivate, seesScope } from '../../operations/visibility/visibility.ts';
import { encode } from '../edge/codec.ts';
import { bidi, type Route, unary } from '../edge/handler.ts';
import { durationMessage, heartbeatOf, RequestChecks, spanOf, timestampOf } from '../edge/request-checks.ts';
import { type FirstMessageTerms, firstMessage, mapped } from '../edge/stream-messages.ts';
import { givenFilter } from '../memories/filter-messages.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { VIEWS } from '../memories/memory-messages.ts';
import { batchField, createdMessage } from './watch-messages.ts';

export interface SubscriptionServiceDeps extends ConsumeDeps, FirstMessageTerms, MakeNamespaceDeps {
  readonly subscriptionStore: SubscriptionStore;
  readonly clock: Clock;
  readonly heartbeatMs: number;
}

/** `proto/mneme/v1/subscription_service.proto`. */
export function subscriptionService(deps: SubscriptionServiceDeps): Route[] {
  const { subscriptionStore: store, subscriptions, feed, clock } = deps;
  return [
    unary(Service.createSubscription, CreateSubscriptionRequest, CreateSubscriptionResponse, async (message, call) => {
      const checks = new RequestChecks();
      const namespace = checks.namespace('parent', message.parent);
      const shape = '[a-z0-9] and up to 62 more of [a-z0-9._-]';
      const id = checks.matching('subscription_id', message.subscriptionId, SUBSCRIPTION_ID, shape);
      const fields = subscriptionFields(checks, message.subscription);
      checks.finish();
      const write = { namespace, id, ...fields(), atUs: clock.nowUs(), ...onceFor(call) };
      const isSeen = await seesScope(deps.visibilityRules, namespace, write.scope);
      if (!isSeen) throw scopeIsPrivate(`the scope of the subscription in namespaces/${namespace}`);
      await ensureNamespace(deps, namespace);
      // Earlier acknowledged changes are not delivered.
      await feed.current(namespace);
      const { subscription, revision } = await store.createSubscription(write);
      return { subscription: subscriptionMessage(subscription), revision: BigInt(revision) };
    }),
    unary(
      Service.getSubscription,
      GetSubscriptionRequest,
      GetSubscriptionResponse,
      async ({ name }) => {
        const { namespace, id } = named(name);
        const subscription = await store.getSubscription(namespace, id);
        await checkVisible(deps, namespace, subscription);
        return { subscription: subscriptionMessage(subscription) };
      },
      {
        whenAbsent: ({ name }) => {
          const { namespace, id } = named(name);
          throw subscriptionNotFound(namespace, id);
        },
      },
    ),
    unary(
      Service.listSubscriptions,
      ListSubscriptionsRequest,
      ListSubscriptionsResponse,
      async ({ parent }) => {
        const checks = new RequestChecks();
        const namespace = checks.namespace('parent', parent);
        checks.finish();
        const own = (await store.listSubscriptions(namespace)).filter(({ id }) => !isInternalSubscription(id));
        const areSeen = await Promise.all(own.map(({ scope }) => seesScope(deps.visibilityRules, namespace, scope)));
        return { subscriptions: own.filter((_, at) => areSeen[at]).map(subscriptionMessage) };
      },
      { whenAbsent: () => ListSubscriptionsResponse.fromPartial({}) },
    ),
    unary(Service.deleteSubscription, DeleteSubscriptionRequest, DeleteSubscriptionResponse, async ({ name }, call) => {
      const { namespace, id } = named(name);
      // Repeated, the call gets its first answer, although the subscription is missing.
      const kept = (await store.listSubscriptions(namespace)).find((one) => one.id === id);
      if (kept) await checkVisible(deps, namespace, kept);
      await store.deleteSubscription({ namespace, id, atUs: clock.nowUs(), ...onceFor(call) });
      subscriptions.drop(namespace, id, subscriptionDeleted(namespace, id));
      return { revision: BigInt(feed.log.revision) };
    }),
    bidi(Service.consumeSubscription, ConsumeSubscriptionRequest, ConsumeSubscriptionResponse, (messages, call) =>
      consumed(deps, messages, call),
    ),
  ];
}

/** Fails with SUBSCRIPTION_NOT_FOUND, as for a missing subscription, where the caller may not see its scope. */
async function checkVisible(
  { visibilityRules }: SubscriptionServiceDeps,
  namespace: string,
  { id, scope }: Pick<Subscription, 'id' | 'scope'>,
): Promise<void> {
  if (!(await seesScope(visibilityRules, namespace, scope))) throw subscriptionNotFound(namespace, id);
}

function named(name: string): { namespace: string; id: string } {
  const checks = new RequestChecks();
  const parts = subscriptionNameOf(checks, 'name', name);
  checks.finish();
  return parts;
}

const OUTSTANDING = { fallback: 1000, max: 10_000 };
const REVISIONS_MAX = 10_000;
/** Tag of `ConsumeResponse.batch`. */
const BATCH = (3 << 3) | 2;

async function consumed(
  deps: ConsumeDeps & FirstMessageTerms & { readonly heartbeatMs: number },
  messages: AsyncIterable<ConsumeSubscriptionRequest>,
  call: Call,
): Promise<AsyncIterable<Buffer | ConsumeSubscriptionResponse>> {
  const incoming = messages[Symbol.asyncIterator]();
  const request = (await firstMessage(incoming, 'consume', deps, call))?.request;
  if (request?.$case !== 'start') throw invalidFields([{ field: 'start', description: 'must be the first message' }]);
  const { start, view } = startOf(request.value, deps.heartbeatMs);
  const acknowledgements = acknowledgementsOf({ [Symbol.asyncIterator]: () => incoming });
  return mapped(consume(deps, start, acknowledgements, call), (message) => responseOf(message, start, view));
}

function startOf(message: StartMessage, heartbeatMs: number): { start: ConsumeStart; view: MemoryView } {
  const checks = new RequestChecks();
  const { namespace, id } = subscriptionNameOf(checks, 'start.name', message.name);
  const shape = '[a-z0-9] and up to 62 more of [a-z0-9._-]';
  const start = {
    namespace,
    id,
    consumer: checks.matching('start.consumer', message.consumer, SUBSCRIPTION_ID, shape),
    outstandingMax:
      message.maxOutstanding === 0
        ? OUTSTANDING.fallback
        : checks.within('start.max_outstanding', message.maxOutstanding, 1, OUTSTANDING.max),
    heartbeatMs: heartbeatOf(checks, message.heartbeatInterval, heartbeatMs),
    startRevision:
      message.startRevision === undefined
        ? undefined
        : Math.max(1, checks.wholeWithin('start.start_revision', message.startRevision)),
  };
  const view = checks.choice('start.view', message.view, VIEWS);
  checks.finish();
  return { start, view };
}

async function* acknowledgementsOf(
  messages: AsyncIterable<ConsumeSubscriptionRequest>,
): AsyncGenerator<Acknowledgement> {
  for await (const { request } of messages) {
    const checks = new RequestChecks();
    if (request?.$case !== 'acknowledge') {
      throw invalidFields([{ field: 'acknowledge', description: 'must be set in all messages but the first' }]);
    }
    const { upToRevision, revisions } = request.value;
    if (revisions.length > REVISIONS_MAX) {
      checks.add('acknowledge.revisions', `must be at most ${REVISIONS_MAX}, got ${revisions.length}`);
    }
    const acknowledgement = {
      upToRevision: checks.wholeWithin('acknowledge.up_to_revision', upToRevision),
      revisions: revisions
        .slice(0, REVISIONS_MAX)
        .map((revision, at) => checks.wholeWithin(`acknowledge.revisions[${at}]`, revision)),
    };
    checks.finish();
    yield acknowledgement;
  }
}

function responseOf(
  message: ConsumeMessage,
  start: ConsumeStart,
  view: MemoryView,
): Buffer | ConsumeSubscriptionResponse {
  const acknowledgedRevision = BigInt(message.acknowledgedRevision);
  switch (message.kind) {
    case 'created':
      return { acknowledgedRevision, event: { $case: 'created', value: createdMessage(message, start.heartbeatMs) } };
    case 'batch': {
      const head = encode(ConsumeSubscriptionResponse, { acknowledgedRevision, event: undefined });
      return Buffer.concat([head, batchField(BATCH, message.changes, false, { namespace: start.namespace, view })]);
    }
    case 'progress':
      return { acknowledgedRevision, event: { $case: 'progress', value: {} } };
    case 'draining':
      return { acknowledgedRevision, event: { $case: 'draining', value: {} } };
  }
}

/** Shape of the last part of a subscription's name, and of a consumer's name. */
const SUBSCRIPTION_ID = /^[a-z0-9][a-z0-9._-]{0,62}$/;
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

function subscriptionNameOf(checks: RequestChecks, field: string, name: string): { namespace: string; id: string } {
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
  'mode' | 'filter' | 'filterAsGiven' | 'scope' | 'includeMoved' | 'ackDeadlineMs' | 'consumerTtlMs'
>;

/**
 * Validates the fields of a subscription; call `finish` of the checks before the result, as a filter is validated
 * separately.
 */
function subscriptionFields(checks: RequestChecks, message: Message | undefined): () => Fields {
  const mode = checks.choice('subscription.mode', message?.mode ?? 0, MODES);
  const scope = message?.scope && scopeOf(checks, 'subscription.scope', message.scope);
  const ackDeadlineMs = message?.ackDeadline
    ? spanOf(checks, 'subscription.ack_deadline', message.ackDeadline, ACK_DEADLINE_MS)
    : ACK_DEADLINE_MS.fallback;
  const consumerTtlMs = message?.consumerTtl
    ? spanOf(checks, 'subscription.consumer_ttl', message.consumerTtl, CONSUMER_TTL_MS)
    : CONSUMER_TTL_MS.fallback;
  return () => ({
    mode,
    ...(message ? filterFields(message) : {}),
    scope,
    ...(message?.includeMoved ? { includeMoved: true } : {}),
    ackDeadlineMs,
    consumerTtlMs,
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

function subscriptionMessage(subscription: Subscription): Message {
  const { namespace, id, mode, filterAsGiven, scope, cursors } = subscription;
  return {
    name: subscriptionName(namespace, id),
    mode: mode === 'work_queue' ? ModeNumber.DELIVERY_MODE_WORK_QUEUE : ModeNumber.DELIVERY_MODE_BROADCAST,
    ...filterMessageOf(filterAsGiven),
    scope: scope && { namespace, ...scope },
    includeMoved: subscription.includeMoved ?? false,
    ackDeadline: durationMessage(subscription.ackDeadlineMs),
    consumerTtl: durationMessage(subscription.consumerTtlMs),
    createTime: timestampOf(subscription.createdAtUs),
    cursors: cursors.map(({ consumer, acknowledgedRevision, seenAtUs }) => {
      return {
        consumer,
        acknowledgedRevision: BigInt(Math.max(0, acknowledgedRevision)),
        seenTime: timestampOf(seenAtUs),
      };
    }),
  };
}
