import { expect, it } from '@jest/globals';
import { McpServer } from '@modelcontextprotocol/server';
import { HttpSessions } from '../../../src/cli/mcp/http-sessions.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

it('accepts 200 sessions, refuses another one, and evicts sessions unused for 15 minutes', async () => {
  let nowMs = 0;
  const sessions = new HttpSessions({
    create: () => new McpServer({ name: 'test', version: '1' }),
    maxRequestBodySize: 10_000,
    onError: (error) => {
      throw error;
    },
    nowMs: () => nowMs,
  });
  const post = (message: object, headers: Readonly<Record<string, string>> = {}) =>
    sessions.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...HEADERS, ...headers },
        body: JSON.stringify(message),
      }),
    );
  const ids: string[] = [];
  for (let n = 0; n < 200; n++) ids.push((await post(INITIALIZE)).headers.get('mcp-session-id') ?? '');
  expect(new Set(ids).size).toBe(200);
  const refused = await post(INITIALIZE);
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('At most 200 sessions')]);
  nowMs = 14 * 60_000;
  const [used = '', idle = ''] = ids;
  expect((await post(PING, { 'mcp-session-id': used })).status).toBe(200);
  nowMs = 16 * 60_000;
  expect((await post(INITIALIZE)).status).toBe(200);
  expect((await post(PING, { 'mcp-session-id': used })).status).toBe(200);
  expect((await post(PING, { 'mcp-session-id': idle })).status).toBe(404);
  await sessions.closeAll();
});
