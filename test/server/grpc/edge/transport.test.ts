import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { Client, credentials, Metadata, Server } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BatchStoreMemoriesRequest,
  ListMemoriesRequest,
  StoreMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { widenWindows } from '../../../../src/server/grpc/upstream/http2-window.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { rawCall } from '../support/raw-call.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

const raw = (bytes: Buffer) => bytes;

/** Makes a unary call with bytes as they are. */
function send(path: string, bytes: Buffer, metadata = new Metadata()): Promise<Buffer> {
  const client = new Client(mneme.address, credentials.createInsecure());
  return new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest(path, raw, raw, bytes, metadata, { deadline: Date.now() + 60_000 }, (error, answer) =>
      error || !answer ? reject(error) : resolve(answer),
    );
  }).finally(() => client.close());
}

describe('the transport', () => {
  it('when a method does not exist › UNIMPLEMENTED with METHOD_UNKNOWN', async () => {
    for (const path of ['/mneme.v1.MemoryService/Nothing', '/other.v1.Service/Get', '/x']) {
      expect(await refusal(send(path, Buffer.alloc(0)))).toMatchObject({
        code: 'UNIMPLEMENTED',
        reason: 'METHOD_UNKNOWN',
      });
    }
  });

  it('when a request is larger than allowed › RESOURCE_EXHAUSTED names the limit, and nothing is stored', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'here' });
    const body = { $case: 'data' as const, value: Buffer.alloc(1_000_000) };
    const requests = Array.from({ length: 5 }, () => ({ memory: { content: { mediaType: 'x/y', body } } }));
    const call = ask(
      mneme.memories,
      mneme.memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
    );

    expect(await refusal(call)).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'MESSAGE_TOO_LARGE',
      metadata: { limit_bytes: '4194304' },
    });
    const { memories } = await ask(
      mneme.memories,
      mneme.memories.listMemories,
      ListMemoriesRequest.fromPartial({ parent }),
    );
    expect(memories.map(({ text }) => text)).toEqual(['here']);
  });

  it('when bytes of a known method are no message › INVALID_ARGUMENT', async () => {
    for (const bytes of [Buffer.from('garbage'), Buffer.alloc(1000, 0xff), Buffer.from([0x0a, 0x02, 0xc3, 0x28])]) {
      expect(await refusal(send('/mneme.v1.MemoryService/GetMemory', bytes))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        reason: 'MESSAGE_MALFORMED',
      });
    }
  });

  it('when a compressed message is damaged or of an unknown encoding › it is refused and the server continues', async () => {
    const frame = Buffer.concat([Buffer.from([1, 0, 0, 0, 3]), Buffer.from('abc')]);
    for (const [encoding, code] of [
      ['gzip', '3'],
      ['nonsense', '12'],
    ] as const) {
      const trailers = await sendFrame({ 'grpc-encoding': encoding }, frame);
      expect(trailers).toMatchObject({ 'grpc-status': code });
      expect(trailers['grpc-status-details-bin']).toBeDefined();
    }
    await store(mneme, freshNamespace(), { text: 'still here' });
  });

  it('when the request ends without a message › INVALID_ARGUMENT', async () => {
    expect(await sendFrame({}, Buffer.alloc(0))).toMatchObject({ 'grpc-status': '3' });
  });

  it('when the timeout is malformed › it is refused', async () => {
    expect(await sendFrame({ 'grpc-timeout': 'soon' }, Buffer.alloc(5))).toMatchObject({ 'grpc-status': '3' });
  });

  it('when a connection does not speak HTTP/2 › it is closed and the server continues', async () => {
    for (const bytes of ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', Buffer.alloc(100_000, 0x5a), '\x16\x03\x01\x02\x00']) {
      const socket = connectTcp(Number(mneme.address.split(':')[1]), '127.0.0.1').on('error', () => {});
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
    }
    // A preface as it must be, and nonsense behind it.
    const socket = connectTcp(Number(mneme.address.split(':')[1]), '127.0.0.1').on('error', () => {});
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    socket.end(Buffer.alloc(10_000, 0xaa));
    socket.resume();
    await once(socket, 'close');
    await store(mneme, freshNamespace(), { text: 'still here' });
  });

  it('when many deadlines have passed on arrival › each call fails and nothing is stored', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'here' });
    const request = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'late' } });
    const calls = Array.from({ length: 50 }, () =>
      refusal(ask(mneme.memories, mneme.memories.storeMemory, request, { deadlineMs: -1 })),
    );

    for (const { code } of await Promise.all(calls)) expect(code).toBe('DEADLINE_EXCEEDED');
    const { memories } = await ask(
      mneme.memories,
      mneme.memories.listMemories,
      ListMemoriesRequest.fromPartial({ parent }),
    );
    expect(memories).toHaveLength(1);
  });
});

describe('the HTTP/2 windows', () => {
  it('when a client connects › the server grants it 4 MiB for the connection and for each stream', async () => {
    const session = connectHttp2(`http://${mneme.address}`);
    const [settings] = await once(session, 'remoteSettings');
    // The window of the connection is granted in a separate frame; a ping returns after it.
    await new Promise((resolve) => session.ping(resolve));

    expect(settings).toMatchObject({ initialWindowSize: 4_194_304 });
    expect(session.state.remoteWindowSize).toBe(4_194_304);
    session.close();
  });

  it('when grpc-js keeps its settings elsewhere › the server does not start', () => {
    expect(() => widenWindows({} as Server, 1)).toThrow('keeps its HTTP/2 settings elsewhere');
    expect(() => widenWindows(new Server(), 65_535)).not.toThrow();
  });
});

/** Sends bytes as the body of a Get, without grpc-js on this side, and returns the trailers. */
async function sendFrame(headers: Record<string, string>, body: Buffer): Promise<Record<string, unknown>> {
  const session = connectHttp2(`http://${mneme.address}`);
  const stream = rawCall(session, 'mneme.v1.MemoryService/GetMemory', headers);
  stream.end(body);
  const [trailers] = await once(stream, 'response');
  stream.resume();
  session.close();
  return trailers;
}
