import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../grpc/support/test-server.ts';
import { beginRequest, callJson, get, hostOf, send, sendRaw } from './support/http-call.ts';

const APP = 'https://app.example.com';
let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ httpOrigins: `${APP},http://localhost:5173` });
});
afterAll(() => mneme.stop());

const RECALL = '/mneme.v1.RecallService/Recall';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('a page of a browser', () => {
  it.each([
    ['of another site', { origin: 'https://evil.example' }],
    ['without an origin of its own', { origin: 'null' }],
    [
      'of the name of another site that leads here',
      { host: 'evil.example:50051', origin: 'http://evil.example:50051' },
    ],
    ['whose host only begins as loopback', { host: '127.0.0.1.evil.example' }],
  ])('%s › can neither read nor write', async (_, headers) => {
    for (const path of ['/', '/healthz']) expect((await get(mneme.address, path, { headers })).status).toBe(403);
    const call = await callJson(mneme.address, 'RecallService/Recall', { text: 'x' }, { headers });
    expect(call).toMatchObject({ status: 403, json: { code: 'permission_denied' } });
    expect(call.headers['access-control-allow-origin']).toBeUndefined();
    const preflight = await send(mneme.address, RECALL, '', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(403);
  });

  it('of an allowed origin › may call, after a preflight', async () => {
    const headers = { origin: APP, 'access-control-request-method': 'POST' };
    const preflight = await send(mneme.address, RECALL, '', { method: 'OPTIONS', headers });
    expect([preflight.status, preflight.headers]).toMatchObject([
      204,
      { 'access-control-allow-origin': APP, 'access-control-allow-headers': expect.stringContaining('authorization') },
    ]);
    const call = await callJson(mneme.address, 'RecallService/Recall', { text: 'x' }, { headers: { origin: APP } });
    expect([call.status, call.headers]).toMatchObject([200, { 'access-control-allow-origin': APP, vary: 'origin' }]);
    expect((await get(mneme.address, '/', { headers: { host: 'app.example.com' } })).status).toBe(200);
  });

  it('of the server itself › may call', async () => {
    const { port } = hostOf(mneme.address);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const headers = { host, origin: `http://${host}` };
      expect((await callJson(mneme.address, 'RecallService/Recall', { text: 'x' }, { headers })).status).toBe(200);
    }
  });
});

const POST = `POST ${RECALL} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;

describe('bytes that are no request', () => {
  it.each([
    ['a length and chunks', `${POST}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`],
    ['two lengths', `${POST}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `],
    ['a length that is none', `${POST}content-length: +2\r\n\r\n{}`],
    ['a line that ends without CR', `POST ${RECALL} HTTP/1.1\nhost: localhost\n\n`],
    ['a header that ends without CR', `${POST}x-a: b\ncontent-length: 2\r\n\r\n{}`],
    ['a space before a colon', `${POST}content-length : 2\r\n\r\n{}`],
    ['a folded header', `${POST}x-a: b\r\n c\r\ncontent-length : 2\r\n\r\n{}`],
    ['chunks of no length', `${POST}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    ['an encoding before chunks', `${POST}transfer-encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['no host', `POST ${RECALL} HTTP/1.1\r\ncontent-length: 0\r\n\r\n`],
    ['binary bytes', Buffer.alloc(1000, 0x80)],
  ])('%s › one answer of 400, and the connection is closed', async (_, bytes) => {
    const answer = await sendRaw(mneme.address, bytes);
    expect(answer.split('HTTP/1.1 ').length).toBe(2);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('headers of more than 16 KB › 431', async () => {
    const answer = await sendRaw(mneme.address, `${POST}x-a: ${'b'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('a connection of HTTP/1.1', () => {
  const READ = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';

  it('with some requests at once › answers them in order', async () => {
    const last = READ.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n');
    const answer = await sendRaw(mneme.address, READ.repeat(3) + last);
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(4);
  });

  it('with far more requests at once than answers › is closed', async () => {
    const call = `${POST}content-length: 12\r\n\r\n{"text":"x"}`;
    const answer = await sendRaw(mneme.address, call.repeat(200));
    expect(answer.match(/HTTP\/1\.1 200/g)?.length ?? 0).toBeLessThan(200);
  });

  it('that its peer closes within a request › leaves the server as it was', async () => {
    const request = beginRequest(mneme.address, RECALL, { headers: { ...JSON_TYPE, 'content-length': '100' } });
    request.on('error', () => undefined).write('{"text":');
    await once(request, 'socket');
    request.destroy();
    expect((await callJson(mneme.address, 'RecallService/Recall', { text: 'x' })).status).toBe(200);
  });
});

describe('with --http off', () => {
  it('a request of HTTP/1.1 › is not answered', async () => {
    const server = await startTestServer({ http: 'off' });
    expect(await sendRaw(server.address, READ_ROOT)).not.toContain('HTTP/1.1 200');
    await server.stop();
  });
});

const READ_ROOT = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';
