import { afterEach, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest, UpdateConfigRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest, GetSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { systemClock } from '../../../../src/memory/clock.ts';
import { TestEmbedder } from '../../operations/support.ts';
import { ask, refusal } from '../support/ask.ts';
import { Consumer } from '../support/consumer.ts';
import { expire, freshNamespace, get, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer | undefined;
afterEach(() => mneme?.stop());

/** Asks until the answer is as hoped for; the test's own time limit ends it otherwise. */
async function until<T>(look: () => Promise<T>, isHoped: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await look();
    if (isHoped(answer)) return answer;
  }
}

describe('the embedding job', () => {
  it('when the embedder fails and comes back › the memory is found by its words at once and has its vector later', async () => {
    const embedder = new TestEmbedder();
    embedder.down = true;
    const server = await startTestServer({ embeddingIntervalMs: '100', logLevel: 'info' }, { embedder });
    mneme = server;
    const parent = freshNamespace();
    const { name, embeddingPending } = await store(server, parent, { text: 'a cello' });
    const info = () => ask(server.admin, server.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'cello' });

    expect(embeddingPending).toBe(true);
    const { hits } = await ask(server.recalls, server.recalls.recall, request);
    expect(hits.map(({ memory }) => memory?.name)).toEqual([name]);
    const { degraded } = await until(info, (answer) => answer.degraded.length > 0);
    expect(degraded).toEqual([
      expect.stringMatching(
        /^embedder: the embedder is down \(since 20.*Z\); memories are stored and found by their words, and get their vectors later$/,
      ),
    ]);

    embedder.down = false;
    const memory = await until(
      () => get(server, name),
      ({ embedding }) => embedding !== undefined,
    );
    expect(memory.embedding?.model).toBe('test');
    expect((await until(info, (answer) => answer.degraded.length === 0)).degraded).toEqual([]);
    expect(server.log.map(({ msg }) => msg)).toEqual(['the embedder does not answer', 'the embedder works again']);
  });
});

describe('the expiry job', () => {
  it('when the time of a memory has come › it is not there at once, and erased soon after', async () => {
    const server = await startTestServer({ expiryIntervalMs: '100' });
    mneme = server;
    const parent = freshNamespace();
    const { name } = await store(server, parent, { text: 'x' });
    await expire(server, name);

    expect(await refusal(get(server, name))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    const namespace = parent.slice('namespaces/'.length);
    const statistics = () => server.storage.view.statistics(namespace);
    expect((await until(statistics, ({ memoryCount }) => memoryCount === 0)).memoryCount).toBe(0);
  });
});

describe('the maintenance job', () => {
  it.each([
    ['at its interval', { maintenanceIntervalMs: '100', tierLimitIntervalMs: '3600000' }],
    ['long before its interval', { maintenanceIntervalMs: '3600000', tierLimitIntervalMs: '100' }],
  ])('when a tier exceeds its limit › the excess moves to the next lower tier soon after, %s', async (_, flags) => {
    const server = await startTestServer(flags);
    mneme = server;
    const request = UpdateConfigRequest.fromPartial({ settings: { 'short_term.memory_limit': '1' } });
    await ask(server.admin, server.admin.updateConfig, request);
    const parent = freshNamespace();
    for (const text of ['x', 'y', 'z']) await store(server, parent, { text });

    const namespace = parent.slice('namespaces/'.length);
    const counts = () => server.storage.view.count({ namespace, nowUs: 0 });
    const settled = await until(counts, (tiers) => tiers.get('intermediate') === 2);
    expect([...settled]).toEqual([
      ['short_term', 1],
      ['intermediate', 2],
    ]);
  });
});

describe('the job that keeps the change log', () => {
  it('a consumer is not seen for longer than its subscription keeps it › is forgotten, and begins where the subscription does', async () => {
    const clock = { aheadUs: 0, nowUs: () => systemClock.nowUs() + clock.aheadUs };
    const server = await startTestServer({ embedder: 'none', logCompactionIntervalMs: '100' }, { clock });
    mneme = server;
    const parent = freshNamespace();
    await store(server, parent, { text: 'before' });
    const { subscriptions } = server;
    const subscription = { consumerTtl: { seconds: 60n } };
    const asked = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 's', subscription });
    await ask(subscriptions, subscriptions.createSubscription, asked);
    const name = `${parent}/subscriptions/s`;
    const { revision } = await store(server, parent, { text: 'one' });
    const acknowledged = async (consumer: Consumer) => {
      await consumer.has(1);
      consumer.acknowledge(revision);
      await consumer.until(({ acknowledgedRevision }) => acknowledgedRevision >= revision);
      return consumer;
    };
    const [dead, living] = await Promise.all(
      ['dead', 'living'].map((consumer) => acknowledged(new Consumer(server, name, consumer))),
    );
    dead?.cancel();
    const consumers = async () => {
      const read = GetSubscriptionRequest.fromPartial({ name });
      const answer = await ask(subscriptions, subscriptions.getSubscription, read);
      return answer.subscription?.cursors.map(({ consumer }) => consumer);
    };
    const info = () => ask(server.admin, server.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    await until(info, ({ streams }) => streams?.consumerCount === 1);
    expect(await consumers()).toEqual(['dead', 'living']);

    clock.aheadUs += 61_000_000;
    expect(await until(consumers, (left) => left?.length === 1)).toEqual(['living']);
    living?.cancel();
    const again = new Consumer(server, name, 'dead');
    await again.has(1);
    expect(again.texts()).toEqual(['one']);
    again.cancel();
  });
});
