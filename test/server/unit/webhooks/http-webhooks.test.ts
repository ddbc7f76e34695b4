import type { LookupAddress } from 'node:dns';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { systemClock } from '../../../../src/memory/clock.ts';
import { HttpWebhooks } from '../../../../src/server/webhooks/http-webhooks.ts';
import { WebhookHosts } from '../../../../src/server/webhooks/webhook-hosts.ts';
import { isWebhookSecret, newWebhookSecret } from '../../../../src/server/webhooks/webhook-signature.ts';
import { ManualTimers } from '../../../support/manual-timers.ts';
import { WebhookReceiver } from '../../../support/webhook-receiver.ts';

const MESSAGE = { id: 'msg_1', body: Buffer.from('{"text":"é"}') };

let receiver: WebhookReceiver;
let timers: ManualTimers;
const senders: HttpWebhooks[] = [];
beforeEach(async () => {
  receiver = await WebhookReceiver.started();
  timers = new ManualTimers();
});
afterEach(async () => {
  for (const sender of senders.splice(0)) sender.close();
  await receiver.close();
});

/** `addresses`: what each look-up of a name finds, one after the other. */
function send(hosts: string, url: string, more: object = {}, addresses: string[][] = []) {
  const resolve = ((_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) => {
    const found = addresses.length > 1 ? addresses.shift() : addresses[0];
    done(
      null,
      (found ?? []).map((address) => ({ address, family: 4 })),
    );
  }) as never;
  const options = { hosts: new WebhookHosts(hosts), clock: systemClock, timers, userAgent: 'mneme/test' };
  const sender = new HttpWebhooks({ ...options, ...(addresses.length > 0 && { resolve }) });
  senders.push(sender);
  const webhook = { url, headers: { authorization: 'Bearer x' }, secret: newWebhookSecret(), version: 1, ...more };
  return { webhook, outcome: sender.send(webhook, MESSAGE, new AbortController().signal) };
}

const LOOPBACK = '127.0.0.0/8';

describe('requests to webhooks', () => {
  it('a request › is signed as Standard Webhooks defines it, by each valid secret, with the headers of the webhook', async () => {
    const former = { secret: newWebhookSecret(), expiresAtUs: systemClock.nowUs() + 60_000_000 };
    const expired = { secret: newWebhookSecret(), expiresAtUs: systemClock.nowUs() - 1 };
    const { webhook, outcome } = send(LOOPBACK, receiver.url, { formerSecret: former });
    expect(await outcome).toEqual({});
    const [request] = receiver.received;
    const headers = request?.headers as Record<string, string>;
    for (const secret of [webhook.secret, former.secret]) {
      expect(new Verifier(secret).verify(request?.body ?? '', headers)).toEqual({ text: 'é' });
    }
    expect(() => new Verifier(newWebhookSecret()).verify(request?.body ?? '', headers)).toThrow(/signature/);
    expect(headers).toMatchObject({
      authorization: 'Bearer x',
      'content-type': 'application/json',
      'user-agent': 'mneme/test',
      'webhook-id': 'msg_1',
    });
    await send(LOOPBACK, receiver.url, { formerSecret: expired }).outcome;
    expect(receiver.received[1]?.headers['webhook-signature']).toMatch(/^v1,[\w+/]+=*$/);
  });

  it('secrets › 24 to 64 bytes in base64', () => {
    const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
    expect([of(24), of(64), newWebhookSecret()].filter((text) => !isWebhookSecret(text))).toEqual([]);
    const wrong = [of(23), of(65), 'whsec_', of(24).slice(6), `${of(24)} `, of(32).replace('B', '-'), `${of(24)}=`];
    expect(wrong.filter(isWebhookSecret)).toEqual([]);
  });

  it('answers › the reason for each failure, without what the answer says', async () => {
    const answers: [number, Record<string, string>, object][] = [
      [500, {}, { failure: 'answered with status 500' }],
      [302, { location: receiver.url }, { failure: 'answered with status 302: redirects are not followed' }],
      [410, {}, { failure: 'answered with status 410', isGone: true }],
      [503, { 'retry-after': '120' }, { failure: 'answered with status 503', retryAfterMs: 120_000 }],
      [429, { 'retry-after': '999999999' }, { failure: 'answered with status 429', retryAfterMs: 86_400_000 }],
      [503, { 'retry-after': 'soon' }, { failure: 'answered with status 503' }],
      [
        503,
        { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' },
        { failure: 'answered with status 503', retryAfterMs: 0 },
      ],
    ];
    receiver.answer = (response, n) => {
      const [status, headers] = answers[n - 1] ?? [200, {}];
      response.writeHead(status, headers).end('secret of the inner network');
    };
    for (const [, , expected] of answers) expect(await send(LOOPBACK, receiver.url).outcome).toEqual(expected);
    expect(receiver.received).toHaveLength(answers.length);
  });

  it('no answer › fails after 15 s', async () => {
    receiver.answer = () => undefined;
    const { outcome } = send(LOOPBACK, receiver.url);
    await receiver.until(({ length }) => length === 1);
    timers.advance(15_000);
    expect(await outcome).toEqual({ failure: 'no answer within 15 s' });
  });

  it('an answer without an end › its status counts, and its connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    receiver.answer = (response) => {
      response.on('close', closed.resolve);
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    };
    expect(await send(LOOPBACK, receiver.url).outcome).toEqual({});
    await closed.promise;
  });

  it('a refused connection › fails with its reason', async () => {
    const { url } = receiver;
    await receiver.close();
    expect((await send(LOOPBACK, url).outcome).failure).toMatch(/ECONNREFUSED/);
    receiver = await WebhookReceiver.started();
  });

  it('private addresses › are never connected to, whatever a name resolves to and however often it changes', async () => {
    const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
    for (const found of [['127.0.0.1'], ['10.0.0.1', '127.0.0.1']]) {
      expect((await send('*', url, {}, [found]).outcome).failure).toMatch(/has no public address/);
    }
    const sender = send('*,127.0.0.1', url, {}, [['127.0.0.1']]);
    expect(await sender.outcome).toEqual({});
    expect((await send('*', receiver.url).outcome).failure).toMatch(/public address/);
    expect(receiver.received).toHaveLength(1);
  });
});
