import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Client, credentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type RunningProxy, startProxy } from '../support/proxies.ts';

const CALLS = 200;
/** `consecutive_gateway_failure` of deploy/envoy. */
const FAILURES = 5;
const HEAD = { ':status': 200, 'content-type': 'application/grpc+proto' };
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const EMPTY = Buffer.alloc(5);

/** Says that it serves, and answers each call with one status. */
class Upstream {
  calls = 0;
  /** Envoy has asked for its health three times: until it has, it sends calls to every server. */
  readonly checked: Promise<void>;
  private readonly server: Http2Server = createServer();

  constructor(code: status) {
    let checks = 0;
    this.checked = new Promise((resolve) => {
      this.server.on('stream', (stream, headers) => {
        const isCheck = String(headers[':path']).startsWith('/grpc.health.');
        if (isCheck && ++checks === 3) resolve();
        if (!isCheck) this.calls++;
        if (!isCheck && code !== status.OK) {
          stream.respond({ ...HEAD, 'grpc-status': String(code) }, { endStream: true });
          return;
        }
        stream.respond(HEAD, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(isCheck ? SERVING : EMPTY);
      });
    });
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
  }
}

const healthy = new Upstream(status.OK);
const failing = new Upstream(status.UNAVAILABLE);
let proxy: RunningProxy;
let client: Client;
beforeAll(async () => {
  proxy = await startProxy('envoy', await Promise.all([healthy.start(), failing.start()]));
  client = new Client(proxy.address, credentials.createInsecure());
  await Promise.all([healthy.checked, failing.checked]);
}, 120_000);
afterAll(async () => {
  client.close();
  await proxy.stop();
  healthy.stop();
  failing.stop();
});

function call(): Promise<status> {
  const bytes = (value: Buffer) => value;
  return new Promise((resolve) => {
    client.makeUnaryRequest('/mneme.v1.AdminService/GetServerInfo', bytes, bytes, Buffer.alloc(0), (error) =>
      resolve(error?.code ?? status.OK),
    );
  });
}

it('a server that says it serves and fails each call › gets no more calls after five failures in a row', async () => {
  const failed: status[] = [];
  for (let at = 0; failed.length < FAILURES && at < CALLS; at++) {
    const code = await call();
    if (code !== status.OK) failed.push(code);
  }
  expect(failed).toEqual(Array(FAILURES).fill(status.UNAVAILABLE));
  // The next check of its health brings it back: one failure in a row more than that would be counted anew.
  const later: status[] = [];
  for (let at = 0; at < 20; at++) later.push(await call());
  expect(later.filter((code) => code !== status.OK).length).toBeLessThanOrEqual(FAILURES);
  expect(healthy.calls).toBeGreaterThan(0);
}, 60_000);
