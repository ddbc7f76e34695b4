import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DeleteNamespaceRequest } from '../../gen/ts/mneme/v1/namespace_service.ts';
import {
  CreateSubscriptionRequest,
  DeliveryMode,
  ListSubscriptionsRequest,
} from '../../gen/ts/mneme/v1/subscription_service.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { Consumer } from '../server/grpc/support/consumer.ts';
import { freshNamespace } from '../server/grpc/support/memories.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { PATIENCE_MS, Replica } from './replicas.ts';

/** Long enough that no live server on a busy machine is taken for dead. */
const ACK_DEADLINE = { seconds: 20n };

/** The store that servers share: it is stopped and started again with all of its data. */
interface Shared {
  start(): Promise<Replica>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

async function postgres(): Promise<Shared> {
  const server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
  return {
    start: () => Replica.startWith({ MNEME_POSTGRES_URL: server.url, MNEME_BACKEND_PROBE_INTERVAL_MS: '100' }),
    restart: async () => {
      await server.kill();
      await server.start();
    },
    stop: async () => {
      await server.stop();
      server.remove();
    },
  };
}

let shared: Shared;
const replicas: Replica[] = [];
const parent = freshNamespace();

async function start(): Promise<Replica> {
  const replica = await shared.start();
  replicas.push(replica);
  return replica;
}

async function subscription({ clients: { subscriptions } }: Replica, mode: DeliveryMode): Promise<string> {
  const fields = { mode, ackDeadline: ACK_DEADLINE };
  const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work', subscription: fields });
  const made = await ask(subscriptions, subscriptions.createSubscription, request);
  return made.subscription?.name ?? '';
}

/** A server that has just reconnected refuses consumers for a while. */
async function opened({ clients }: Replica, name: string, consumer: string): Promise<Consumer> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const stream = new Consumer(clients, name, consumer);
    try {
      await stream.until(({ event }) => event?.$case === 'created');
      return stream;
    } catch (error) {
      if (performance.now() > endsAtMs || !(error instanceof Error) || !('code' in error) || error.code !== 14)
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `${from + at}`);
const acknowledged = (consumer: Consumer, revision: bigint) =>
  consumer.until(({ acknowledgedRevision }) => acknowledgedRevision >= revision);
const byNumber = (texts: readonly string[]) => texts.toSorted((one, other) => Number(one) - Number(other));

describe('durable subscriptions of servers that share PostgreSQL', () => {
  beforeEach(async () => {
    shared = await postgres();
  }, 120_000);
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.stop();
    await shared.stop();
  }, 120_000);

  it('broadcast › a consumer continues at the other server after its acknowledgement, also after kill -9', async () => {
    const [one, two] = [await start(), await start()];
    // Their logs number the same changes differently.
    for (const text of numbered(20)) await one.store(freshNamespace(), { text }, randomUUID());
    await one.store(parent, { text: 'before' }, randomUUID());
    const name = await subscription(one, DeliveryMode.DELIVERY_MODE_BROADCAST);
    const first = new Consumer(one.clients, name, 'ann');
    for (const text of numbered(6)) await two.store(parent, { text }, randomUUID());
    await first.has(6);
    const third = first.changes()[2]?.revision ?? 0n;
    first.acknowledge(third);
    await acknowledged(first, third);
    await one.kill();
    await first.outcome();
    const second = new Consumer(two.clients, name, 'ann');
    for (const text of numbered(3, 6)) await two.store(parent, { text }, randomUUID());
    await second.has(6);
    expect(second.texts()).toEqual(numbered(6, 3));
    const last = second.changes()[4]?.revision ?? 0n;
    second.acknowledge(last);
    await acknowledged(second, last);
    second.cancel();
    await one.restart();
    const again = new Consumer(one.clients, name, 'ann');
    await again.has(1);
    expect(again.texts()).toEqual(['8']);
    again.cancel();
  }, 240_000);

  it('work queue › each change goes to one consumer of all servers; claims of a killed one go to the others', async () => {
    const [one, two] = [await start(), await start()];
    await one.store(parent, { text: 'before' }, randomUUID());
    const name = await subscription(one, DeliveryMode.DELIVERY_MODE_WORK_QUEUE);
    const dying = new Consumer(one.clients, name, 'a', { maxOutstanding: 4 });
    for (const text of numbered(4)) await one.store(parent, { text }, randomUUID());
    await dying.has(4);
    const living = new Consumer(two.clients, name, 'b', { maxOutstanding: 4 });
    for (const text of numbered(4, 4)) await one.store(parent, { text }, randomUUID());
    await living.has(4);
    expect([...dying.texts(), ...living.texts()]).toEqual(numbered(8));
    // One change of the killed server is acknowledged.
    const done = dying.changes()[0]?.revision ?? 0n;
    dying.acknowledge(0n, [done]);
    await acknowledged(dying, done);
    const own = living.changes().map(({ revision }) => revision);
    living.acknowledge(0n, own);
    // It leaves, as it would otherwise receive changes of the killed server without acknowledging them.
    living.finish();
    expect(await living.outcome()).toBe(true);
    await one.kill();
    await dying.outcome();
    await shared.restart();
    await two.store(parent, { text: '8' }, randomUUID());
    const rested = await opened(two, name, 'c');
    // Changes without a timely acknowledgement are delivered again.
    await rested.until(() => new Set(rested.texts()).size >= 4);
    expect(byNumber([...new Set(rested.texts())])).toEqual(['1', '2', '3', '8']);
    rested.cancel();
  }, 240_000);

  it('changes of subscriptions at one server › the other has them; they are deleted with their namespace', async () => {
    const [one, two] = [await start(), await start()];
    await one.store(parent, { text: 'before' }, randomUUID());
    await subscription(one, DeliveryMode.DELIVERY_MODE_BROADCAST);
    const list = async ({ clients: { subscriptions } }: Replica) =>
      (await ask(subscriptions, subscriptions.listSubscriptions, ListSubscriptionsRequest.fromPartial({ parent })))
        .subscriptions;
    expect(await list(two)).toHaveLength(1);
    await expect(subscription(two, DeliveryMode.DELIVERY_MODE_WORK_QUEUE)).rejects.toMatchObject({ code: 6 });
    const { namespaces } = two.clients;
    const gone = DeleteNamespaceRequest.fromPartial({ name: parent, force: true });
    await ask(namespaces, namespaces.deleteNamespace, gone);
    await one.store(parent, { text: 'after' }, randomUUID());
    expect(await list(one)).toEqual([]);
  }, 240_000);
});
