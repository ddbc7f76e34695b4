import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { CountMemoriesResponse } from '../../gen/ts/mneme/v1/memory_service.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PROXIES, type ProxyName, type RunningProxy, startProxy } from '../support/proxies.ts';

const HEAD = { ':status': 200, 'content-type': 'application/grpc+proto' };
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

/** What has been sent of the first answer when the system closes the connections of the server. */
const MOMENTS = ['nothing', 'the headers', 'the message'] as const;

/** A server that dies within its first answer, and is there again for the next call. */
class DyingUpstream {
  calls = 0;
  private readonly server: Http2Server = createServer();
  private readonly sockets = new Map<number | undefined, Socket>();
  private readonly moment: (typeof MOMENTS)[number];

  constructor(moment: (typeof MOMENTS)[number]) {
    this.moment = moment;
    this.server.on('connection', (socket: Socket) => this.sockets.set(socket.remotePort, socket));
    // A connection that is closed amid an answer fails its session and streams.
    this.server.on('session', (session) => session.on('error', () => {}));
    this.server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      const isCheck = String(headers[':path']).startsWith('/grpc.health.');
      stream.resume();
      stream.once('end', () => (isCheck ? answer(stream, SERVING) : this.answerCall(stream)));
    });
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets.values()) socket.destroy();
  }

  private answerCall(stream: ServerHttp2Stream): void {
    const message = framed(CountMemoriesResponse.encode(CountMemoriesResponse.fromPartial({ count: 7 })).finish());
    if (++this.calls > 1) answer(stream, message);
    else this.die(stream, message);
  }

  private die(stream: ServerHttp2Stream, message: Buffer): void {
    const socket = this.sockets.get(stream.session?.socket.remotePort);
    if (this.moment === 'nothing') {
      socket?.destroy();
      return;
    }
    stream.respond(HEAD, { waitForTrailers: true });
    // All that is sent goes before the end of the connection.
    if (this.moment === 'the message') stream.write(message, () => socket?.end());
    else setImmediate(() => socket?.end());
  }
}

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function answer(stream: ServerHttp2Stream, message: Buffer): void {
  stream.respond(HEAD, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(message);
}

describe.each(PROXIES)('a server that is killed behind %s', (name: ProxyName) => {
  let upstream: DyingUpstream | undefined;
  let proxy: RunningProxy | undefined;
  let mneme: Mneme | undefined;
  afterEach(async () => {
    await mneme?.close();
    await proxy?.stop();
    upstream?.stop();
  });

  it.each(MOMENTS)('within a call, of whose answer it has sent %s › the client repeats the call', async (moment) => {
    upstream = new DyingUpstream(moment);
    proxy = await startProxy(name, [await upstream.start()]);
    mneme = connect(proxy.address, { ...PATIENT_CLIENT, namespace: 'n' });
    expect(await mneme.count()).toMatchObject({ count: 7 });
    expect(upstream.calls).toBe(2);
  });
});
