import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Change, ChangeKind as Kind } from '../../../gen/ts/mneme/v1/change.ts';
import {
  DeleteMemoryRequest,
  ListMemoriesRequest,
  UpdateMemoryRequest,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import {
  RecallEventKind,
  WatchMemoriesRequest,
  type WatchMemoriesResponse,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest, DeliveryMode } from '../../../gen/ts/mneme/v1/subscription_service.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { Consumer } from '../support/consumer.ts';
import { FollowedAnswer } from '../support/followed-answer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** Much lower than the usual delay of copies. */
const PROMPT_MS = 20_000;

let redis: RedisServer;
const servers: TestServer[] = [];
beforeEach(async () => {
  redis = await RedisServer.started();
});
afterEach(async () => {
  redis.thaw();
  for (const server of servers.splice(0)) await server.stop();
  await redis.stop();
});

/** Tests of the timeout set a short one; the others must not reach it on a busy machine. */
async function start(redisCommandTimeoutMs = '20000'): Promise<TestServer> {
  const flags = { embedder: 'none', redisCommandTimeoutMs, redisRetryMs: '50' };
  const server = await startTestServer({ redisShared: 'true', ...flags }, {}, { MNEME_REDIS_URL: redis.url });
  servers.push(server);
  return server;
}

type Asked = Parameters<typeof WatchMemoriesRequest.fromPartial>[0];
const watch = ({ recalls }: TestServer, asked: Asked) =>
  new FollowedStream(recalls.watchMemories(WatchMemoriesRequest.fromPartial(asked)));
const changesOf = ({ messages }: FollowedStream<WatchMemoriesResponse>): Change[] =>
  messages.flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []));
const textsOf = (stream: FollowedStream<WatchMemoriesResponse>) => changesOf(stream).map(({ memory }) => memory?.text);
const isLive = ({ event }: WatchMemoriesResponse) => event?.$case === 'progress';

describe('streams of a server with Redis', () => {
  it('Watch › yields every change in order and soon, without reads that copy', async () => {
    const server = await start();
    const parent = freshNamespace();
    const { name } = await store(server, parent, { text: 'before' });
    const stream = watch(server, { parent });
    await stream.until(isLive);
    for (let at = 0; at < 20; at++) await store(server, parent, { text: `${at}` });
    const { memories } = server;
    const changed = { memory: { name, text: 'after' }, updateMask: ['text'] };
    await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(changed));
    await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }));
    await stream.until(() => changesOf(stream).some(({ kind }) => kind === Kind.CHANGE_KIND_DELETED), PROMPT_MS);
    stream.cancel();

    const stored = changesOf(stream).filter(({ kind }) => kind === Kind.CHANGE_KIND_STORED);
    expect(stored.map(({ memory }) => memory?.text)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`));
    const revisions = changesOf(stream).map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((one, other) => Number(one - other)));
  });

  it('Watch from after the revision of a receipt, immediately › starts there, whatever other namespaces do', async () => {
    const server = await start();
    const [parent, other] = [freshNamespace(), freshNamespace()];
    await store(server, parent, { text: 'first' });
    for (let round = 0; round < 20; round++) {
      const [receipt] = await Promise.all([
        store(server, parent, { text: `receipt ${round}` }),
        store(server, other, { text: 'elsewhere' }),
      ]);
      const stream = watch(server, { parent, startRevision: receipt.revision + 1n });
      const { revision } = await store(server, parent, { text: `next ${round}` });
      await stream.until(() => textsOf(stream).includes(`next ${round}`), PROMPT_MS);
      stream.cancel();
      expect(changesOf(stream).at(-1)?.revision).toBeGreaterThanOrEqual(revision);
    }
  });

  it('Watch from after the revision of a list › yields all later changes', async () => {
    const server = await start();
    const [parent, other] = [freshNamespace(), freshNamespace()];
    await store(server, parent, { text: 'listed' });
    const { memories } = server;
    const stored = store(server, other, { text: 'elsewhere' });
    await Promise.all([stored, store(server, other, { text: 'elsewhere too' })]);
    const listed = await ask(memories, memories.listMemories, ListMemoriesRequest.fromPartial({ parent }));
    const stream = watch(server, { parent, startRevision: listed.revision + 1n });
    await store(server, parent, { text: 'later' });
    await stream.until(() => textsOf(stream).length > 0, PROMPT_MS);
    stream.cancel();

    expect(textsOf(stream)).toEqual(['later']);
  });

  it('Watch, unassigned revision › REVISION_AHEAD', async () => {
    const server = await start();
    const parent = freshNamespace();
    const { revision } = await store(server, parent, { text: 'x' });
    const end = await watch(server, { parent, startRevision: revision + 1000n }).outcome();

    expect(end === true ? undefined : refusalOf(end).reason).toBe('REVISION_AHEAD');
  });

  it('Subscribe and a durable subscription › are notified soon, of each change once and in order', async () => {
    const server = await start();
    const parent = freshNamespace();
    await store(server, parent, { text: 'a cello' });
    const { subscriptions } = server;
    const mode = DeliveryMode.DELIVERY_MODE_BROADCAST;
    const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 's', subscription: { mode } });
    const { subscription } = await ask(subscriptions, subscriptions.createSubscription, request);
    const consumer = new Consumer(server, subscription?.name ?? '', 'c');
    const standing = new FollowedAnswer(server, { parent, text: 'cello' });
    await standing.until(({ event }) => event?.$case === 'progress');
    const { name } = await store(server, parent, { text: 'another cello' });
    await standing.until(
      ({ event }) =>
        event?.$case === 'batch' &&
        event.value.events.some(
          ({ kind, hit }) => kind === RecallEventKind.RECALL_EVENT_KIND_ENTER && hit?.memory?.name === name,
        ),
      PROMPT_MS,
    );
    await store(server, parent, { text: 'a third' });
    await consumer.until(() => consumer.changes().length >= 2, PROMPT_MS);
    standing.cancel();
    consumer.cancel();

    expect(consumer.texts()).toEqual(['another cello', 'a third']);
  });

  it('another server stores into the namespace › the watcher here is notified soon', async () => {
    const [here, there] = [await start(), await start()];
    const parent = freshNamespace();
    for (const server of [here, there]) await store(server, parent, { text: 'x' });
    const stream = watch(here, { parent });
    await stream.until(isLive);
    await store(there, parent, { text: 'from there' });
    await stream.until(() => textsOf(stream).includes('from there'), PROMPT_MS);
    stream.cancel();
  });

  it('Redis frozen for a while › accepted writes are reported when it continues, without a request', async () => {
    const server = await start('3000');
    const parent = freshNamespace();
    await store(server, parent, { text: 'x' });
    const stream = watch(server, { parent });
    await stream.until(isLive);
    redis.freeze();
    await expect(store(server, parent, { text: 'y' })).rejects.toThrow();
    redis.thaw();
    await stream.until(() => textsOf(stream).includes('y'), PROMPT_MS);
    stream.cancel();
    const failures = server.log.filter(({ msg }) => String(msg).includes('could not be copied'));

    expect(failures.length).toBeLessThan(3);
  });
});
