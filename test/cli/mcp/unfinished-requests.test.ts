import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { McpServer } from '@modelcontextprotocol/server';
import { type HttpService, serveOverHttp } from '../../../src/cli/mcp/serve-http.ts';
import type { McpDeps } from '../../../src/cli/mcp/tool.ts';

const LIMIT_MS = 500;
const sockets: Socket[] = [];
let patient: HttpService;
let strict: HttpService;
beforeAll(async () => {
  const options = { host: '127.0.0.1', port: 0, isLoopback: true };
  const deps = { onError: () => undefined } as unknown as McpDeps;
  const create = (): McpServer => {
    throw new Error('no request arrives as a whole');
  };
  patient = await serveOverHttp(deps, options, create);
  strict = await serveOverHttp(deps, { ...options, requestMs: LIMIT_MS }, create);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all([patient.close(), strict.close()]);
});

/** Sends the beginning of a request. */
async function send({ url }: HttpService, lines: readonly string[]): Promise<Socket> {
  const { port } = new URL(url);
  const socket = connectSocket(Number(port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(lines.join('\r\n'));
  return socket;
}

async function answerTo(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'close');
  return text;
}

const HOST = 'host: 127.0.0.1';
const UNFINISHED = ['POST /mcp HTTP/1.1', HOST, 'content-type: application/json', 'content-length: 1000000', '', '{'];
const WHOLE = ['DELETE /mcp HTTP/1.1', HOST, 'mcp-session-id: none', 'connection: close', '', ''];

describe('X8 requests whose bodies do not arrive', () => {
  it('300 of them › the oldest end, and another request is answered', async () => {
    const first = await send(patient, UNFINISHED);
    const ended = once(first, 'close');
    for (let n = 1; n < 300; n++) await send(patient, UNFINISHED);
    await ended;
    const asked = await send(patient, WHOLE);
    expect(await answerTo(asked)).toMatch(/^HTTP\/1\.1 404 /);
  }, 60_000);

  it('longer than the limit of time › 408, and the connection ends', async () => {
    expect(await answerTo(await send(strict, UNFINISHED))).toMatch(/^HTTP\/1\.1 408 /);
  }, 60_000);

  it('headers that do not end › 408', async () => {
    const socket = await send(strict, ['GET /mcp HTTP/1.1', HOST, 'x-part']);
    expect(await answerTo(socket)).toMatch(/^HTTP\/1\.1 408 /);
  }, 60_000);
});
