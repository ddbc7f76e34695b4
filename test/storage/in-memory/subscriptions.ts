import { changedWebhook } from '../../../src/memory/webhook.ts';
import {
  type Cursor,
  type ListedWebhook,
  SUBSCRIPTIONS_MAX,
  type Subscription,
  type SubscriptionOutcome,
  type SubscriptionStore,
  subscriptionExists,
  subscriptionNotFound,
  tooManySubscriptions,
  webhookMissing,
} from '../../../src/storage/subscription-store.ts';
import type { AllNamespaces } from './all-namespaces.ts';

type Asked<K extends 'createSubscription' | 'deleteSubscription' | 'changeWebhook' | 'moveCursors'> = Parameters<
  SubscriptionStore[K]
>[0];

interface Kept {
  subscription: Omit<Subscription, 'cursors'>;
  readonly cursors: Map<string, Cursor>;
  /** Key of the namespace: a later namespace of the same name does not have the subscription. */
  readonly namespaceKey: number;
}

/** Durable subscriptions of the in-memory store. */
export class InMemorySubscriptions implements SubscriptionStore {
  private readonly namespaces: AllNamespaces;
  private readonly kept = new Map<number, Kept>();
  private nextKey = 1;

  constructor(namespaces: AllNamespaces) {
    this.namespaces = namespaces;
  }

  async createSubscription(write: Asked<'createSubscription'>): Promise<SubscriptionOutcome> {
    const { namespace, id, atUs, idempotency: _, ...fields } = write;
    return this.namespaces.once(namespace, write, () => {
      const others = this.of(namespace);
      if (others.some(({ subscription }) => subscription.id === id)) throw subscriptionExists(namespace, id);
      if (others.length >= SUBSCRIPTIONS_MAX) throw tooManySubscriptions(namespace);
      const key = this.nextKey++;
      const { revision } = this.namespaces;
      const subscription = { ...fields, namespace, id, key, createdAtUs: atUs, startRevision: revision };
      const namespaceKey = this.namespaces.log.keys.get(namespace) ?? 0;
      const kept: Kept = { subscription, cursors: new Map(), namespaceKey };
      this.kept.set(key, kept);
      return { revision, subscription: shown(kept) };
    });
  }
  async deleteSubscription(write: Asked<'deleteSubscription'>): Promise<{ revision: number }> {
    const { namespace, id } = write;
    return this.namespaces.once(namespace, write, () => {
      this.kept.delete(this.find(namespace, id).subscription.key);
      return { revision: this.namespaces.revision };
    });
  }
  async changeWebhook(write: Asked<'changeWebhook'>): Promise<SubscriptionOutcome> {
    const { namespace, id, change } = write;
    return this.namespaces.once(namespace, write, () => {
      const kept = this.find(namespace, id);
      const { webhook } = kept.subscription;
      if (!webhook) throw webhookMissing(namespace, id);
      kept.subscription = { ...kept.subscription, webhook: changedWebhook(webhook, change) };
      return { revision: this.namespaces.revision, subscription: shown(kept) };
    });
  }
  async listWebhooks(): Promise<ListedWebhook[]> {
    return [...this.kept.values()].flatMap(({ subscription: { key, namespace, id, webhook }, namespaceKey }) =>
      webhook && this.namespaces.log.keys.get(namespace) === namespaceKey ? [{ key, namespace, id, webhook }] : [],
    );
  }
  async getSubscription(namespace: string, id: string): Promise<Subscription> {
    return shown(this.find(namespace, id));
  }
  async listSubscriptions(namespace: string): Promise<Subscription[]> {
    return this.of(namespace)
      .map(shown)
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }
  async moveCursors({ cursors, atUs }: Asked<'moveCursors'>): Promise<void> {
    for (const { subscriptionKey, consumer, acknowledgedRevision } of cursors) {
      this.kept.get(subscriptionKey)?.cursors.set(consumer, { consumer, acknowledgedRevision, seenAtUs: atUs });
    }
  }
  async forgetConsumers({ atUs }: { atUs: number }): Promise<number> {
    let count = 0;
    for (const { subscription, cursors } of this.kept.values()) {
      const oldestUs = atUs - subscription.consumerTtlMs * 1000;
      for (const { consumer, seenAtUs } of cursors.values()) {
        if (consumer !== '' && seenAtUs < oldestUs && cursors.delete(consumer)) count++;
      }
    }
    return count;
  }

  private of(namespace: string): Kept[] {
    this.namespaces.get(namespace);
    const key = this.namespaces.log.keys.get(namespace);
    return [...this.kept.values()].filter(
      ({ subscription, namespaceKey }) => subscription.namespace === namespace && namespaceKey === key,
    );
  }
  private find(namespace: string, id: string): Kept {
    const kept = this.of(namespace).find(({ subscription }) => subscription.id === id);
    if (!kept) throw subscriptionNotFound(namespace, id);
    return kept;
  }
}

function shown({ subscription, cursors }: Kept): Subscription {
  const sorted = [...cursors.values()].sort((one, other) => (one.consumer < other.consumer ? -1 : 1));
  return { ...subscription, cursors: sorted };
}
