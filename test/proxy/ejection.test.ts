import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { afterEach, expect, it } from '@jest/globals';
import { type RunningProxy, startProxy } from '../support/proxies.ts';

const CALLS = 200;
/** `consecutive_gateway_failure` of deploy/envoy. */
const FAILURES = 5;
const HEAD = { ':status': 200, 'content-type': 'application/grpc+proto' };
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const NOT_SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 2]);
const EMPTY = Buffer.alloc(5);

/** Answers each call with one status. */
class Upstream {
  calls = 0;
  /** Envoy has asked for its health three times: until it has, it sends calls to every server. */
  readonly checked: Promise<void>;
  private readonly server: Http2Server = createServer();

  constructor(code: status, health = SERVING) {
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
        stream.end(isCheck ? health : EMPTY);
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

const upstreams: Upstream[] = [];
let proxy: RunningProxy | undefined;
let client: Client;
/** Resolves when Envoy has asked all of them for their health. */
async function start(...servers: readonly Upstream[]): Promise<void> {
  upstreams.push(...servers);
  proxy = await startProxy('envoy', await Promise.all(servers.map((server) => server.start())));
  client = new Client(proxy.address, credentials.createInsecure());
  await Promise.all(servers.map(({ checked }) => checked));
}
afterEach(async () => {
  client?.close();
  await proxy?.stop();
  for (const upstream of upstreams.splice(0)) upstream.stop();
});

function call(namespace?: string): Promise<status> {
  const bytes = (value: Buffer) => value;
  const path = '/mneme.v1.AdminService/GetServerInfo';
  const metadata = new Metadata();
  if (namespace !== undefined) metadata.set('mneme-namespace', namespace);
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), metadata, (error) =>
      resolve(error?.code ?? status.OK),
    );
  });
}

it('a server that says it serves and fails each call › gets no more calls after five failures in a row', async () => {
  const healthy = new Upstream(status.OK);
  await start(healthy, new Upstream(status.UNAVAILABLE));
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
}, 180_000);

it('two of three servers say that they do not serve › the third one has the calls of all namespaces', async () => {
  const healthy = new Upstream(status.OK);
  const stopping = [1, 2].map(() => new Upstream(status.UNAVAILABLE, NOT_SERVING));
  await start(healthy, ...stopping);
  for (const server of stopping) server.calls = 0;
  const codes = await Promise.all(Array.from({ length: 100 }, (_, at) => call(`team-${at}`)));
  expect(codes).toEqual(Array(100).fill(status.OK));
  expect(stopping.map(({ calls }) => calls)).toEqual([0, 0]);
}, 180_000);
