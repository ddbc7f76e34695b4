import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '#kysely';
import type { SubscriptionWrite } from '../../src/storage/subscription-store.ts';
import { NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openViewedStore, type ViewedStoreOfTest } from '../support/viewed-store.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

let schemas = 0;

/** Two servers of the same records, each with a view of its own. */
async function withTwo(work: (one: ViewedStoreOfTest, other: ViewedStoreOfTest) => Promise<void>): Promise<void> {
  const schema = `subscriptions_${++schemas}`;
  const one = await openViewedStore({ url: server.url, schema });
  const other = await openViewedStore({ url: server.url, schema });
  try {
    await put(one.store, [newMemory({ id: 'before' })]);
    await work(one, other);
  } finally {
    await one.close();
    await other.close();
  }
}

const subscribe = ({ subscriptions }: ViewedStoreOfTest, id: string, more: Partial<SubscriptionWrite> = {}) =>
  subscriptions.createSubscription({
    namespace: SPACE,
    id,
    mode: 'broadcast',
    ackDeadlineMs: 30_000,
    consumerTtlMs: 3_600_000,
    atUs: NOW_US,
    ...more,
  });

/** Revisions in the log of records, of the changes that a server has after a revision of its own log. */
async function originsAfter({ store, streams }: ViewedStoreOfTest, afterRevision: number): Promise<number[]> {
  await store.follower.catchUp(SPACE);
  const namespace = await streams.watchedNamespace(SPACE);
  const { changes } = await streams.readChanges({ namespace, afterRevision, limit: 1000, bytesMax: 1e9 });
  return changes.flatMap(({ origin }) => (origin === undefined ? [] : [origin]));
}

const cursorOf = async ({ subscriptions }: ViewedStoreOfTest, id: string, consumer: string) =>
  (await subscriptions.getSubscription(SPACE, id)).cursors.find((cursor) => cursor.consumer === consumer);

describe('a subscription that two servers deliver', () => {
  it('acknowledged at one › the other continues with the next change, in the same order; an older position changes nothing', async () => {
    await withTwo(async (one, other) => {
      // The logs of the views have other revisions: one has changes of another namespace as well.
      await put(other.store, [newMemory({ id: 'x' }), newMemory({ id: 'y' })], { namespace: 'other' });
      await other.store.follower.catchUp('other');
      const { subscription: here } = await subscribe(one, 's');
      const there = await other.subscriptions.getSubscription(SPACE, 's');
      for (const id of ['a', 'b', 'c', 'd']) await put(id < 'c' ? one.store : other.store, [newMemory({ id })]);
      const order = await originsAfter(one, here.startRevision);
      expect(order).toHaveLength(4);
      expect(await originsAfter(other, there.startRevision)).toEqual(order);
      const move = (at: ViewedStoreOfTest, acknowledgedRevision: number) =>
        at.subscriptions.moveCursors({
          cursors: [{ subscriptionKey: here.key, consumer: 'ann', acknowledgedRevision }],
          atUs: NOW_US,
        });
      const namespace = await one.streams.watchedNamespace(SPACE);
      const { changes } = await one.streams.readChanges({
        namespace,
        afterRevision: here.startRevision,
        limit: 9,
        bytesMax: 1e9,
      });
      await move(one, changes[2]?.revision ?? 0);
      const cursor = await cursorOf(other, 's', 'ann');
      expect(cursor?.passedOrigin).toBe(order[2]);
      expect(await originsAfter(other, cursor?.acknowledgedRevision ?? 0)).toEqual(order.slice(3));
      await move(other, there.startRevision);
      expect((await cursorOf(one, 's', 'ann'))?.passedOrigin).toBe(order[2]);
    });
  });

  it('a view begins with nothing › the position of its consumer is found in it', async () => {
    await withTwo(async (one, other) => {
      const { subscription } = await subscribe(one, 's');
      await put(one.store, [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
      await one.store.follower.catchUp(SPACE);
      await one.subscriptions.moveCursors({
        cursors: [{ subscriptionKey: subscription.key, consumer: 'ann', acknowledgedRevision: one.streams.revision }],
        atUs: NOW_US,
      });
      await put(one.store, [newMemory({ id: 'c' })]);
      // It has followed nothing so far.
      const cursor = await cursorOf(other, 's', 'ann');
      expect(await originsAfter(other, cursor?.acknowledgedRevision ?? 0)).toHaveLength(1);
    });
  });

  it('the log of a view is compacted by changes of other namespaces › positions of a quiet one stay', async () => {
    await withTwo(async (one, other) => {
      await subscribe(one, 's');
      await put(
        other.store,
        Array.from({ length: 50 }, (_, at) => newMemory({ id: `m${at}` })),
        { namespace: 'busy' },
      );
      await other.store.follower.catchUp(SPACE);
      await other.store.follower.catchUp('busy');
      while (!(await other.streams.compact({ throughRevision: other.streams.revision, limit: 500 })));
      await put(one.store, [newMemory({ id: 'a' })]);
      const { startRevision } = await other.subscriptions.getSubscription(SPACE, 's');
      expect(await originsAfter(other, startRevision)).toHaveLength(1);
    });
  });

  it('claims and leases of a work queue › each is of one server, until it is released or acknowledged', async () => {
    await withTwo(async (one, other) => {
      const { subscription } = await subscribe(one, 'q', { mode: 'work_queue' });
      const { key: subscriptionKey, startRevision } = subscription;
      const ask = { subscriptionKey, origins: [1001, 1002, 1003], nowMs: 0, untilMs: 60_000 };
      expect(await one.subscriptions.claims.claim(ask)).toEqual(['mine', 'mine', 'mine']);
      expect(await other.subscriptions.claims.claim({ ...ask, origins: [1002, 1004, 1002] })).toEqual([
        'taken',
        'mine',
        'taken',
      ]);
      const done = { subscriptionKey, consumer: '', acknowledgedRevision: startRevision, done: [1002] };
      await one.subscriptions.moveCursors({ cursors: [done], atUs: NOW_US });
      await one.subscriptions.claims.release(subscriptionKey);
      expect(await other.subscriptions.claims.claim(ask)).toEqual(['mine', 'done', 'mine']);
      expect(await other.subscriptions.leases.doneOf(subscriptionKey, [1, 1002, 1003])).toEqual(new Set([1, 1002]));
      // A claim that has ended is another server's to take.
      await other.subscriptions.claims.claim({ ...ask, untilMs: 0 });
      expect(await one.subscriptions.claims.claim(ask)).toEqual(['mine', 'done', 'mine']);

      const [mine, theirs] = ['a', 'b'].map((holder) => ({ subscriptionKey, name: 'part', holder }));
      if (!mine || !theirs) throw new Error('two leases');
      const { leases } = one.subscriptions;
      expect([await leases.take(mine, 60_000), await other.subscriptions.leases.take(theirs, 60_000)]).toEqual([
        true,
        false,
      ]);
      expect([await leases.renew(mine, 0), await leases.renew(mine, 60_000)]).toEqual([true, false]);
      expect(await other.subscriptions.leases.take(theirs, 60_000)).toBe(true);
      await leases.release(mine);
      expect(await leases.take(mine, 60_000)).toBe(false);
      await other.subscriptions.leases.release(theirs);
      expect(await leases.take(mine, 60_000)).toBe(true);
    });
  });

  it('moves, claims and deletion at once by both › no deadlock, nothing of a deleted one is left', async () => {
    await withTwo(async (one, other) => {
      const made = await Promise.all(['a', 'b', 'c'].map((id) => subscribe(one, id, { mode: 'work_queue' })));
      const keys = made.map(({ subscription }) => subscription.key);
      const turns = [one, other, one, other].map(async ({ subscriptions }, at) => {
        const order = at % 2 === 0 ? keys : keys.toReversed();
        for (let turn = 0; turn < 10; turn++) {
          const cursors = order.map((subscriptionKey) => ({
            subscriptionKey,
            consumer: '',
            acknowledgedRevision: 1,
            done: [1000 + turn],
          }));
          const origins = [1001 + turn, 1005];
          await subscriptions.claims.claim({ subscriptionKey: order[0] ?? 0, origins, nowMs: 0, untilMs: 1000 });
          await subscriptions.moveCursors({ cursors, atUs: NOW_US });
        }
      });
      const deletion = other.subscriptions.deleteSubscription({ namespace: SPACE, id: 'b', atUs: NOW_US });
      await Promise.all([...turns, deletion]);
      const left = await one.records.access.read((session) =>
        session.run(sql<{ key: number }>`SELECT DISTINCT subscription_key AS key FROM subscription_work ORDER BY 1`),
      );
      expect(left.map(({ key }) => key)).toEqual([keys[0], keys[2]]);
    });
  });
});
