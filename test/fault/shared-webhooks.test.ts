import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CreateSubscriptionRequest } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { scrape } from '../server/grpc/support/scrape.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

let postgres: PostgresServer;
let receiver: WebhookReceiver;
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  receiver = await WebhookReceiver.started();
});
afterAll(async () => {
  await receiver.close();
  await postgres.stop();
  postgres.remove();
});

const attempts = async (mneme: TestServer) =>
  (await scrape(mneme)).get('mneme_webhook_attempts_total{outcome="delivered"}') ?? 0;

test('Webhook: two servers that share PostgreSQL › one of them delivers; when it stops, the other continues after the position', async () => {
  const env = { MNEME_POSTGRES_URL: postgres.url, MNEME_POSTGRES_SCHEMA: 'webhooks' };
  const flags = { embedder: 'none', webhookHosts: '127.0.0.1', metricsListen: '127.0.0.1:0' };
  const one = await startTestServer(flags, {}, env);
  const two = await startTestServer(flags, {}, env);
  let isStopped = false;
  try {
    const parent = freshNamespace();
    const request = CreateSubscriptionRequest.fromPartial({
      parent,
      subscriptionId: 'hook',
      subscription: { webhook: { url: receiver.url } },
    });
    await ask(one.subscriptions, one.subscriptions.createSubscription, request);
    for (const [at, text] of [[one, 'a'] as const, [two, 'b'] as const, [one, 'c'] as const]) {
      await store(at, parent, { text });
    }
    await receiver.until(() => receiver.texts().includes('c'));
    expect(receiver.texts().filter((text) => text !== '')).toEqual(['a', 'b', 'c']);
    const byTwo = await attempts(two);
    const [deliverer, other] = byTwo > 0 ? [two, one] : [one, two];
    expect(await attempts(other)).toBe(0);
    await deliverer.stop();
    isStopped = true;
    await store(other, parent, { text: 'd' });
    await receiver.until(() => receiver.texts().includes('d'));
    expect(receiver.texts().filter((text) => text !== '')).toEqual(['a', 'b', 'c', 'd']);
    await other.stop();
  } finally {
    if (!isStopped) await Promise.all([one.stop(), two.stop()]);
  }
}, 120_000);
