import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { GetServerStatisticsRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { WatchMemoriesRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest, DeliveryMode } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { Consumer } from '../server/grpc/support/consumer.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { connect as connectStubs, startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { type Link, openLink } from '../support/link.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Starts a server behind a network link that the test can break. */
async function start(flags: Record<string, string> = {}): Promise<{ server: TestServer; link: Link }> {
  const server = await startTestServer({ embedder: 'none', ...flags });
  closing.push(() => server.stop());
  const link = await openLink(() => server.address);
  closing.push(() => link.stop());
  return { server, link };
}

async function streamsOf({ admin }: TestServer): Promise<Record<string, number>> {
  const { streams } = await ask(admin, admin.getServerStatistics, GetServerStatisticsRequest.fromPartial({}));
  return Object.fromEntries((streams?.open ?? []).map(({ kind, count }) => [kind, count]));
}

/** Waits until exactly these streams are open. */
async function untilOpen(server: TestServer, counts: Record<string, number>): Promise<void> {
  while (!isDeepStrictEqual(await streamsOf(server), counts)) await new Promise(setImmediate);
}
const untilNoStreams = (server: TestServer) => untilOpen(server, {});

describe('a connection whose peer vanishes', () => {
  it('without a stop › keepalive ends it, and its work goes to another consumer', async () => {
    const { server, link } = await start({ keepaliveTimeMs: '1000', keepaliveTimeoutMs: '8000' });
    const parent = freshNamespace();
    await store(server, parent, { text: 'before' });
    const { subscriptions } = server;
    // Without detecting the broken connection the work would not be redelivered for an hour.
    const subscription = { mode: DeliveryMode.DELIVERY_MODE_WORK_QUEUE, ackDeadline: { seconds: 3600n } };
    const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work', subscription });
    const name = (await ask(subscriptions, subscriptions.createSubscription, request)).subscription?.name ?? '';
    const far = connectStubs(link.address);
    closing.push(() => far.close());
    const vanishing = new Consumer(far, name, 'vanishing');
    for (const text of ['1', '2', '3']) await store(server, parent, { text });
    await vanishing.has(3);
    const staying = new Consumer(server, name, 'staying');
    await staying.until(({ event }) => event?.$case === 'created');
    await untilOpen(server, { consume: 2 });
    link.freeze();
    await staying.has(3);
    expect(staying.texts()).toEqual(['1', '2', '3']);
    await untilOpen(server, { consume: 1 });
    staying.cancel();
    vanishing.cancel();
    await untilNoStreams(server);
  }, 240_000);

  it('during a stop › the server stops long before keepalive, with and without open streams', async () => {
    const { server, link } = await start({ keepaliveTimeMs: '3600000', shutdownGraceMs: '1000' });
    const parent = freshNamespace();
    await store(server, parent, { text: 'before' });
    const [watching, idle] = [connectStubs(link.address), connectStubs(link.address)];
    for (const far of [watching, idle]) closing.push(() => far.close());
    const watch = watching.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent }));
    watch.on('error', () => undefined);
    await once(watch, 'data');
    await store(idle, parent, { text: 'nothing after this' });
    link.freeze();
    await server.server.stop();
    watch.cancel();
  }, 60_000);
});

describe('a connection that is reset', () => {
  async function client(link: Link): Promise<Mneme> {
    const mneme = connect(link.address, { ...PATIENT_CLIENT, namespace: `n-${randomUUID()}` });
    closing.push(() => mneme.close());
    await mneme.store({ text: 'before' });
    return mneme;
  }

  it('during an ingest › every memory is stored once', async () => {
    const { server, link } = await start();
    const mneme = await client(link);
    const total = 2000;
    let resets = 0;
    async function* source() {
      for (let at = 1; at <= total; at++) {
        yield { text: `${at}` };
        if (at % 64 === 0) await new Promise(setImmediate);
      }
    }
    for await (const { acknowledgedSequence } of mneme.ingest(source())) {
      if (acknowledgedSequence > 250 * (resets + 1) && acknowledgedSequence < total && resets < 4) {
        resets++;
        link.reset();
      }
    }
    const texts: string[] = [];
    for await (const { text } of mneme.list({ order: 'create_time_asc' })) texts.push(text);
    expect(texts.filter((text) => text !== 'before').toSorted((one, other) => Number(one) - Number(other))).toEqual(
      Array.from({ length: total }, (_, at) => `${at + 1}`),
    );
    expect(resets).toBeGreaterThan(0);
    await untilNoStreams(server);
  }, 240_000);

  it('during many calls at once › every call is answered, and every write has one effect', async () => {
    const { server, link } = await start();
    const mneme = await client(link);
    const texts = Array.from({ length: 300 }, (_, at) => `${at}`).values();
    const storeInTurn = async () => {
      for (const text of texts) {
        if (Number(text) % 75 === 40) link.reset();
        await mneme.store({ id: `m${text}`, text });
      }
    };
    await Promise.all(Array.from({ length: 8 }, storeInTurn));
    let count = 0;
    for await (const _ of mneme.list()) count++;
    expect(count).toBe(301);
    await untilNoStreams(server);
  }, 240_000);

  it('during consuming › each change is delivered until it is acknowledged, in order', async () => {
    const { server, link } = await start();
    const mneme = await client(link);
    await mneme.subscriptions.create('s');
    const worked: string[] = [];
    const deliveries = mneme.subscriptions.consume('s', 'ann');
    for (let at = 0; at < 60; at++) await mneme.store({ text: `${at}` });
    for await (const { memory, acknowledge } of deliveries) {
      acknowledge();
      worked.push(memory?.text ?? '');
      if (worked.length % 20 === 10) link.reset();
      if (worked.length === 60) break;
    }
    expect(worked).toEqual(Array.from({ length: 60 }, (_, at) => `${at}`));
    await untilNoStreams(server);
  }, 240_000);
});
