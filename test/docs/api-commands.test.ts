/** The commands of docs/api, sent to a real server in the order of tools/api-docs/requests.jsonl. */
import { readdirSync, readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { wireCall } from '../server/grpc/support/wire-call.ts';

const PAGES = 'docs/api';
const COMMAND = /^ {4}(?:grp)?curl (.*?)-d '((?:[^']|'\\'')*)'(.*)$/gm;
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb')));

/** Methods whose request names an id that the server makes, which no page can know. */
const REFUSED: Readonly<Record<string, string>> = {
  'KnowledgeService.GetFact': 'MEMORY_NOT_FOUND',
  'KnowledgeService.UndoSupersession': 'MEMORY_NOT_FOUND',
  'KnowledgeService.RecordOutcome': 'MEMORY_NOT_FOUND',
  'ConsolidationService.UndoConsolidation': 'MEMORY_NOT_FOUND',
  'LifecycleService.AcknowledgeLifecycleEvents': 'FIELD_INVALID',
};

const bodies = new Map(readdirSync(PAGES).flatMap((page) => [...commandsIn(readFileSync(`${PAGES}/${page}`, 'utf8'))]));
const methods = readFileSync('tools/api-docs/requests.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => (JSON.parse(line) as [string])[0]);

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startTestServer();
  client = new Client(server.server.address, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await server.stop();
});

test('every method of one request has a command', () => {
  const served = [...registry].flatMap((type) => (type.kind === 'service' ? type.methods : []));
  const names = served
    .filter(({ parent, methodKind }) => parent.file.proto.package === 'mneme.v1' && !/^(client|bidi)/.test(methodKind))
    .map(({ parent, name }) => `${parent.name}.${name}`);
  expect([...bodies.keys()].sort()).toEqual(names.sort());
  expect(methods.toSorted()).toEqual(names);
});

test.each(methods)('%s: its command is answered', async (method) => {
  expect(await refusalOf(method)).toBe(REFUSED[method]);
});

/** Methods with the JSON of their commands. */
function* commandsIn(page: string): Generator<[string, string]> {
  for (const [, before = '', body = '', after = ''] of page.matchAll(COMMAND)) {
    const [, service = '', method = ''] = /mneme\.v1\.(\w+)\/(\w+)/.exec(before + after) ?? [];
    yield [`${service}.${method}`, body.replaceAll(String.raw`'\''`, "'")];
  }
}

/** The reason of the failure, if it fails; a stream is cancelled after its first message. */
async function refusalOf(name: string): Promise<string | undefined> {
  const [service = '', method = ''] = name.split('.');
  const rpc = registry.getService(`mneme.v1.${service}`)?.methods.find((each) => each.name === method);
  if (rpc === undefined) throw new Error(`${name} is not in gen/image.binpb`);
  const json = JSON.parse(bodies.get(name) ?? '') as JsonValue;
  const request = Buffer.from(toBinary(rpc.input, fromJson(rpc.input, json, { registry })));
  const called = { path: `mneme.v1.${service}/${method}`, kind: rpc.methodKind };
  const { refusal } = await wireCall(client, called, request, new Metadata());
  return refusal?.reason;
}
