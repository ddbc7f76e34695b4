import { once } from 'node:events';
import { setTimeout as nextTick } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { credentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { negate, where } from '../../../../clients/typescript/src/index.ts';
import { GetServerStatisticsRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import {
  SubscribeRecallRequest,
  WatchMemoriesRequest,
  type WatchMemoriesResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import {
  ConsumeSubscriptionRequest,
  CreateSubscriptionRequest,
  DeliveryMode,
} from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { reusedThreads } from '../../../support/reused-threads.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { Consumer } from '../support/consumer.ts';
import { FollowedAnswer, recalledNames } from '../support/followed-answer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { connect, startTestServer, type TestServer } from '../support/test-server.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start(
  flags: Record<string, string> = {},
  overrides: Parameters<typeof startTestServer>[1] = {},
): Promise<TestServer> {
  const server = await startTestServer({ embedder: 'none', ...flags }, overrides);
  servers.push(server);
  return server;
}

async function subscription({ subscriptions }: TestServer, parent: string, mode: DeliveryMode): Promise<string> {
  const fields = { mode, ackDeadline: { seconds: 30n } };
  const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work', subscription: fields });
  return (await ask(subscriptions, subscriptions.createSubscription, request)).subscription?.name ?? '';
}

/** Lets the server notice that a reader stalls, without reading. */
async function untilSlow(server: TestServer): Promise<void> {
  while (!server.log.some(({ status }) => status === 'RESOURCE_EXHAUSTED')) await nextTick(10);
}

const reasonOf = (end: Awaited<ReturnType<FollowedStream<unknown>['outcome']>>) =>
  end === true ? 'OK' : refusalOf(end).reason;

describe('a reader that stalls', () => {
  it('of a standing query › ends with SLOW_CONSUMER and a token that leads on', async () => {
    const server = await start({ maxStreamStallMs: '4000' });
    const parent = freshNamespace();
    for (let at = 0; at < 100; at++) await store(server, parent, { text: `cello ${at} ${'x'.repeat(60_000)}` });
    const query = { parent, text: 'cello', limit: 100, minRelevance: 0 };
    const slow = server.recalls.subscribeRecall(SubscribeRecallRequest.fromPartial({ query, maxBatchEvents: 1 }));
    await once(slow, 'data');
    slow.pause();
    const failed = new Promise<unknown>((resolve) => slow.once('error', resolve));
    await untilSlow(server);
    slow.resume();
    const { reason, metadata } = refusalOf((await failed) as never);
    expect(reason).toBe('SLOW_CONSUMER');
    const resumeToken = metadata['resume_token'] ?? '';
    const next = new FollowedStream(
      server.recalls.subscribeRecall(SubscribeRecallRequest.fromPartial({ query, resumeToken })),
    );
    await next.until(({ event }) => event?.$case === 'progress');
    next.cancel();
  }, 240_000);

  it('of a work queue › ends with SLOW_CONSUMER, and its changes go to another', async () => {
    const server = await start({ maxStreamStallMs: '4000' });
    const parent = freshNamespace();
    await store(server, parent, { text: 'before' });
    const name = await subscription(server, parent, DeliveryMode.DELIVERY_MODE_WORK_QUEUE);
    // On a separate connection: unread data takes flow-control window from all streams of a connection.
    const far = connect(server.address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
    const slow = far.subscriptions.consumeSubscription();
    slow.on('error', () => undefined);
    slow.write(
      ConsumeSubscriptionRequest.fromPartial({ request: { $case: 'start', value: { name, consumer: 'slow' } } }),
    );
    await once(slow, 'data');
    slow.pause();
    const text = 'x'.repeat(60_000);
    for (let at = 0; at < 15; at++)
      await Promise.all(Array.from({ length: 20 }, () => store(server, parent, { text })));
    await untilSlow(server);
    const quick = new Consumer(server, name, 'quick', { maxOutstanding: 10_000 });
    for (let count = 1; count <= 300; count = quick.changes().length + 1) {
      await quick.has(count);
      quick.acknowledge(quick.changes().at(-1)?.revision ?? 0n);
    }
    expect(quick.texts().every((each) => each === text)).toBe(true);
    for (const stream of [slow, quick]) stream.cancel();
    far.close();
  }, 240_000);
});

describe('many streams', () => {
  it('more standing queries of one caller than it may have › refused, and the others go on', async () => {
    const server = await start({ maxStreamsPerCaller: '40' });
    const parent = freshNamespace();
    await store(server, parent, { text: 'x' });
    const query = { parent, text: 'x' };
    const open = Array.from({ length: 40 }, () => new FollowedAnswer(server, query));
    for (const stream of open) await stream.until(({ event }) => event?.$case === 'progress');
    expect(reasonOf(await new FollowedAnswer(server, query).outcome())).toBe('TOO_MANY_STREAMS');
    const { admin } = server;
    const { streams } = await ask(admin, admin.getServerStatistics, GetServerStatisticsRequest.fromPartial({}));
    expect(streams).toMatchObject({ open: [{ kind: 'subscribe', count: 40 }], standingQueryCount: 40 });
    const { revision } = await store(server, parent, { text: 'x again' });
    for (const stream of open) expect(await stream.at(revision)).toHaveLength(2);
    for (const stream of open) stream.cancel();
  }, 240_000);

  it.each([
    ['Consume', ({ subscriptions }: TestServer) => subscriptions.consumeSubscription()],
    ['Ingest', ({ ingests }: TestServer) => ingests.ingestMemories()],
  ] as const)(
    '%s whose caller says nothing › counts as one of its streams, and does not stay',
    async (_, open) => {
      const server = await start({ maxStreamsPerCaller: '3', maxStreamStallMs: '5000' });
      const silent = Array.from({ length: 4 }, () => new FollowedStream<unknown>(open(server)));
      const ends = (await Promise.all(silent.map((stream) => stream.outcome()))).map(reasonOf);
      expect(ends.toSorted()).toEqual([...Array.from({ length: 3 }, () => 'FIELD_INVALID'), 'TOO_MANY_STREAMS']);
      // A stream has ended, so another one is admitted.
      const parent = freshNamespace();
      await store(server, parent, { text: 'x' });
      const answer = new FollowedAnswer(server, { parent, text: 'x' });
      await answer.until(({ event }) => event?.$case === 'progress');
      answer.cancel();
    },
    240_000,
  );

  it('filters that match everything › each state equals the answer of Recall', async () => {
    const server = await start();
    const parent = freshNamespace();
    await store(server, parent, { text: '0' });
    const filter = negate(where.type.equals('nothing'));
    const queries = [
      { parent, filter, limit: 50 },
      { parent, text: 'memory', filter, limit: 50 },
    ];
    const open = Array.from({ length: 30 }, (_, at) => new FollowedAnswer(server, queries[at % 2] ?? {}));
    for (const stream of open) await stream.until(({ event }) => event?.$case === 'progress');
    let newest = 0n;
    for (let at = 1; at < 40; at++) newest = (await store(server, parent, { text: `memory ${at}` })).revision;
    for (const stream of open) {
      expect(await stream.at(newest)).toEqual(await recalledNames(server, stream.query));
      stream.cancel();
    }
  }, 240_000);
});

describe('consumers of a work queue', () => {
  it('a connected consumer that does not acknowledge in time › its changes go to another', async () => {
    let nowUs = 1_800_000_000_000_000;
    const server = await start({}, { clock: { nowUs: () => nowUs } });
    const parent = freshNamespace();
    await store(server, parent, { text: 'before' });
    const name = await subscription(server, parent, DeliveryMode.DELIVERY_MODE_WORK_QUEUE);
    const dead = new Consumer(server, name, 'dead', { maxOutstanding: 2 });
    for (const text of ['1', '2']) await store(server, parent, { text });
    await dead.has(2);
    const living = new Consumer(server, name, 'living');
    await living.until(({ event }) => event?.$case === 'created');
    nowUs += 29_000_000;
    await store(server, parent, { text: '3' });
    await living.has(1);
    expect(living.texts()).toEqual(['3']);
    nowUs += 2_000_000;
    await store(server, parent, { text: '4' });
    await living.has(4);
    expect(living.texts().toSorted()).toEqual(['1', '2', '3', '4']);
    for (const consumer of [dead, living]) consumer.cancel();
  });

  it('begun at a revision of the future › REVISION_AHEAD', async () => {
    const server = await start();
    const parent = freshNamespace();
    const { revision } = await store(server, parent, { text: 'x' });
    const name = await subscription(server, parent, DeliveryMode.DELIVERY_MODE_BROADCAST);
    const end = await new Consumer(server, name, 'a', { startRevision: revision + 1000n }).outcome();
    expect(reasonOf(end)).toBe('REVISION_AHEAD');
  });
});

describe('parts that end', () => {
  it('the search thread dies while queries stand › they reach the answer of Recall, or end with UNAVAILABLE', async () => {
    const { writer, search } = reusedThreads();
    let worker: Worker | undefined;
    const take = () => {
      worker = search.take();
      return worker;
    };
    const server = await start(
      {},
      { threads: { writer, search: { take, giveBack: (closed) => search.giveBack(closed) } } },
    );
    const parent = freshNamespace();
    await store(server, parent, { text: 'cello 0' });
    const open = Array.from({ length: 5 }, () => new FollowedAnswer(server, { parent, text: 'cello', limit: 20 }));
    for (const stream of open) await stream.until(({ event }) => event?.$case === 'progress');
    await worker?.terminate();
    await store(server, parent, { text: 'cello 1' });
    const { revision } = await store(server, parent, { text: 'cello 2' });
    for (const stream of open) {
      const came = await stream.at(revision).catch(() => undefined);
      if (came) expect(came).toEqual(await recalledNames(server, stream.query));
      else expect(reasonOf(await stream.outcome())).toBe('STORAGE_UNAVAILABLE');
      stream.cancel();
    }
    const next = new FollowedAnswer(server, { parent, text: 'cello', limit: 20 });
    expect(await next.at(revision)).toHaveLength(3);
    next.cancel();
  }, 240_000);

  it('the server stops with streams of every kind open, some never read › they end, and it stops in bounded time', async () => {
    const server = await start({ shutdownGraceMs: '5000' });
    const parent = freshNamespace();
    await store(server, parent, { text: 'x' });
    const name = await subscription(server, parent, DeliveryMode.DELIVERY_MODE_BROADCAST);
    const consumer = new Consumer(server, name, 'a');
    await consumer.until(({ event }) => event?.$case === 'created');
    const text = 'x'.repeat(60_000);
    for (let at = 0; at < 60; at++) await store(server, parent, { text });
    const unread = server.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent, startRevision: 1n }));
    unread.on('error', () => undefined);
    await once(unread, 'metadata');
    const ingest = server.ingests.ingestMemories();
    ingest.on('error', () => undefined).resume();
    await once(ingest, 'metadata');
    const startedAtMs = performance.now();
    await server.server.stop();
    // Farewell and grace period, with a margin for a busy machine.
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    expect(reasonOf(await consumer.outcome())).toBe('DRAINING');
    for (const stream of [unread, ingest]) stream.cancel();
  }, 240_000);

  it('a token of the watch of another server › REVISION_COMPACTED: list and go on', async () => {
    const [one, two] = [await start(), await start()];
    const parent = freshNamespace();
    for (const server of [one, two]) await store(server, parent, { text: 'x' });
    const watch = (server: TestServer, resumeToken?: string) =>
      new FollowedStream<WatchMemoriesResponse>(
        server.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent, ...(resumeToken && { resumeToken }) })),
      );
    const first = watch(one);
    const { resumeToken } = await first.until(({ event }) => event?.$case === 'progress');
    first.cancel();
    expect(reasonOf(await watch(two, resumeToken).outcome())).toBe('REVISION_COMPACTED');
  });
});
