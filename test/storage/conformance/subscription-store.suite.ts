import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WebhookChange } from '../../../src/memory/webhook.ts';
import type { ChangeLog } from '../../../src/storage/change-log/change-log.ts';
import type { SubscriptionStore, SubscriptionWrite } from '../../../src/storage/subscription-store.ts';
import { newMemory } from '../../support/new-memory.ts';
import type { WholeStore } from '../../support/whole-store.ts';
import { because, NOW_US, put, SPACE } from './memory-store/store-of-test.ts';

export interface SubscriptionStoreSubject {
  readonly name: string;
  create(): Promise<{
    readonly store: WholeStore;
    readonly log: ChangeLog;
    readonly subscriptions: SubscriptionStore;
    readonly settled?: (namespace: string) => Promise<void>;
    close(): Promise<void>;
  }>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What every store of durable subscriptions promises. */
export function subscriptionStoreSuite({ name, create }: SubscriptionStoreSubject): void {
  describe(`durable subscriptions (${name})`, () => {
    let store: WholeStore;
    let log: ChangeLog;
    let subscriptions: SubscriptionStore;
    let settled: (namespace: string) => Promise<void>;
    let close: () => Promise<void>;
    beforeEach(async () => {
      const made = await create();
      ({ store, log, subscriptions } = made);
      settled = made.settled ?? (async () => undefined);
      close = () => made.close();
      await put(store, [newMemory({ id: 'before' })]);
      await settled(SPACE);
    });
    afterEach(() => close());

    const made = (id: string, fields: Partial<SubscriptionWrite> = {}) =>
      subscriptions.createSubscription({
        namespace: SPACE,
        id,
        mode: 'broadcast',
        ackDeadlineMs: 30_000,
        consumerTtlMs: DAY_MS,
        atUs: NOW_US,
        ...fields,
      });
    const move = (subscriptionKey: number, consumer: string, acknowledgedRevision: number, atUs = NOW_US, more = {}) =>
      subscriptions.moveCursors({ cursors: [{ subscriptionKey, consumer, acknowledgedRevision, ...more }], atUs });

    it('webhook › listed in all namespaces, changed by calls and by attempts, and gone with its subscription and its namespace', async () => {
      const webhook = { url: 'https://example.com/', headers: { a: 'b' }, secret: 'whsec_1', version: 1 };
      const { subscription } = await made('hook', { webhook });
      await made('plain');
      const listed = () => subscriptions.listWebhooks();
      const { key } = subscription;
      expect([subscription.webhook, await listed()]).toEqual([
        webhook,
        [{ key, namespace: SPACE, id: 'hook', webhook }],
      ]);
      const change = async (kind: WebhookChange, requestId?: string) => {
        const idempotency = requestId ? { idempotency: { requestId, fingerprint: requestId } } : {};
        const write = { namespace: SPACE, id: 'hook', change: kind, atUs: NOW_US, ...idempotency };
        return (await subscriptions.changeWebhook(write)).subscription.webhook;
      };
      const failing = { sinceUs: NOW_US, count: 1, failure: 'x', next: { atUs: NOW_US + 1, pauseMs: 1 } };
      expect(await change({ kind: 'attempted', version: 1, failing })).toEqual({ ...webhook, failing });
      const rotated = await change({ kind: 'rotated', secret: 'whsec_2', formerUntilUs: NOW_US }, 'r');
      const formerSecret = { secret: 'whsec_1', expiresAtUs: NOW_US };
      expect(rotated).toEqual({ ...webhook, failing, secret: 'whsec_2', formerSecret });
      expect(await change({ kind: 'rotated', secret: 'whsec_3', formerUntilUs: NOW_US }, 'r')).toEqual(rotated);
      const resumed = { ...webhook, secret: 'whsec_2', formerSecret, url: 'https://example.org/', version: 2 };
      expect(await change({ kind: 'resumed', url: 'https://example.org/' })).toEqual(resumed);
      // An attempt that began before.
      expect(await change({ kind: 'attempted', version: 1, failing })).toEqual(resumed);
      expect((await subscriptions.getSubscription(SPACE, 'hook')).webhook).toEqual(resumed);
      const ofPlain = { namespace: SPACE, id: 'plain', change: { kind: 'resumed' }, atUs: NOW_US } as const;
      await expect(subscriptions.changeWebhook(ofPlain)).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
      const ofNone = { ...ofPlain, id: 'none' };
      await expect(subscriptions.changeWebhook(ofNone)).rejects.toMatchObject({ reason: 'SUBSCRIPTION_NOT_FOUND' });
      await subscriptions.deleteSubscription({ namespace: SPACE, id: 'hook', atUs: NOW_US });
      expect(await listed()).toEqual([]);
      await made('again', { webhook });
      await store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
      expect(await listed()).toEqual([]);
    });

    it('created › read back and listed by id, beginning with the next change', async () => {
      const filter = {
        kind: 'comparison',
        target: { kind: 'field', field: 'type' },
        operator: 'equals',
        values: ['fact'],
        ignoreCase: false,
      } as const;
      const scope = { project: 'p', agentType: '', agent: '', session: '' };
      const { subscription } = await made('two', {
        mode: 'work_queue',
        filter,
        filterAsGiven: 'AAA=',
        scope,
        includeMoved: true,
      });
      await made('one');
      expect(subscription).toMatchObject({
        id: 'two',
        namespace: SPACE,
        mode: 'work_queue',
        filter,
        scope,
        includeMoved: true,
        cursors: [],
      });
      expect(subscription.startRevision).toBe(log.revision);
      expect(await subscriptions.getSubscription(SPACE, 'two')).toEqual(subscription);
      expect((await subscriptions.listSubscriptions(SPACE)).map(({ id }) => id)).toEqual(['one', 'two']);
    });

    it('refused › what is there already, what is not there, a namespace that is not there', async () => {
      await made('one');
      await expect(made('one')).rejects.toMatchObject(because('SUBSCRIPTION_EXISTS'));
      await expect(subscriptions.getSubscription(SPACE, 'two')).rejects.toMatchObject(
        because('SUBSCRIPTION_NOT_FOUND'),
      );
      const gone = { namespace: SPACE, id: 'two', atUs: NOW_US };
      await expect(subscriptions.deleteSubscription(gone)).rejects.toMatchObject(because('SUBSCRIPTION_NOT_FOUND'));
      await expect(made('one', { namespace: 'nobody' })).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
      await expect(subscriptions.listSubscriptions('nobody')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    });

    it('a request is repeated › one effect, the first answer; the id with another request is refused', async () => {
      const idempotency = { requestId: randomUUID(), fingerprint: 'create' };
      const first = await made('one', { idempotency });
      expect(await made('one', { idempotency })).toEqual(first);
      const other = { ...idempotency, fingerprint: 'other' };
      await expect(made('two', { idempotency: other })).rejects.toMatchObject(because('REQUEST_ID_REUSED'));
      const erase = { requestId: randomUUID(), fingerprint: 'delete' };
      const write = { namespace: SPACE, id: 'one', atUs: NOW_US, idempotency: erase };
      expect(await subscriptions.deleteSubscription(write)).toEqual(await subscriptions.deleteSubscription(write));
    });

    it('cursors › are kept by consumer, go forward and back, and go with the subscription', async () => {
      const { subscription } = await made('one');
      const begin = subscription.startRevision;
      await put(store, [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
      await settled(SPACE);
      await move(subscription.key, 'ann', begin + 2);
      await move(subscription.key, 'bob', begin + 1, NOW_US + 5);
      await move(subscription.key, 'ann', begin + 1, NOW_US + 7, { isRewind: true });
      const cursors = async () =>
        (await subscriptions.getSubscription(SPACE, 'one')).cursors.map(
          ({ consumer, acknowledgedRevision, seenAtUs }) => [consumer, acknowledgedRevision - begin, seenAtUs - NOW_US],
        );
      expect(await cursors()).toEqual([
        ['ann', 1, 7],
        ['bob', 1, 5],
      ]);
      await subscriptions.deleteSubscription({ namespace: SPACE, id: 'one', atUs: NOW_US });
      await move(subscription.key, 'ann', begin + 2);
      await made('one');
      expect(await cursors()).toEqual([]);
    });

    it('a consumer of a broadcast that was not seen for long › is forgotten; the cursor of a work queue stays', async () => {
      const [one, two] = [await made('one'), await made('two', { mode: 'work_queue' })];
      await move(one.subscription.key, 'ann', one.revision);
      await move(one.subscription.key, 'bob', one.revision, NOW_US + DAY_MS * 1000);
      await move(two.subscription.key, '', two.revision);
      expect(await subscriptions.forgetConsumers({ atUs: NOW_US + DAY_MS * 1000 + 1 })).toBe(1);
      const consumers = async (id: string) =>
        (await subscriptions.getSubscription(SPACE, id)).cursors.map(({ consumer }) => consumer);
      expect([await consumers('one'), await consumers('two')]).toEqual([['bob'], ['']]);
    });

    it('the namespace is deleted and made anew › they are gone', async () => {
      await made('one');
      await store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
      await put(store, [newMemory({ id: 'again' })]);
      await settled(SPACE);
      expect(await subscriptions.listSubscriptions(SPACE)).toEqual([]);
    });

    it('changes of a work queue that servers share › one gets each; done, lapsed and released differ', async () => {
      const { claims } = subscriptions;
      if (!claims) return;
      const { subscription } = await made('one', { mode: 'work_queue' });
      const ask = { subscriptionKey: subscription.key, origins: [1e9, 1e9 + 1], untilMs: 1000, nowMs: 0 };
      expect(await claims.claim(ask)).toEqual(['mine', 'mine']);
      await subscriptions.moveCursors({
        cursors: [
          {
            subscriptionKey: subscription.key,
            consumer: '',
            acknowledgedRevision: subscription.startRevision,
            done: [1e9 + 1],
          },
        ],
        atUs: NOW_US,
      });
      expect(await claims.claim(ask)).toEqual(['mine', 'done']);
      await claims.release(subscription.key);
      expect(await claims.claim({ ...ask, nowMs: 2000, untilMs: 3000 })).toEqual(['mine', 'done']);
    });
  });
}
