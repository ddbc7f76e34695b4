import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Identities } from '../../server/grpc/support/identities.ts';
import { type ServedMneme, serveMneme } from '../support/serve-mneme.ts';
import { connectHttpHost, mcpUrl } from './support/http-host.ts';
import { callTool, REVISIONS } from './support/mcp-host.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly session: string | undefined;
}

/** By hand: `fetch` does not let a test set the host. */
function post(url: string, headers: Readonly<Record<string, string>> = {}, body = INITIALIZE): Promise<Answer> {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: all }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const session = response.headers['mcp-session-id'] as string | undefined;
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, session }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('MCP over HTTP at the address of a server', () => {
  it.each(REVISIONS)('remembers and recalls in the namespace of the URL, revision %s', async (revision) => {
    const host = await connectHttpHost(revision, mcpUrl(server.address, revision));
    const other = await connectHttpHost(revision, mcpUrl(server.address));
    try {
      expect(host.client.getNegotiatedProtocolVersion()).toBe(revision);
      await callTool(host.client, 'remember', { text: 'Caroline plays the cello.' });
      const { structured } = await callTool(host.client, 'recall', { text: 'Who plays the cello?' });
      expect(structured).toMatchObject({ memories: [{ text: 'Caroline plays the cello.' }] });
      const elsewhere = await callTool(other.client, 'recall', { text: 'Who plays the cello?' });
      expect(elsewhere.structured).toMatchObject({ memories: [] });
    } finally {
      await Promise.all([host.close(), other.close()]);
    }
  });

  it('refuses pages in a browser: host and origin must be of this server', async () => {
    const url = mcpUrl(server.address);
    expect((await post(url)).status).toBe(200);
    expect((await post(url, { host: 'evil.example' })).status).toBe(403);
    expect((await post(url, { origin: 'http://evil.example' })).status).toBe(403);
  });

  it('refuses sessions it does not know, and bodies that are too large', async () => {
    const url = mcpUrl(server.address);
    expect(await post(url, { 'mcp-session-id': 'x' })).toMatchObject({
      status: 404,
      body: expect.stringContaining('Session not found'),
    });
    // Only announced, not sent: the server ends the connection, and a write that this meets fails before the answer is read.
    expect((await post(url, { 'content-length': '5000000' }, '')).status).toBe(413);
  });
});

describe('MCP over HTTP at a server with identities', () => {
  const identities = new Identities({
    ada: [{ namespaces: ['notes'], verbs: ['read', 'write'] }],
    eve: [{ namespaces: ['notes'], verbs: ['read'] }],
  });
  let guarded: ServedMneme;
  beforeAll(async () => {
    const flags = ['--api-keys-file', identities.apiKeysFile, '--policy-file', identities.policyFile];
    guarded = await serveMneme({ flags });
  });
  afterAll(async () => {
    await guarded.stop();
    identities.remove();
  });

  it('serves each caller with its own rights', async () => {
    const url = mcpUrl(guarded.address, 'notes');
    expect((await post(url)).status).toBe(401);
    expect((await post(url, { authorization: 'Bearer wrong' })).status).toBe(401);
    const ada = await connectHttpHost('2025-11-25', url, identities.keyOf('ada'));
    const eve = await connectHttpHost('2025-11-25', url, identities.keyOf('eve'));
    try {
      await callTool(ada.client, 'remember', { text: 'The meeting is on Friday.' });
      const { structured } = await callTool(eve.client, 'recall', { text: 'When is the meeting?' });
      expect(structured).toMatchObject({ memories: [{ text: 'The meeting is on Friday.' }] });
      const refused = await callTool(eve.client, 'remember', { text: 'The meeting is on Monday.' });
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('PERMISSION_MISSING') });
    } finally {
      await Promise.all([ada.close(), eve.close()]);
    }
  });

  it('knows a session of one caller by the credentials of that caller only', async () => {
    const url = mcpUrl(guarded.address, 'notes');
    const as = (identity: string) => ({ authorization: `Bearer ${identities.keyOf(identity)}` });
    const { session = '' } = await post(url, as('ada'));
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect((await post(url, { ...as('ada'), 'mcp-session-id': session }, ping)).status).toBe(200);
    expect((await post(url, { ...as('eve'), 'mcp-session-id': session }, ping)).status).toBe(404);
    expect((await post(url, { 'mcp-session-id': session }, ping)).status).toBe(401);
  });
});

describe('X8 requests whose bodies do not arrive', () => {
  const HOST = 'host: 127.0.0.1';
  const UNFINISHED = ['POST /mcp HTTP/1.1', HOST, 'content-type: application/json', 'content-length: 1000000', '', '{'];

  async function send(lines: readonly string[]): Promise<Socket> {
    const socket = connectSocket(Number(server.address.split(':').at(-1)), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(lines.join('\r\n'));
    return socket;
  }

  it('80 of them › the oldest end, and another request is answered', async () => {
    const sockets = [await send(UNFINISHED)];
    const ended = once(sockets[0] as Socket, 'close');
    for (let n = 1; n < 80; n++) sockets.push(await send(UNFINISHED));
    await ended;
    expect((await post(mcpUrl(server.address))).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  }, 60_000);
});
