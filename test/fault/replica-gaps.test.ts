import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { Tier } from '../../gen/ts/mneme/v1/memory.ts';
import {
  DeleteMemoryRequest,
  DemoteMemoriesRequest,
  UpdateMemoryRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { CreateSubscriptionRequest, DeliveryMode } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { ask, refusalOf } from '../grpc/support/ask.ts';
import { Consumer } from '../grpc/support/consumer.ts';
import { FollowedAnswer, recalledNames } from '../grpc/support/followed-answer.ts';
import type { FollowedStream } from '../grpc/support/followed-stream.ts';
import { freshNamespace } from '../grpc/support/memories.ts';
import { RedisCluster } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { Replica } from './replicas.ts';

const DEADLINE = { deadlineMs: 30_000 };
const replicas: Replica[] = [];

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
});

async function start(url: string): Promise<Replica> {
  const replica = await Replica.start(url);
  replicas.push(replica);
  return replica;
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `n${from + at}`);
/** The revision up to which changes are lost, of a stream that ends because of that. */
async function compaction(stream: FollowedStream<unknown>): Promise<bigint> {
  const ended = await stream.outcome();
  if (ended === true) throw new Error('the stream has ended without a fault');
  const { code, reason, metadata } = refusalOf(ended);
  expect([code, reason]).toEqual(['OUT_OF_RANGE', 'REVISION_COMPACTED']);
  return BigInt(metadata['compact_revision'] ?? 0);
}
const logOf = (parent: string) => `mneme:{${parent.slice('namespaces/'.length)}}:log`;

describe('a shared log that was trimmed beyond what a server has seen', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'everysec' });
  });
  afterEach(() => redis.stop());

  it('the server lists all that is there; watchers, its own and those of others, are to list; then all is in order', async () => {
    const [here, there] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    await there.store(parent, { text: 'before' }, randomUUID());
    const [own, other] = [await here.watch({ parent }).live(), await there.watch({ parent }).live()];
    await there.store(parent, { text: 'seen' }, randomUUID());
    for (const stream of [own, other]) await stream.has('seen');
    const theirs = other.token();
    await here.kill();
    await own.outcome();
    for (const text of numbered(30)) await there.store(parent, { text }, randomUUID());
    // What a server has not read of the log yet is missing for itself too.
    await other.has('n29');
    await redis.command('XTRIM', logOf(parent), 'MAXLEN', '5');
    await here.restart();

    expect(await here.texts(parent)).toEqual([...numbered(30), 'before', 'seen'].sort());
    for (const resumeToken of [own.token(), theirs]) {
      const strange = here.watch({ parent, resumeToken });
      await compaction(strange);
      expect(strange.texts()).toEqual([]);
    }
    const listed = await here.watch({ parent }).live();
    for (const text of numbered(20, 30)) await there.store(parent, { text }, randomUUID());
    for (const stream of [listed, other]) {
      await stream.has('n49');
      stream.cancel();
    }
    expect(listed.texts()).toEqual(numbered(20, 30));
    expect(other.texts()).toEqual(['seen', ...numbered(50)]);
  }, 240_000);

  it('streams open at a server that stood still meanwhile › a watch is told to list, a standing query tells what is there', async () => {
    const [here, there] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    const changed = randomUUID();
    await there.store(parent, { text: 'a cello' }, changed);
    const watch = await here.watch({ parent }).live();
    const standing = new FollowedAnswer(here.clients, { parent, text: 'cello', limit: 20 });
    await standing.until(({ event }) => event?.$case === 'progress');
    here.freeze();
    const { memories } = there.clients;
    const name = `${parent}/memories/${changed}`;
    const update = UpdateMemoryRequest.fromPartial({ memory: { name, text: 'a viola' }, updateMask: ['text'] });
    await ask(memories, memories.updateMemory, update, DEADLINE);
    for (const text of numbered(10)) await there.store(parent, { text: `cello ${text}` }, randomUUID());
    await redis.command('XTRIM', logOf(parent), 'MAXLEN', '2');
    here.thaw();
    expect(await compaction(watch)).toBeGreaterThan(0n);
    expect(watch.texts()).toEqual([]);
    await standing.until(() => standing.names().length === 11 && standing.hit(name)?.memory?.text === 'a viola');
    const expected = await recalledNames(here.clients, standing.query);
    await standing.until(() => JSON.stringify(standing.names()) === JSON.stringify(expected));
    standing.cancel();
  }, 240_000);

  it('memories deleted meanwhile are gone there, those moved down stay; it does not call itself degraded', async () => {
    const [here, there] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    const ids = { deleted: randomUUID(), down: randomUUID() };
    for (const [text, id] of Object.entries(ids)) await there.store(parent, { text }, id);
    expect(await here.texts(parent)).toEqual(['deleted', 'down']);
    await here.kill();
    const { memories } = there.clients;
    const names = [`${parent}/memories/${ids.down}`];
    await ask(
      memories,
      memories.demoteMemories,
      DemoteMemoriesRequest.fromPartial({ parent, names, toTier: Tier.TIER_LONG_TERM }),
      DEADLINE,
    );
    const request = DeleteMemoryRequest.fromPartial({ name: `${parent}/memories/${ids.deleted}` });
    await ask(memories, memories.deleteMemory, request, DEADLINE);
    for (const text of numbered(5)) await there.store(parent, { text }, randomUUID());
    await redis.command('XTRIM', logOf(parent), 'MAXLEN', '2');
    await here.restart();

    for (const replica of [here, there]) expect(await replica.texts(parent)).toEqual(['down', ...numbered(5)]);
    const told = here.clients.admin;
    const { degraded } = await ask(told, told.getServerInfo, GetServerInfoRequest.fromPartial({}), DEADLINE);
    expect(degraded.filter((part) => !part.startsWith('shares Redis prefix'))).toEqual([]);
  }, 240_000);

  it('the log was taken away while a server stood still › its watch is told to list, its list has all', async () => {
    const [here, there] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    await there.store(parent, { text: 'before' }, randomUUID());
    const watch = await here.watch({ parent }).live();
    here.freeze();
    await there.store(parent, { text: 'missed' }, randomUUID());
    await redis.command('DEL', logOf(parent));
    here.thaw();
    await compaction(watch);
    expect(watch.texts()).toEqual([]);
    expect(await here.texts(parent)).toEqual(['before', 'missed']);
    const next = await here.watch({ parent }).live();
    await there.store(parent, { text: 'after' }, randomUUID());
    await next.has('after');
    next.cancel();
  }, 240_000);

  it('a consumer of a durable subscription › is told at that server, and misses nothing at the other', async () => {
    const [here, there] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    await there.store(parent, { text: 'before' }, randomUUID());
    const { subscriptions } = here.clients;
    const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work', subscription: {} });
    const { subscription } = await ask(subscriptions, subscriptions.createSubscription, request, DEADLINE);
    const name = subscription?.name ?? '';
    await there.store(parent, { text: 'seen' }, randomUUID());
    const first = new Consumer(here.clients, name, 'ann');
    await first.has(1);
    const done = first.changes()[0]?.revision ?? 0n;
    first.acknowledge(done);
    await first.until(({ acknowledgedRevision }) => acknowledgedRevision >= done);
    await here.kill();
    await first.outcome();
    for (const text of numbered(10)) await there.store(parent, { text }, randomUUID());
    expect(await there.texts(parent)).toHaveLength(12);
    await redis.command('XTRIM', logOf(parent), 'MAXLEN', '2');
    await here.restart();

    const told = new Consumer(here.clients, name, 'ann');
    const compacted = await compaction(told);
    expect(told.texts()).toEqual([]);
    const elsewhere = new Consumer(there.clients, name, 'ann');
    await elsewhere.has(10);
    expect(elsewhere.texts()).toEqual(numbered(10));
    elsewhere.cancel();
    const skipping = new Consumer(here.clients, name, 'bob', { startRevision: compacted + 1n });
    await there.store(parent, { text: 'last' }, randomUUID());
    await skipping.until(() => skipping.texts().includes('last'));
    skipping.cancel();
  }, 240_000);

  it.each([
    ['broadcast', DeliveryMode.DELIVERY_MODE_BROADCAST],
    ['work queue', DeliveryMode.DELIVERY_MODE_WORK_QUEUE],
  ])(
    'a consumer (%s) that has acknowledged at another server what came before the end of the gap › goes on there with what comes next',
    async (_, mode) => {
      const [here, there] = [await start(redis.url), await start(redis.url)];
      const parent = freshNamespace();
      await there.store(parent, { text: 'before' }, randomUUID());
      const { subscriptions } = here.clients;
      const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work', subscription: { mode } });
      const { subscription } = await ask(subscriptions, subscriptions.createSubscription, request, DEADLINE);
      const name = subscription?.name ?? '';
      const acknowledgeAll = async (consumer: Consumer, count: number) => {
        await consumer.has(count);
        const last = consumer.changes().at(-1)?.revision ?? 0n;
        consumer.acknowledge(last);
        await consumer.until(({ acknowledgedRevision }) => acknowledgedRevision >= last);
        consumer.cancel();
      };
      await there.store(parent, { text: 'seen' }, randomUUID());
      await acknowledgeAll(new Consumer(here.clients, name, 'ann'), 1);
      await here.kill();
      for (const text of numbered(10)) await there.store(parent, { text }, randomUUID());
      const elsewhere = new Consumer(there.clients, name, 'ann');
      await acknowledgeAll(elsewhere, 10);
      expect(elsewhere.texts()).toEqual(numbered(10));
      await redis.command('XTRIM', logOf(parent), 'MAXLEN', '2');
      await here.restart();

      expect(await here.texts(parent)).toHaveLength(12);
      for (const text of ['next', 'last']) {
        await there.store(parent, { text }, randomUUID());
        const back = new Consumer(here.clients, name, 'ann');
        await acknowledgeAll(back, 1);
        expect(back.texts()).toEqual([text]);
      }
    },
    240_000,
  );

  it('a standing query opened after it › its state is what Recall answers at both', async () => {
    const [here, there] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    await there.store(parent, { text: 'a cello' }, randomUUID());
    expect(await here.texts(parent)).toEqual(['a cello']);
    await here.kill();
    for (const text of numbered(10)) await there.store(parent, { text: `cello ${text}` }, randomUUID());
    await redis.command('XTRIM', logOf(parent), 'MAXLEN', '2');
    await here.restart();
    const standing = new FollowedAnswer(here.clients, { parent, text: 'cello', limit: 20 });
    await standing.until(({ event }) => event?.$case === 'progress');
    expect(standing.names()).toHaveLength(11);
    const last = randomUUID();
    await there.store(parent, { text: 'one more cello' }, last);
    await standing.until(() => standing.names().includes(`${parent}/memories/${last}`));
    const expected = await recalledNames(here.clients, standing.query);
    await standing.until(() => JSON.stringify(standing.names()) === JSON.stringify(expected));
    standing.cancel();
    expect((await recalledNames(there.clients, standing.query)).toSorted()).toEqual(expected.toSorted());
  }, 240_000);
});

describe('two servers over a Redis cluster of six', () => {
  let cluster: RedisCluster;
  beforeEach(async () => {
    cluster = await RedisCluster.started({ nodeTimeoutMs: 15_000 });
  }, 240_000);
  afterEach(() => cluster.stop());

  it('changes in namespaces on different nodes › each server tells them in order, and goes on from the token of the other', async () => {
    const url = cluster.urls.slice(0, 2).join(',');
    const [one, two] = [await start(url), await start(url)];
    const parents = Array.from({ length: 6 }, freshNamespace);
    for (const parent of parents) {
      const id = randomUUID();
      await two.store(parent, { text: 'before' }, id);
      const first = await one.watch({ parent }).live();
      for (const text of numbered(10)) await two.store(parent, { text }, randomUUID());
      await first.has('n9');
      first.cancel();
      expect(first.texts()).toEqual(numbered(10));
      const { memories } = one.clients;
      await ask(
        memories,
        memories.deleteMemory,
        DeleteMemoryRequest.fromPartial({ name: `${parent}/memories/${id}` }),
        DEADLINE,
      );
      for (const text of numbered(5, 10)) await one.store(parent, { text }, randomUUID());
      const second = two.watch({ parent, resumeToken: first.token() });
      await second.has('n14');
      second.cancel();
      expect(second.changes().map(({ memory }) => memory?.text)).toEqual([undefined, ...numbered(5, 10)]);
      for (const replica of [one, two]) expect(await replica.texts(parent)).toEqual(numbered(15).sort());
    }
  }, 240_000);
});
