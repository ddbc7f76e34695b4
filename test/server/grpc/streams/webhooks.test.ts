import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { GetServerInfoRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import {
  CreateSubscriptionRequest,
  DeliveryMode,
  GetSubscriptionRequest,
  ListSubscriptionsRequest,
  ResumeWebhookRequest,
  RotateWebhookSecretRequest,
  WebhookState,
} from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { until } from '../../../support/redis-cluster.ts';
import { WebhookReceiver } from '../../../support/webhook-receiver.ts';
import { type AskOptions, ask, refusal } from '../support/ask.ts';
import { Identities } from '../support/identities.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

type Given = Parameters<typeof CreateSubscriptionRequest.fromPartial>[0]['subscription'];

let server: TestServer;
let receiver: WebhookReceiver;
beforeAll(async () => {
  server = await startTestServer({
    embedder: 'none',
    webhookHosts: '*,127.0.0.1',
    metricsListen: '127.0.0.1:0',
  });
});
beforeEach(async () => {
  receiver = await WebhookReceiver.started();
});
afterEach(() => receiver.close());
afterAll(() => server.stop());

async function create(parent: string, subscription: Given, at: TestServer = server, options: AskOptions = {}) {
  const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'hook', subscription });
  const answer = await ask(at.subscriptions, at.subscriptions.createSubscription, request, options);
  if (!answer.subscription) throw new Error('no subscription');
  return answer.subscription;
}

async function get(name: string) {
  const request = GetSubscriptionRequest.fromPartial({ name });
  const { subscription } = await ask(server.subscriptions, server.subscriptions.getSubscription, request);
  return subscription;
}

describe('webhooks', () => {
  it('created › every change is delivered, in order and signed, and the position is kept', async () => {
    const parent = freshNamespace();
    const webhook = { url: receiver.url, headers: { authorization: 'Bearer inner' } };
    const made = await create(parent, { webhook, filterText: 'type = "fact"' });
    for (const text of ['one', 'two', 'three']) await store(server, parent, { text, type: 'fact' });
    await store(server, parent, { text: 'of another type' });
    await receiver.until(() => receiver.texts().length === 3);
    expect(receiver.texts()).toEqual(['one', 'two', 'three']);
    const [first] = receiver.received;
    const headers = first?.headers as Record<string, string>;
    const body = new Verifier(made.webhook?.secret ?? '').verify(first?.body ?? '', headers);
    expect(body).toMatchObject({
      subscription: made.name,
      log: expect.any(String),
      changes: [{ kind: 'CHANGE_KIND_STORED', revision: expect.stringMatching(/^\d+$/), memory: { text: 'one' } }],
    });
    expect(headers['authorization']).toBe('Bearer inner');
    const revisions = receiver.received.flatMap((one) =>
      (JSON.parse(one.body) as { changes: { revision: string }[] }).changes.map(({ revision }) => BigInt(revision)),
    );
    const last = revisions.at(-1) ?? 0n;
    await until(
      'the position is kept',
      async () => ((await get(made.name))?.cursors[0]?.acknowledgedRevision ?? 0n) >= last,
    );
    expect((await get(made.name))?.cursors[0]?.consumer).toBe('');
  });

  it('read › without its secret and the values of its headers', async () => {
    const parent = freshNamespace();
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const made = await create(parent, { webhook: { url: receiver.url, headers: { 'x-key': 'inner' }, secret } });
    expect(made.webhook).toMatchObject({ url: receiver.url, secret, headers: { 'x-key': '' } });
    const list = ListSubscriptionsRequest.fromPartial({ parent });
    const { subscriptions } = await ask(server.subscriptions, server.subscriptions.listSubscriptions, list);
    const expected = { secret: '', headers: { 'x-key': '' }, state: WebhookState.WEBHOOK_STATE_ACTIVE };
    expect([subscriptions[0]?.webhook, (await get(made.name))?.webhook]).toMatchObject([expected, expected]);
  });

  it('secret rotated › both secrets sign for a while; repeated, the call returns the same secret', async () => {
    const parent = freshNamespace();
    const { name, webhook } = await create(parent, { webhook: { url: receiver.url } });
    const { subscriptions } = server;
    const rotate = RotateWebhookSecretRequest.fromPartial({ name, requestId: 'r1' });
    const { secret, formerSecretExpireTime } = await ask(subscriptions, subscriptions.rotateWebhookSecret, rotate);
    expect((await ask(subscriptions, subscriptions.rotateWebhookSecret, rotate)).secret).toBe(secret);
    const hours = (Number(formerSecretExpireTime?.seconds ?? 0) * 1000 - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    await store(server, parent, { text: 'one' });
    await receiver.until(({ length }) => length === 1);
    const [request] = receiver.received;
    for (const each of [secret, webhook?.secret ?? '']) {
      new Verifier(each).verify(request?.body ?? '', request?.headers as Record<string, string>);
    }
    const atOnce = RotateWebhookSecretRequest.fromPartial({ name, overlap: { seconds: 0n } });
    const second = await ask(subscriptions, subscriptions.rotateWebhookSecret, atOnce);
    expect(second.formerSecretExpireTime).toBeUndefined();
    await store(server, parent, { text: 'two' });
    await receiver.until(({ length }) => length === 2);
    expect(receiver.received[1]?.headers['webhook-signature']).not.toContain(' ');
  });

  it('an answer 410 › parked: said by reads, the server, its metrics and its log; resumed to another URL', async () => {
    const parent = freshNamespace();
    receiver.answer = (response, n) => void response.writeHead(n === 1 ? 410 : 200).end();
    const { name } = await create(parent, { webhook: { url: receiver.url } });
    await store(server, parent, { text: 'one' });
    await until('it is parked', async () => (await get(name))?.webhook?.state === WebhookState.WEBHOOK_STATE_PARKED);
    const { webhook } = (await get(name)) ?? {};
    expect(webhook).toMatchObject({ failure: 'answered with status 410', failureCount: 1, nextAttemptTime: undefined });
    const { admin } = server;
    const info = () => ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    await until('the server says so', async () => (await info()).degraded.includes('webhooks: 1 parked'));
    expect((await scrape(server)).get('mneme_webhooks{state="parked"}')).toBe(1);
    expect(server.log.some(({ msg }) => String(msg).startsWith('a webhook is parked'))).toBe(true);
    const { subscriptions } = server;
    const url = `${receiver.url}/other`;
    const resume = ResumeWebhookRequest.fromPartial({ name, url });
    const { subscription } = await ask(subscriptions, subscriptions.resumeWebhook, resume);
    expect(subscription?.webhook).toMatchObject({ url, state: WebhookState.WEBHOOK_STATE_ACTIVE, failure: '' });
    await receiver.until(({ length }) => length === 2);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook/other']);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
  });

  it('values out of range › are refused, each with its field', async () => {
    const parent = freshNamespace();
    const violations = async (subscription: Given) => (await refusal(create(parent, subscription))).fields;
    const { url } = receiver;
    const webhooks: [object, string][] = [
      [{ url: '' }, 'url'],
      [{ url: 'ftp://example.com/' }, 'url'],
      [{ url: 'https://a:b@example.com/' }, 'url'],
      [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'url'],
      [{ url: 'http://169.254.169.254/latest' }, 'url'],
      [{ url: 'http://[::1]/' }, 'url'],
      [{ url, secret: 'whsec_short' }, 'secret'],
      [{ url, headers: { host: 'x' } }, 'headers[host]'],
      [{ url, headers: { 'webhook-id': 'x' } }, 'headers[webhook-id]'],
      [{ url, headers: { 'a b': 'x' } }, 'headers'],
      [{ url, headers: { a: 'x\r\ny: z' } }, 'headers[a]'],
      [{ url, headers: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`h${n}`, ''])) }, 'headers'],
    ];
    for (const [webhook, field] of webhooks) {
      expect([webhook, await violations({ webhook })]).toEqual([webhook, [`subscription.webhook.${field}`]]);
    }
    const mode = DeliveryMode.DELIVERY_MODE_WORK_QUEUE;
    expect(await violations({ mode, webhook: { url } })).toEqual(['subscription.webhook']);
    const plain = await create(parent, {});
    const { subscriptions } = server;
    const request = ResumeWebhookRequest.fromPartial({ name: plain.name });
    const refused = await refusal(ask(subscriptions, subscriptions.resumeWebhook, request));
    expect([refused.fields, refused.message]).toEqual([['name'], expect.stringMatching(/has no webhook/)]);
  });

  it('an identity without the permission to read › makes and changes no webhook', async () => {
    const grant = (...verbs: string[]) => [{ namespaces: ['*'], verbs }];
    const identities = new Identities({ writer: grant('write'), both: grant('write', 'read') });
    const other = await startTestServer({ ...identities.flags, embedder: 'none' });
    try {
      const parent = freshNamespace();
      const webhook = { url: 'https://example.com/' };
      const asWriter = { metadata: identities.headers('writer') };
      const asBoth = { metadata: identities.headers('both') };
      const refused = await refusal(create(parent, { webhook }, other, asWriter));
      expect(refused.reason).toBe('PERMISSION_MISSING');
      const { name } = await create(parent, { webhook }, other, asBoth);
      const { subscriptions } = other;
      const resume = ResumeWebhookRequest.fromPartial({ name, url: 'https://example.org/' });
      const again = await refusal(ask(subscriptions, subscriptions.resumeWebhook, resume, asWriter));
      expect(again.reason).toBe('PERMISSION_MISSING');
    } finally {
      await other.stop();
      identities.remove();
    }
  });
});
