/** The JSON examples in the comments of the RPCs, sent to a real server as grpcurl sends them. */
import { readdirSync, readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, fromJson, type JsonValue, toBinary, toJsonString } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';

interface Example {
  readonly service: string;
  readonly method: string;
  readonly json: string;
}

const PROTOS = 'proto/mneme/v1';
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb')));

/** Examples that create data for others come first; those that delete it come last. */
const CREATES = ['CreateNamespace', 'StoreMemory', 'AssertFact', 'SpawnSession', 'SetValue'];
const ERASES = /^(Delete|Forget|Clear|Pause|Terminate)/;

const examples = readdirSync(PROTOS)
  .flatMap((file) => [...examplesIn(readFileSync(`${PROTOS}/${file}`, 'utf8'))])
  .sort((a, b) => rankOf(a) - rankOf(b));

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
  client = new Client(server.server.address, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await server.stop();
});

test('the RPCs that a newcomer calls first have an example', () => {
  expect(examples.map(({ method }) => method)).toEqual(
    expect.arrayContaining([
      'StoreMemory',
      'GetMemory',
      'UpdateMemory',
      'ListMemories',
      'ForgetMemories',
      'Recall',
      'SubscribeRecall',
      'WatchMemories',
      'CreateNamespace',
      'UpdateNamespace',
      'CreateSubscription',
    ]),
  );
});

test.each(examples)('$service, $method: its example is answered', async (example) => {
  const answer = await firstAnswerTo(example);
  expect(answer).not.toBe('{}');
  if (/^(Store|Get|Update|List|Forget)Memor|^Recall$/.test(example.method)) {
    expect(answer).toContain('namespaces/example/memories/step-12');
  }
});

function* examplesIn(proto: string): Generator<Example> {
  let [service, comment] = ['', [] as string[]];
  for (const line of proto.split('\n').map((text) => text.trim())) {
    if (line.startsWith('//')) {
      comment.push(line.slice(2));
      continue;
    }
    service = /^service (\w+)/.exec(line)?.[1] ?? service;
    const method = /^rpc (\w+)/.exec(line)?.[1];
    if (method !== undefined) for (const json of blocksIn(comment)) yield { service, method, json };
    comment = [];
  }
}

/** The indented blocks after a paragraph that begins with "Example". */
function* blocksIn(comment: readonly string[]): Generator<string> {
  let isExample = false;
  for (const paragraph of comment.join('\n').split(/\n\s*\n/)) {
    if (/^ {5}/.test(paragraph)) {
      if (isExample) yield paragraph;
    } else isExample = /^ Example\b/m.test(paragraph);
  }
}

function rankOf({ method }: Example): number {
  const created = CREATES.indexOf(method);
  if (created >= 0) return created;
  return CREATES.length + (ERASES.test(method) ? 1 : 0);
}

/** Field masks are written in the form of grpcurl, `{"paths": ["text", "tags"]}`; standard JSON has `"text,tags"`. */
function standardJsonOf(json: string): JsonValue {
  const isMask = (value: unknown): value is { paths: string[] } =>
    typeof value === 'object' && value !== null && 'paths' in value && Array.isArray(value.paths);
  const camelCase = (path: string) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return JSON.parse(json, (_, value: unknown) =>
    isMask(value) ? value.paths.map(camelCase).join(',') : value,
  ) as JsonValue;
}

/** The answer as JSON; of a stream its first message, after which it is cancelled. */
async function firstAnswerTo({ service, method, json }: Example): Promise<string> {
  const rpc = registry.getService(`mneme.v1.${service}`)?.methods.find(({ name }) => name === method);
  if (rpc === undefined) throw new Error(`${service}.${method} is not in gen/image.binpb`);
  const request = Buffer.from(toBinary(rpc.input, fromJson(rpc.input, standardJsonOf(json), { registry })));
  const path = `/mneme.v1.${service}/${method}`;
  const asIs = (bytes: Buffer) => bytes;
  const answer = await new Promise<Buffer>((resolve, reject) => {
    if (rpc.methodKind === 'unary') {
      client.makeUnaryRequest(path, asIs, asIs, request, (error, bytes) =>
        bytes === undefined ? reject(error) : resolve(bytes),
      );
      return;
    }
    const stream = client.makeServerStreamRequest(path, asIs, asIs, request);
    stream.on('error', reject);
    stream.once('data', (message: Buffer) => {
      resolve(message);
      stream.cancel();
    });
  });
  return toJsonString(rpc.output, fromBinary(rpc.output, answer), { registry });
}
