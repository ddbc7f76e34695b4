import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HealthCheckRequest } from '../../../../gen/ts/grpc/health/v1/health.ts';
import { ManualTimers } from '../../../support/manual-timers.ts';
import { type OddServer, startOddServer } from '../support/odd-server.ts';
import { framed, rawCall } from '../support/raw-call.ts';

const SERVING = { service: 'x' };
const AGE_MS = 60_000;
const GRACE_MS = 20_000;
/** With the jitter of a tenth. */
const OLD_MS = AGE_MS * 1.1;
const request = framed(HealthCheckRequest.encode(SERVING).finish());

let odd: OddServer | undefined;
const sessions: ClientHttp2Session[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await odd?.stop();
  odd = undefined;
});

async function start(limits: Parameters<typeof startOddServer>[1] = {}) {
  const timers = new ManualTimers();
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const serve = async () => {
    begun.resolve();
    await release.promise;
    return SERVING;
  };
  odd = await startOddServer({ unary: serve }, { maxConnectionAgeGraceMs: GRACE_MS, ...limits }, timers);
  return { timers, server: odd, begun: begun.promise, release: release.resolve };
}

async function session({ address }: OddServer): Promise<ClientHttp2Session> {
  const opened = connectHttp2(`http://${address}`);
  opened.on('error', () => undefined);
  sessions.push(opened);
  // The server has the settings of this side too.
  await ping(opened);
  return opened;
}

const ping = (of: ClientHttp2Session) => new Promise<void>((resolve) => void of.ping(() => resolve()));

const closeOf = (of: ClientHttp2Session) => new Promise<void>((resolve) => void of.once('close', resolve));

/** The status of a call that has been sent. */
function begin(of: ClientHttp2Session): Promise<unknown> {
  const stream = rawCall(of, 'odd.v1.Odd/Unary').on('error', () => undefined);
  stream.end(request);
  stream.resume();
  return new Promise((resolve) => {
    stream.once('response', (headers) => 'grpc-status' in headers && resolve(headers['grpc-status']));
    stream.once('trailers', (trailers: Record<string, unknown>) => resolve(trailers['grpc-status']));
    stream.once('close', () => resolve(`reset ${stream.rstCode}`));
  });
}

describe('a connection of the maximum age', () => {
  it('with a call in flight › gets GOAWAY, finishes the call, and is closed', async () => {
    const { timers, server, begun, release } = await start({ maxConnectionAgeMs: AGE_MS });
    const client = await session(server);
    const status = begin(client);
    await begun;
    const goaway = once(client, 'goaway');
    const closed = closeOf(client);
    timers.advance(OLD_MS);
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    release();
    expect(await status).toBe('0');
    await closed;
  });

  it('with a call that does not end › ends it with DRAINING after the grace, so that it continues elsewhere', async () => {
    const { timers, server, begun } = await start({ maxConnectionAgeMs: AGE_MS });
    const client = await session(server);
    const other = await session(server);
    const status = begin(client);
    await begun;
    const goaway = once(client, 'goaway');
    const closed = [client, other].map(closeOf);
    timers.advance(OLD_MS);
    await goaway;
    timers.advance(GRACE_MS);
    expect(await status).toBe('14');
    timers.advance(500);
    await Promise.all(closed);
  });

  it('with a call that outlasts many probes of the silent connection › finishes the call', async () => {
    const { timers, server, begun, release } = await start({ maxConnectionAgeMs: AGE_MS, keepaliveTimeMs: 10 });
    const client = await session(server);
    const probed = once(client, 'ping');
    const status = begin(client);
    await begun;
    await probed;
    const goaway = once(client, 'goaway');
    timers.advance(OLD_MS);
    await goaway;
    // The notice before the connection is closed, and many probes.
    await new Promise((resolve) => setTimeout(resolve, 500));
    release();
    expect(await status).toBe('0');
  });

  it('a caller that goes on calling › has no call fail', async () => {
    const { timers, server, release } = await start({ maxConnectionAgeMs: AGE_MS });
    release();
    for (let round = 0; round < 20; round++) {
      const calls = Array.from({ length: 3 }, () => server.call('x'));
      timers.advance(OLD_MS);
      expect(await Promise.all(calls)).toEqual(Array.from({ length: 3 }, () => SERVING));
    }
  });

  it('without a limit › stays', async () => {
    const { timers, server, release } = await start();
    release();
    const client = await session(server);
    timers.advance(1e9);
    expect(await begin(client)).toBe('0');
  });
});

describe('a connection that its peer closes', () => {
  it('with a call that does not end › finds that out by a probe, and ends it with DRAINING after the grace', async () => {
    const { timers, server, begun } = await start({ keepaliveTimeMs: 10 });
    const limited = Promise.withResolvers<void>();
    const set = timers.set.bind(timers);
    timers.set = (callback, afterMs) => {
      if (afterMs === GRACE_MS) limited.resolve();
      return set(callback, afterMs);
    };
    const client = await session(server);
    const status = begin(client);
    await begun;
    const closed = closeOf(client);
    client.goaway(constants.NGHTTP2_NO_ERROR);
    await limited.promise;
    timers.advance(GRACE_MS);
    expect(await status).toBe('14');
    timers.advance(500);
    await closed;
  });

  it('with a call that ends in time › finishes the call', async () => {
    const { server, begun, release } = await start({ keepaliveTimeMs: 10 });
    const client = await session(server);
    const status = begin(client);
    await begun;
    client.goaway(constants.NGHTTP2_NO_ERROR);
    // The server has read it: the answer to a ping follows.
    await ping(client);
    release();
    expect(await status).toBe('0');
  });
});

describe('a peer that pings', () => {
  it('more often than allowed › gets GOAWAY with too_many_pings', async () => {
    const { server, release } = await start({ keepaliveMinMs: 5000 });
    release();
    const client = await session(server);
    expect(await begin(client)).toBe('0');
    const goaway = once(client, 'goaway') as Promise<[number, number, Buffer]>;
    for (let pings = 0; pings < 5; pings++) void client.ping(() => undefined);
    const [code, , why] = await goaway;
    expect(code).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    expect(String(why)).toBe('too_many_pings');
  });

  it('as often as allowed, or between answers › is served', async () => {
    const { timers, server, release } = await start({ keepaliveMinMs: 5000 });
    release();
    const client = await session(server);
    for (let pings = 0; pings < 6; pings++) {
      await ping(client);
      timers.advance(5000);
    }
    for (let calls = 0; calls < 6; calls++) {
      expect(await begin(client)).toBe('0');
      await ping(client);
    }
    expect(client.closed).toBe(false);
  });
});
