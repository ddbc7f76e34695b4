/** The commands of docs/api, sent to a real server in the order of tools/api-docs/requests.jsonl. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import {
  createFileRegistry,
  type DescMethod,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { wireCall } from '../server/grpc/support/wire-call.ts';

const PAGES = 'docs/api';
const COMMAND = /^ {4}(?:grp)?curl (.*?)-d '((?:[^']|'\\'')*)'(.*)$/gm;
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb')));

/** Methods whose request names an id that the server makes, which no page can know, or a webhook. */
const REFUSED: Readonly<Record<string, string>> = {
  'KnowledgeService.GetFact': 'MEMORY_NOT_FOUND',
  'KnowledgeService.UndoSupersession': 'MEMORY_NOT_FOUND',
  'KnowledgeService.RecordOutcome': 'MEMORY_NOT_FOUND',
  'ConsolidationService.UndoConsolidation': 'MEMORY_NOT_FOUND',
  'SubscriptionService.RotateWebhookSecret': 'SUBSCRIPTION_NOT_FOUND',
  'SubscriptionService.ResumeWebhook': 'SUBSCRIPTION_NOT_FOUND',
  'LifecycleService.AcknowledgeLifecycleEvents': 'FIELD_INVALID',
};

const bodies = new Map(readdirSync(PAGES).flatMap((page) => [...commandsIn(readFileSync(`${PAGES}/${page}`, 'utf8'))]));
const methods = readFileSync('tools/api-docs/requests.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => (JSON.parse(line) as [string])[0]);

interface Ajv {
  addSchema(schema: object, name: string): void;
  getSchema(name: string): (((value: unknown) => boolean) & { readonly errors?: readonly unknown[] }) | undefined;
}
/** JSON Schema 2020-12 of the linter of the document. */
const { default: Ajv2020 } = createRequire(resolve('.toolchain/openapi-tools/node_modules/from.js'))(
  '@redocly/ajv/dist/2020.js',
) as { readonly default: new (options: object) => Ajv };
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as object, 'openapi');

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

test('the server has the document at /openapi.json', async () => {
  const response = await fetch(`http://${server.server.address}/openapi.json`);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.text()).toBe(readFileSync('docs/openapi.json', 'utf8'));
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

/** The reason of the failure, if it fails. An answer is as docs/openapi.json has it. */
async function refusalOf(name: string): Promise<string | undefined> {
  const [service = '', method = ''] = name.split('.');
  const rpc = registry.getService(`mneme.v1.${service}`)?.methods.find((each) => each.name === method);
  if (rpc === undefined) throw new Error(`${name} is not in gen/image.binpb`);
  const body = bodies.get(name) ?? '';
  const path = `mneme.v1.${service}/${method}`;
  if (rpc.methodKind !== 'unary') return streamRefusal(path, rpc, body);
  const url = `http://${server.server.address}/${path}`;
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = (await response.json()) as { readonly details?: readonly { readonly debug?: { reason?: string } }[] };
  expect(schemaFaults(response.ok ? rpc.output.name : 'Error', answer)).toEqual([]);
  return response.ok ? undefined : answer.details?.find(({ debug }) => debug?.reason !== undefined)?.debug?.reason;
}

/** Streams are called over gRPC, and cancelled after the first message. */
async function streamRefusal(
  path: string,
  { input, methodKind }: DescMethod,
  body: string,
): Promise<string | undefined> {
  const request = Buffer.from(toBinary(input, fromJson(input, JSON.parse(body) as JsonValue, { registry })));
  const { refusal } = await wireCall(client, { path, kind: methodKind }, request, new Metadata());
  return refusal?.reason;
}

/** What is wrong with an answer by the schema of the document. */
function schemaFaults(name: string, answer: unknown): readonly unknown[] {
  const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
  if (!validate) throw new Error(`docs/openapi.json has no schema ${name}`);
  return validate(answer) ? [] : (validate.errors ?? []);
}
