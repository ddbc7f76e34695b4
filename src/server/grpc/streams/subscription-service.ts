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
  ResumeWebhookRequest,
  ResumeWebhookResponse,
  RotateWebhookSecretRequest,
  RotateWebhookSecretResponse,
  SubscriptionServiceService as Service,
  type ConsumeStart as StartMessage,
} from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import type { Call } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import { invalidFields } from '../../../memory/errors.ts';
import type { MemoryView } from '../../../memory/memory.ts';
import type { WebhookChange } from '../../../memory/webhook.ts';
import {
  isInternalSubscription,
  type Subscription,
  type SubscriptionStore,
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
import type { Webhooks } from '../../operations/streams/webhooks.ts';
import { scopeIsPrivate, seesScope } from '../../operations/visibility/visibility.ts';
import { encode } from '../edge/codec.ts';
import { bidi, type Route, unary } from '../edge/handler.ts';
import { heartbeatOf, optionalTimestamp, RequestChecks, spanOf } from '../edge/request-checks.ts';
import { type FirstMessageTerms, firstMessage, mapped } from '../edge/stream-messages.ts';
import { VIEWS } from '../memories/memory-messages.ts';
import {
  SUBSCRIPTION_ID,
  subscriptionFields,
  subscriptionMessage,
  subscriptionNameOf,
} from './subscription-messages.ts';
import { batchField, createdMessage } from './watch-messages.ts';
import { type WebhookTerms, webhookSecretOf, webhookUrlOf } from './webhook-messages.ts';

export interface SubscriptionServiceDeps extends ConsumeDeps, FirstMessageTerms, MakeNamespaceDeps {
  readonly subscriptionStore: SubscriptionStore;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly webhooks: WebhookTerms & Pick<Webhooks, 'changed'>;
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
      const fields = subscriptionFields(checks, message.subscription, deps.webhooks);
      checks.finish();
      const write = { namespace, id, ...fields(), atUs: clock.nowUs(), ...onceFor(call) };
      const isSeen = await seesScope(deps.visibilityRules, namespace, write.scope);
      if (!isSeen) throw scopeIsPrivate(`the scope of the subscription in namespaces/${namespace}`);
      await ensureNamespace(deps, namespace);
      // Earlier acknowledged changes are not delivered.
      await feed.current(namespace);
      const { subscription, revision } = await store.createSubscription(write);
      if (subscription.webhook) deps.webhooks.changed();
      const secret = subscription.webhook?.secret;
      return { subscription: subscriptionMessage(subscription, secret), revision: BigInt(revision) };
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
        return { subscriptions: own.filter((_, at) => areSeen[at]).map((one) => subscriptionMessage(one)) };
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
      deps.webhooks.changed();
      return { revision: BigInt(feed.log.revision) };
    }),
    bidi(Service.consumeSubscription, ConsumeSubscriptionRequest, ConsumeSubscriptionResponse, (messages, call) =>
      consumed(deps, messages, call),
    ),
    ...webhookMethods(deps),
  ];
}

const OVERLAP_MS = { fallback: 86_400_000, min: 0, max: 604_800_000 };

function webhookMethods(deps: SubscriptionServiceDeps): Route[] {
  const { subscriptionStore: store, clock, webhooks } = deps;
  const change = async (name: string, change: WebhookChange, call: Call): Promise<Subscription> => {
    const { namespace, id } = named(name);
    const kept = (await store.listSubscriptions(namespace)).find((one) => one.id === id);
    if (kept) await checkVisible(deps, namespace, kept);
    const { subscription } = await store.changeWebhook({
      namespace,
      id,
      change,
      atUs: clock.nowUs(),
      ...onceFor(call),
    });
    webhooks.changed();
    return subscription;
  };
  return [
    unary(
      Service.rotateWebhookSecret,
      RotateWebhookSecretRequest,
      RotateWebhookSecretResponse,
      async (message, call) => {
        const checks = new RequestChecks();
        subscriptionNameOf(checks, 'name', message.name);
        const secret = webhookSecretOf(checks, 'secret', message.secret, webhooks);
        const overlapMs = message.overlap
          ? spanOf(checks, 'overlap', message.overlap, OVERLAP_MS)
          : OVERLAP_MS.fallback;
        checks.finish();
        const formerUntilUs = clock.nowUs() + overlapMs * 1000;
        const { webhook } = await change(message.name, { kind: 'rotated', secret, formerUntilUs }, call);
        const expiresAtUs = overlapMs > 0 ? webhook?.formerSecret?.expiresAtUs : undefined;
        return { secret: webhook?.secret ?? '', formerSecretExpireTime: optionalTimestamp(expiresAtUs) };
      },
    ),
    unary(Service.resumeWebhook, ResumeWebhookRequest, ResumeWebhookResponse, async (message, call) => {
      const checks = new RequestChecks();
      subscriptionNameOf(checks, 'name', message.name);
      const url = message.url === '' ? undefined : webhookUrlOf(checks, 'url', message.url, webhooks);
      checks.finish();
      const resumed = { kind: 'resumed', ...(url !== undefined && { url }) } as const;
      return { subscription: subscriptionMessage(await change(message.name, resumed, call)) };
    }),
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
