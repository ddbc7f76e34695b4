import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from '../support/run-mneme.ts';
import { type ServedMneme, serveMneme } from '../support/serve-mneme.ts';
import { startHttpHost, startHttpMcp } from './support/http-host.ts';
import { callTool, REVISIONS } from './support/mcp-host.ts';

let server: ServedMneme;
let open: Awaited<ReturnType<typeof startHttpMcp>>;
beforeAll(async () => {
  server = await serveMneme();
  open = await startHttpMcp(['--server', server.address]);
});
afterAll(async () => {
  await open.stop();
  await server.stop();
});

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** By hand: `fetch` does not let a test set the host. */
function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body = INITIALIZE,
): Promise<{ status: number; body: string }> {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: all }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('mneme mcp over HTTP', () => {
  it.each(REVISIONS)('remembers and recalls, revision %s', async (revision) => {
    const host = await startHttpHost(revision, ['--server', server.address, '--namespace', revision]);
    try {
      expect(host.client.getNegotiatedProtocolVersion()).toBe(revision);
      await callTool(host.client, 'remember', { text: 'Caroline plays the cello.' });
      const { structured } = await callTool(host.client, 'recall', { text: 'Who plays the cello?' });
      expect(structured).toMatchObject({ memories: [{ text: 'Caroline plays the cello.' }] });
    } finally {
      await host.close();
    }
  });

  it('refuses pages in a browser: host and origin must be of this machine', async () => {
    expect((await post(open.url, {})).status).toBe(200);
    expect((await post(open.url, { host: 'evil.example' })).status).toBe(403);
    expect((await post(open.url, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await post(open.url, { origin: 'http://localhost:3000' })).status).toBe(200);
  });

  it('refuses other paths, sessions it does not know, and bodies that are too large', async () => {
    expect(await post(open.url.replace(/mcp$/, 'other'), {})).toMatchObject({
      status: 404,
      body: expect.stringContaining('served at /mcp'),
    });
    expect(await post(open.url, { 'mcp-session-id': 'x' })).toMatchObject({
      status: 404,
      body: expect.stringContaining('Session not found'),
    });
    // Only announced, not sent: the server ends the connection, and a write that this meets fails before the answer is read.
    expect((await post(open.url, { 'content-length': '5000000' }, '')).status).toBe(413);
  });

  it('asks for the token where there is one', async () => {
    const guarded = await startHttpMcp(['--server', server.address], { MNEME_MCP_TOKEN: 'secret' });
    try {
      expect((await post(guarded.url, {})).status).toBe(401);
      expect((await post(guarded.url, { authorization: 'Bearer wrong' })).status).toBe(401);
      expect((await post(guarded.url, { authorization: 'Bearer secret' })).status).toBe(200);
    } finally {
      await guarded.stop();
    }
  });

  it('refuses to listen beyond loopback without a token or --allow-insecure', async () => {
    const { code, stderr } = await runMneme(['mcp', '--http', '0.0.0.0:0', '--server', server.address]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/--http 0\.0\.0\.0:0: .*MNEME_MCP_TOKEN.*--allow-insecure/),
    ]);
  });

  it('refuses an address that is none', async () => {
    const { code, stderr } = await runMneme(['mcp', '--http', '8080', '--server', server.address]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--http.*expected host:port/i)]);
  });
});
