import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CreateSubscriptionRequest } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { connect } from '../server/grpc/support/test-server.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

test('Webhook: the server is killed between the answer and the stored position › the change is sent again, and none is skipped', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mneme-webhook-'));
  const receiver = await WebhookReceiver.started();
  const flags = ['--webhook-hosts', '127.0.0.1'];
  let server = await startMneme({ data, flags });
  const clients = connect(server.address);
  try {
    const parent = freshNamespace();
    const { subscriptions } = clients;
    const subscription = { webhook: { url: receiver.url } };
    const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'hook', subscription });
    await ask(subscriptions, subscriptions.createSubscription, request);
    await store(clients, parent, { text: 'one' });
    await receiver.until(() => receiver.texts().includes('one'));
    // The server is dead before it can read the answer.
    receiver.answer = (response) => {
      process.kill(server.pid, 'SIGKILL');
      response.writeHead(200).end();
    };
    const stored = store(clients, parent, { text: 'two' }).catch(() => undefined);
    await receiver.until(() => receiver.texts().includes('two'));
    await stored;
    await server.stop('SIGKILL');
    const before = receiver.received.length;
    receiver.answer = (response) => void response.writeHead(200).end();
    server = await startMneme({ data, flags });
    await receiver.until(({ length }) => length > before);
    const again = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
    expect(receiver.received.slice(0, before).map(({ headers }) => headers['webhook-id'])).toContain(again[0]);
    const after = connect(server.address);
    await store(after, parent, { text: 'three' });
    await receiver.until(() => receiver.texts().includes('three'));
    after.close();
    expect(receiver.texts().filter((text, at, all) => text !== '' && all.indexOf(text) === at)).toEqual([
      'one',
      'two',
      'three',
    ]);
  } finally {
    clients.close();
    await server.stop('SIGKILL');
    await receiver.close();
    await rm(data, { recursive: true, force: true });
  }
}, 240_000);
