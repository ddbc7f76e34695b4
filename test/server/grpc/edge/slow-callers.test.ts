import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HealthCheckRequest } from '../../../../gen/ts/grpc/health/v1/health.ts';
import { ManualTimers } from '../../../support/manual-timers.ts';
import { type OddServer, startOddServer } from '../support/odd-server.ts';
import { framed, rawCall } from '../support/raw-call.ts';

let odd: OddServer | undefined;
const sessions: ClientHttp2Session[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await odd?.stop();
  odd = undefined;
});

const SERVING = { service: 'x' };
const UNARY = 'odd.v1.Odd/Unary';

async function start(limits: Parameters<typeof startOddServer>[1] = {}) {
  const timers = new ManualTimers();
  odd = await startOddServer({ unary: () => SERVING }, limits, timers);
  return { timers, server: odd };
}

async function session({ address }: OddServer, settings = {}): Promise<ClientHttp2Session> {
  const opened = connectHttp2(`http://${address}`, { settings });
  opened.on('error', () => undefined);
  sessions.push(opened);
  await once(opened, 'remoteSettings');
  return opened;
}

/** Resolves when the server has handled everything that was sent before: the first ping may overtake it. */
async function reached(of: ClientHttp2Session): Promise<void> {
  for (let pings = 0; pings < 2; pings++) await new Promise<void>((resolve) => void of.ping(() => resolve()));
}

const closeOf = (of: ClientHttp2Stream | Socket) => new Promise<void>((resolve) => void of.once('close', resolve));

function held(of: ClientHttp2Session, bytes?: Buffer): ClientHttp2Stream {
  const stream = rawCall(of, UNARY).on('error', () => undefined);
  if (bytes) stream.write(bytes);
  return stream;
}

async function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  const closed = closeOf(stream);
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  stream.resume();
  await closed;
  return headers['grpc-status'];
}

const request = framed(HealthCheckRequest.encode({ service: 'x' }).finish());

describe('a call whose request does not arrive', () => {
  it.each([
    ['headers alone', undefined],
    ['a part of a message', request.subarray(0, 6)],
    ['a message without the end of the request', request],
  ])('%s › counts as in flight, and ends with DEADLINE_EXCEEDED in time', async (_, bytes) => {
    const { timers, server } = await start({ maxRequestWaitMs: 5000 });
    const client = await session(server);
    const stream = held(client, bytes);
    await reached(client);
    expect(server.edge.callsInFlight).toBe(1);
    timers.advance(4999);
    expect(server.edge.callsInFlight).toBe(1);

    const status = statusOf(stream);
    timers.advance(1);
    expect(await status).toBe('4');
    expect(server.edge.callsInFlight).toBe(0);
    expect(await server.call()).toEqual(SERVING);
  });

  it('an incomplete message of a stream › ends it in time; one between messages stays open', async () => {
    const timers = new ManualTimers();
    const limits = { maxRequestWaitMs: 5000 };
    odd = await startOddServer({ bidi: (requests) => echo(requests) }, limits, timers);
    const client = await session(odd);
    const open = (bytes: Buffer) => {
      const stream = rawCall(client, 'odd.v1.Odd/Bidi').on('error', () => undefined);
      stream.write(bytes);
      return stream;
    };
    const idle = open(request);
    const partial = open(Buffer.concat([request, request.subarray(0, 6)]));
    const trailers = new Promise<Record<string, unknown>>((resolve) => void partial.once('trailers', resolve));
    for (const stream of [idle, partial]) await once(stream.resume(), 'data');
    await reached(client);
    for (let looks = 0; looks < 2; looks++) timers.advance(5000);
    expect((await trailers)['grpc-status']).toBe('4');
    await reached(client);
    expect(idle.closed).toBe(false);
  });

  it('of a method that is missing, or of another content type › the stream is closed in time', async () => {
    const { timers, server } = await start({ maxRequestWaitMs: 5000 });
    const client = await session(server);
    const streams = [rawCall(client, 'odd.v1.Odd/None'), rawCall(client, UNARY, { 'content-type': 'text/plain' })];
    const closed = streams.map((stream) => closeOf(stream.on('error', () => undefined)));
    await reached(client);
    for (const stream of streams) stream.resume();
    timers.advance(5000);
    await Promise.all(closed);
  });

  it('far more than may be in flight › the oldest are refused, and other callers are served', async () => {
    const { server } = await start({ maxCallsInFlight: 80 });
    const clients = await Promise.all(Array.from({ length: 4 }, () => session(server)));
    const streams = clients.flatMap((client) => Array.from({ length: 100 }, () => held(client)));
    const refused: unknown[] = [];
    for (const stream of streams) {
      stream.on('response', (headers) => refused.push((headers as Record<string, unknown>)['grpc-status']));
    }
    for (const client of clients) await reached(client);

    expect(server.edge.callsInFlight).toBe(80);
    expect(await server.call()).toEqual(SERVING);
    for (const client of clients) await reached(client);
    expect(new Set(refused)).toEqual(new Set(['14']));
    expect(refused.length).toBeGreaterThanOrEqual(320);
  });
});

describe('an answer that is not read', () => {
  it('by a caller that grants no window › the stream is reset in time', async () => {
    const { timers, server } = await start({ maxStreamStallMs: 5000 });
    const client = await session(server, { initialWindowSize: 0 });
    const stream = held(client);
    const closed = closeOf(stream);
    stream.end(request);
    await once(stream, 'response');
    await reached(client);
    timers.advance(4999);
    await reached(client);
    expect(stream.closed).toBe(false);
    timers.advance(1);
    await closed;
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
  });
});

describe('a connection', () => {
  function socket({ address }: OddServer): Socket {
    const opened = connectTcp(Number(address.split(':')[1]), '127.0.0.1').on('error', () => undefined);
    sockets.push(opened);
    return opened;
  }

  it.each([
    ['silent', ''],
    ['with the beginning of a word', 'P'],
    ['with a part of the preface', 'PRI * HTTP/2.0\r\n\r\nS'],
    ['with a preface and no settings', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['with a part of a request of HTTP/1.1', 'GET / HTTP/1.1\r\nhost: lo'],
  ])('%s › is closed in time, one that speaks HTTP/2 is not', async (_, bytes) => {
    const { timers, server } = await start({ maxHandshakeMs: 5000 });
    const client = await session(server);
    await reached(client);
    const slow = socket(server);
    const closed = closeOf(slow);
    await once(slow, 'connect');
    if (bytes !== '') slow.write(bytes);
    // A later round trip: the server has the connection, and what it has sent.
    await reached(client);
    timers.advance(5000);
    slow.resume();
    await closed;
    await reached(client);
    expect(client.closed).toBe(false);
  });

  it.each([
    ['connectionsMax', '--connections-max'],
    ['connectionsPerAddressMax', '--connections-per-address-max'],
  ])('beyond %s › is closed, until another one has gone', async (limit, flag) => {
    const { server } = await start({ [limit]: 2 });
    const first = socket(server);
    const second = socket(server);
    await Promise.all([once(first, 'connect'), once(second, 'connect')]);
    const third = socket(server).resume();
    await closeOf(third);
    expect(server.log).toMatchObject([{ level: 'warn', msg: expect.stringContaining(flag) }]);

    first.destroy();
    second.destroy();
    expect(await server.call()).toEqual(SERVING);
  });
});

async function* echo(requests: AsyncIterable<HealthCheckRequest>) {
  yield* requests;
}
