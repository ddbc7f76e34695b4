import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HealthCheckRequest as Echo } from '../../../gen/ts/grpc/health/v1/health.ts';
import { ManualTimers } from '../../support/manual-timers.ts';
import { type OddServer, startOddServer } from '../grpc/support/odd-server.ts';
import { answerOf, beginRequest, hostOf, send } from './support/http-call.ts';

let odd: OddServer | undefined;
afterEach(() => odd?.stop());

const UNARY = '/odd.v1.Odd/Unary';
const PROTO = { 'content-type': 'application/proto' };
const message = Buffer.from(Echo.encode({ service: 'x' }).finish());

async function start(serve: Parameters<typeof startOddServer>[0], limits: Parameters<typeof startOddServer>[1] = {}) {
  const timers = new ManualTimers();
  odd = await startOddServer(serve, limits, timers);
  return { timers, server: odd };
}

/** A request whose body does not end; the server has its headers. */
async function held(server: OddServer): Promise<ClientRequest> {
  const before = server.edge.callsInFlight;
  const request = beginRequest(server.address, UNARY, { headers: { ...PROTO, 'content-length': '100' } });
  request.on('error', () => undefined).write('x');
  while (server.edge.callsInFlight === before) await new Promise((resolve) => setImmediate(resolve));
  return request;
}

describe('a call over HTTP/1.1 whose request does not arrive', () => {
  it('counts as in flight, and ends with deadline_exceeded in time', async () => {
    const { timers, server } = await start({ unary: (request) => request }, { maxRequestWaitMs: 5000 });
    const request = await held(server);
    expect(server.edge.callsInFlight).toBe(1);
    const answer = answerOf(request);
    timers.advance(5000);
    const { status, body } = await answer;
    expect([status, JSON.parse(String(body))]).toMatchObject([504, { code: 'deadline_exceeded' }]);
    request.destroy();
    expect(await send(server.address, UNARY, message, { headers: PROTO })).toMatchObject({
      status: 200,
      body: message,
    });
  });

  it('far more often than may be in flight › the oldest are refused, and other callers are served', async () => {
    const { server } = await start({ unary: (request) => request });
    const requests: ClientRequest[] = [];
    for (let count = 0; count < 64; count++) requests.push(await held(server));
    const [oldest] = requests;
    if (!oldest) throw new Error('there is no request');
    const refused = answerOf(oldest);
    const another = send(server.address, UNARY, message, { headers: PROTO });
    expect(await another).toMatchObject({ status: 200 });
    expect(await refused).toMatchObject({ status: 503 });
    for (const request of requests) request.destroy();
  });
});

describe('a connection of HTTP/1.1', () => {
  it('of the maximum age › is closed when it has no request, and otherwise after the answer', async () => {
    const gate = Promise.withResolvers<void>();
    const serve = { unary: (request: Echo) => gate.promise.then(() => request) };
    const { timers, server } = await start(serve, { maxConnectionAgeMs: 60_000 });
    const idle = connect(hostOf(server.address)).resume();
    idle.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(idle, 'data');
    const busy = beginRequest(server.address, UNARY, { headers: { ...PROTO, connection: 'keep-alive' } });
    const answer = answerOf(busy.end(message));
    while (server.edge.callsInFlight === 0) await new Promise((resolve) => setImmediate(resolve));
    timers.advance(60_000);
    await once(idle, 'close');
    gate.resolve();
    expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
  });
});

describe('a server that stops', () => {
  it('finishes the calls that have begun, and ends streams with DRAINING', async () => {
    const gate = Promise.withResolvers<void>();
    const { server } = await start({
      unary: (request) => gate.promise.then(() => request),
      stream: async function* (_, call) {
        yield { service: 'first' };
        await new Promise((_resolve, reject) =>
          call.signal.addEventListener('abort', () => reject(call.signal.reason)),
        );
      },
    });
    const call = send(server.address, UNARY, message, { headers: PROTO });
    const open = { 'content-type': 'application/grpc-web+proto' };
    const body = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
    const stream = send(server.address, '/odd.v1.Odd/Stream', body, { headers: open });
    while (server.edge.callsInFlight < 2) await new Promise((resolve) => setImmediate(resolve));
    const stopped = server.stop();
    odd = undefined;
    gate.resolve();
    expect(await call).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(String((await stream).body)).toContain('grpc-status: 14');
    await stopped;
  });
});
