import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Client, credentials, type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { expect, it } from '@jest/globals';

/*
 * The defects that src/server/grpc/upstream works around still exist in the pinned releases. A failure after an upgrade names
 * the file that can be deleted (docs/decisions/edge.md).
 */

/** Methods of an object and of its prototypes. */
function methodsOf(object: object): string[] {
  const names: string[] = [];
  for (let at: unknown = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    names.push(...Object.getOwnPropertyNames(at));
  return names;
}

const raw = (bytes: Buffer): Buffer => bytes;
const ECHO = '/test.Echo/Echo';
const METHOD = {
  path: ECHO,
  requestStream: false,
  responseStream: false,
  requestSerialize: raw,
  requestDeserialize: raw,
  responseSerialize: raw,
  responseDeserialize: raw,
};

it('http2-window.ts: the server of grpc-js has no option for its flow-control window', () => {
  const server = new Server({ 'grpc-node.flow_control_window': 1 << 20 });
  const { commonServerOptions } = server as unknown as {
    commonServerOptions: { settings?: { initialWindowSize?: number } };
  };
  expect(commonServerOptions.settings?.initialWindowSize).toBeUndefined();
});

it('unknown-method.ts: the server of grpc-js has no hook for methods that it does not have', () => {
  expect(methodsOf(new Server()).filter((name) => /unknown|fallback|generic/i.test(name))).toEqual([]);
});

it('written-bytes.ts: protobuf allocates separately for each message', () => {
  const bytes = new BinaryWriter().uint32(8).uint32(1).finish();
  expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
});

it('reset-stream.ts, transport-statuses.ts: a call cannot be reset, and refusals by grpc-js have no details', async () => {
  const server = new Server({ 'grpc.max_receive_message_length': 8 });
  let names: string[] = [];
  server.addService(
    { Echo: METHOD },
    {
      Echo(call: { request: Buffer }, callback: (error: null, answer: Buffer) => void) {
        names = methodsOf(call);
        callback(null, call.request);
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const ask = (bytes: Buffer) =>
    new Promise<Metadata | undefined>((resolve) => {
      client.makeUnaryRequest(ECHO, raw, raw, bytes, (error) => resolve(error?.metadata));
    });

  expect(await ask(Buffer.alloc(2))).toBeUndefined();
  expect(names.filter((name) => /^(reset|cancel|abort)$/.test(name))).toEqual([]);
  expect((await ask(Buffer.alloc(100)))?.getMap()).not.toHaveProperty('grpc-status-details-bin');
  client.close();
  server.forceShutdown();
});
