import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  CreateSubscriptionRequest,
  DeleteSubscriptionRequest,
  DeliveryMode,
  GetSubscriptionRequest,
  ListSubscriptionsRequest,
} from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { Consumer } from '../support/consumer.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
});
afterAll(() => server.stop());

async function create(parent: string, mode: DeliveryMode): Promise<string> {
  const { subscriptions } = server;
  const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work', subscription: { mode } });
  const { subscription } = await ask(subscriptions, subscriptions.createSubscription, request);
  return subscription?.name ?? '';
}

test('Durable subscription: broadcast › every consumer gets every change, and continues after its acknowledgement', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'before' });
  const name = await create(parent, DeliveryMode.DELIVERY_MODE_BROADCAST);
  const [ann, bob] = [new Consumer(server, name, 'ann'), new Consumer(server, name, 'bob')];
  await store(server, parent, { text: 'one' });
  const { revision } = await store(server, parent, { text: 'two' });
  await Promise.all([ann.has(2), bob.has(2)]);
  expect(ann.texts()).toEqual(['one', 'two']);
  const first = ann.changes()[0]?.revision ?? 0n;
  ann.acknowledge(first);
  await ann.until(({ acknowledgedRevision }) => acknowledgedRevision >= first);
  ann.cancel();
  bob.acknowledge(revision);
  await bob.until(({ acknowledgedRevision }) => acknowledgedRevision >= revision);
  bob.cancel();
  const [again, done] = [new Consumer(server, name, 'ann'), new Consumer(server, name, 'bob')];
  await store(server, parent, { text: 'three' });
  await Promise.all([again.has(2), done.has(1)]);
  expect([again.texts(), done.texts()]).toEqual([['two', 'three'], ['three']]);
  for (const worker of [again, done]) worker.cancel();
});

test('Durable subscription: changes of another namespace › the cursor passes them, and no change is skipped or repeated', async () => {
  const [parent, other] = [freshNamespace(), freshNamespace()];
  await store(server, parent, { text: 'before' });
  const name = await create(parent, DeliveryMode.DELIVERY_MODE_BROADCAST);
  const { revision } = await store(server, parent, { text: 'one' });
  const { revision: elsewhere } = await store(server, other, { text: 'elsewhere' });
  const worker = new Consumer(server, name, 'ann');
  await worker.has(1);
  worker.acknowledge(revision);
  await worker.until(({ acknowledgedRevision }) => acknowledgedRevision >= elsewhere);
  worker.finish();
  expect(await worker.outcome()).toBe(true);
  await store(server, parent, { text: 'two' });
  const again = new Consumer(server, name, 'ann');
  await again.has(1);
  expect(again.texts()).toEqual(['two']);
  again.cancel();
});

test('Durable subscription: work queue › each change goes to one consumer, and to another when that one dies', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'before' });
  const name = await create(parent, DeliveryMode.DELIVERY_MODE_WORK_QUEUE);
  const dying = new Consumer(server, name, 'a', { maxOutstanding: 2 });
  for (const text of ['1', '2', '3', '4']) await store(server, parent, { text });
  await dying.has(2);
  const living = new Consumer(server, name, 'b');
  await living.has(2);
  expect([...dying.texts(), ...living.texts()].sort()).toEqual(['1', '2', '3', '4']);
  dying.cancel();
  await living.has(4);
  expect([...living.texts()].sort()).toEqual(['1', '2', '3', '4']);
  const newest = living.changes().reduce((most, { revision }) => (revision > most ? revision : most), 0n);
  living.acknowledge(
    0n,
    living.changes().map(({ revision }) => revision),
  );
  await living.until(({ acknowledgedRevision }) => acknowledgedRevision >= newest);
  living.cancel();
  const { subscriptions } = server;
  const { subscription } = await ask(
    subscriptions,
    subscriptions.getSubscription,
    GetSubscriptionRequest.fromPartial({ name }),
  );
  expect(subscription?.cursors.map(({ acknowledgedRevision }) => acknowledgedRevision >= newest)).toEqual([true]);
});

test('Durable subscription: deleted › its consumers end', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'x' });
  const name = await create(parent, DeliveryMode.DELIVERY_MODE_BROADCAST);
  const { subscriptions } = server;
  const twice = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work' });
  expect((await refusal(ask(subscriptions, subscriptions.createSubscription, twice))).reason).toBe(
    'SUBSCRIPTION_EXISTS',
  );
  const list = ListSubscriptionsRequest.fromPartial({ parent });
  expect((await ask(subscriptions, subscriptions.listSubscriptions, list)).subscriptions).toHaveLength(1);
  const worker = new Consumer(server, name, 'a');
  await worker.until(({ event }) => event?.$case === 'created');
  await ask(subscriptions, subscriptions.deleteSubscription, DeleteSubscriptionRequest.fromPartial({ name }));
  const end = await worker.outcome();
  expect(end === true ? undefined : refusalOf(end).reason).toBe('SUBSCRIPTION_NOT_FOUND');
  const next = await new Consumer(server, name, 'a').outcome();
  expect(next === true ? undefined : refusalOf(next).reason).toBe('SUBSCRIPTION_NOT_FOUND');
});

test('Durable subscription: acknowledging an undelivered change › is refused', async () => {
  const parent = freshNamespace();
  const { revision } = await store(server, parent, { text: 'x' });
  const name = await create(parent, DeliveryMode.DELIVERY_MODE_BROADCAST);
  const worker = new Consumer(server, name, 'a');
  await worker.until(({ event }) => event?.$case === 'created');
  worker.acknowledge(revision + 1000n);
  const end = await worker.outcome();
  expect(end === true ? undefined : refusalOf(end).reason).toBe('FIELD_INVALID');
  const bad = await new Consumer(server, 'nonsense', 'A B').outcome();
  expect(bad === true ? [] : refusalOf(bad).fields).toEqual(['start.name', 'start.consumer']);
});

test('Durable subscription: work queue › a reset by one consumer resets all, and later acknowledgements count', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'before' });
  const name = await create(parent, DeliveryMode.DELIVERY_MODE_WORK_QUEUE);
  const staying = new Consumer(server, name, 'a', { maxOutstanding: 1 });
  let count = 0;
  const works = async () => {
    await staying.has(++count);
    const { revision = 0n } = staying.changes().at(-1) ?? {};
    staying.acknowledge(0n, [revision]);
    return revision;
  };
  const texts = ['1', '2', '3'];
  for (const text of texts) await store(server, parent, { text });
  const [first = 0n] = [await works(), await works(), await works()];
  const back = new Consumer(server, name, 'b', { startRevision: first, maxOutstanding: 1 });
  await back.until(({ event }) => event?.$case === 'created');
  back.cancel();
  for (let again = 0; again < texts.length; again++) await works();
  expect(staying.texts().slice(texts.length).sort()).toEqual(texts);
  await store(server, parent, { text: '4' });
  const last = await works();
  await staying.until(({ acknowledgedRevision }) => acknowledgedRevision >= last);
  staying.cancel();
});
