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
  SubscriptionServiceService as Service,
} from '../../../gen/ts/mneme/v1/subscription_service.ts';
import type { Clock } from '../../memory/clock.ts';
import { onceFor } from '../../operations/memories/operation-deps.ts';
import { ensureNamespace, type NamespaceDeps } from '../../operations/namespaces/ensure-namespace.ts';
import type { ConsumeDeps } from '../../operations/streams/consume.ts';
import { subscriptionDeleted } from '../../operations/streams/subscription-deleted.ts';
import { checkSeen } from '../../operations/visibility/sights.ts';
import type { SubscriptionStore } from '../../storage/subscription-store.ts';
import type { FirstMessageTerms } from '../edge/first-message.ts';
import { bidi, type Route, unary } from '../edge/handler.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { consumed } from './consume-method.ts';
import {
  SUBSCRIPTION_ID,
  subscriptionFields,
  subscriptionMessage,
  subscriptionNameOf,
} from './subscription-messages.ts';

export interface SubscriptionServiceDeps extends ConsumeDeps, FirstMessageTerms, NamespaceDeps {
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
      await checkSeen(deps.sights, namespace, write.scope);
      await ensureNamespace(deps, namespace);
      // What was acknowledged before is not delivered.
      await feed.current(namespace);
      const { subscription, revision } = await store.createSubscription(write);
      return { subscription: subscriptionMessage(subscription), revision: BigInt(revision) };
    }),
    unary(Service.getSubscription, GetSubscriptionRequest, GetSubscriptionResponse, async ({ name }) => {
      const { namespace, id } = named(name);
      return { subscription: subscriptionMessage(await store.getSubscription(namespace, id)) };
    }),
    unary(Service.listSubscriptions, ListSubscriptionsRequest, ListSubscriptionsResponse, async ({ parent }) => {
      const checks = new RequestChecks();
      const namespace = checks.namespace('parent', parent);
      checks.finish();
      return { subscriptions: (await store.listSubscriptions(namespace)).map(subscriptionMessage) };
    }),
    unary(Service.deleteSubscription, DeleteSubscriptionRequest, DeleteSubscriptionResponse, async ({ name }, call) => {
      const { namespace, id } = named(name);
      await store.deleteSubscription({ namespace, id, atUs: clock.nowUs(), ...onceFor(call) });
      subscriptions.drop(namespace, id, subscriptionDeleted(namespace, id));
      return { revision: BigInt(feed.log.revision) };
    }),
    bidi(Service.consumeSubscription, ConsumeSubscriptionRequest, ConsumeSubscriptionResponse, (messages, call) =>
      consumed(deps, messages, call),
    ),
  ];
}

function named(name: string): { namespace: string; id: string } {
  const checks = new RequestChecks();
  const parts = subscriptionNameOf(checks, 'name', name);
  checks.finish();
  return parts;
}
