import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecallRequest, RecallResponse } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from '../grpc/support/ask.ts';
import { certificatesIn } from '../grpc/support/certificates.ts';
import { framed } from '../grpc/support/raw-call.ts';
import { connect, startTestServer, type TestServer } from '../grpc/support/test-server.ts';
import { callJson, envelopesIn, get, type HttpOptions, send, trailersIn } from './support/http-call.ts';

const folder = mkdtempSync(join(tmpdir(), 'mneme-http-'));
const file = (name: string) => join(folder, name);
const servers: Record<string, TestServer> = {};
beforeAll(async () => {
  const certificates = certificatesIn(folder);
  certificates.authority('authority');
  for (const name of ['server', 'caller']) certificates.signed('authority', name);
  servers.plaintext = await startTestServer();
  servers.TLS = await startTestServer({
    tlsCert: file('server.pem'),
    tlsKey: file('server.key'),
    tlsClientCa: file('authority.pem'),
  });
  servers.unix = await startTestServer({ listen: `unix:${file('socket')}` });
});
afterAll(async () => {
  for (const server of Object.values(servers)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pem = (name: string) => readFileSync(file(name));

function place(name: string): { server: TestServer; options: HttpOptions } {
  const server = servers[name];
  if (!server) throw new Error(`there is no server ${name}`);
  if (name === 'unix') return { server, options: { socketPath: file('socket') } };
  if (name !== 'TLS') return { server, options: {} };
  return { server, options: { tls: { ca: pem('authority.pem'), cert: pem('caller.pem'), key: pem('caller.key') } } };
}

const RECALL = '/mneme.v1.RecallService/Recall';
const EXPORT = '/mneme.v1.MemoryService/ExportMemories';
const question = RecallRequest.fromPartial({ text: 'Who plays the cello?' });
const bytes = Buffer.from(RecallRequest.encode(question).finish());
const textsOf = (answer: RecallResponse) => answer.hits.map(({ memory }) => memory?.text);

describe.each(['plaintext', 'TLS', 'unix'])('over %s', (name) => {
  it('a memory stored in JSON without a namespace › is recalled by each protocol', async () => {
    const { server, options } = place(name);
    const { address } = server;
    const stored = await callJson(
      address,
      'MemoryService/StoreMemory',
      { memory: { text: 'Ada plays the cello.' } },
      options,
    );
    expect(stored).toMatchObject({
      status: 200,
      json: { memory: { name: expect.stringMatching(/^namespaces\/default\/memories\//) } },
    });

    const inJson = await callJson(address, 'RecallService/Recall', { text: question.text }, options);
    expect(inJson.json).toMatchObject({
      hits: [{ memory: { text: 'Ada plays the cello.', tier: 'TIER_SHORT_TERM' } }],
    });
    const type = (value: string) => ({ ...options, headers: { 'content-type': value } });
    const inBinary = await send(address, RECALL, bytes, type('application/proto'));
    expect(textsOf(RecallResponse.decode(inBinary.body))).toEqual(['Ada plays the cello.']);
    const overWeb = await send(address, RECALL, framed(bytes), type('application/grpc-web+proto'));
    const [message, trailers] = envelopesIn(overWeb.body);
    expect(textsOf(RecallResponse.decode(message?.data ?? Buffer.alloc(0)))).toEqual(['Ada plays the cello.']);
    expect(trailers && trailersIn(trailers)).toMatchObject({ 'grpc-status': '0' });
    const stream = await send(address, EXPORT, framed(Buffer.from('{}')), type('application/connect+json'));
    const [first, last] = envelopesIn(stream.body);
    expect(JSON.parse(String(first?.data))).toMatchObject({ memories: [{ text: 'Ada plays the cello.' }] });
    expect([last?.flag, String(last?.data)]).toEqual([2, '{}']);

    const channel = options.tls
      ? credentials.createSsl(pem('authority.pem'), pem('caller.key'), pem('caller.pem'))
      : credentials.createInsecure();
    const grpc = connect(address, channel);
    expect(textsOf(await ask(grpc.recalls, grpc.recalls.recall, question))).toEqual(['Ada plays the cello.']);
    grpc.close();
  });

  it('probes and the list of what is here › are JSON', async () => {
    const { server, options } = place(name);
    const answers = await Promise.all(
      ['/', '/healthz', '/readyz', '/readyz?service=mneme.v1.RecallService', '/readyz?service=x', '/nothing'].map(
        async (path) => {
          const { status, body } = await get(server.address, path, options);
          return [status, JSON.parse(String(body))] as const;
        },
      ),
    );
    expect(answers).toMatchObject([
      [200, { name: 'Mneme', links: { ready: '/readyz' } }],
      [200, { status: 'alive' }],
      [200, { status: 'ready' }],
      [200, { status: 'ready' }],
      [404, { code: 'not_found' }],
      [404, { message: expect.stringContaining('GET / lists') }],
    ]);
  });
});

describe('a call', () => {
  const at = () => place('plaintext').server.address;
  const JSON_TYPE = { 'content-type': 'application/json' };

  it('by a name that is sent › has it in the answer, also of an error', async () => {
    const headers = { 'x-request-id': 'mine-1' };
    expect((await callJson(at(), 'RecallService/Recall', { text: 'x' }, { headers })).headers).toMatchObject(headers);
    expect((await callJson(at(), 'RecallService/Recall', { txt: 'x' }, { headers })).headers).toMatchObject(headers);
  });

  it('in gzip › is read; one that unpacks beyond the limit, or in another encoding, is refused', async () => {
    const gzip = { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } };
    expect(await send(at(), RECALL, gzipSync('{"text":"cello"}'), gzip)).toMatchObject({ status: 200 });
    expect(await send(at(), RECALL, gzipSync(Buffer.alloc(20_000_000)), gzip)).toMatchObject({ status: 429 });
    expect(await send(at(), RECALL, 'no gzip', gzip)).toMatchObject({ status: 400 });
    const other = { headers: { ...JSON_TYPE, 'content-encoding': 'br' } };
    expect(await send(at(), RECALL, '{}', other)).toMatchObject({ status: 501 });
  });

  it('without time › ends with deadline_exceeded; one with a timeout that is none is refused', async () => {
    const late = await callJson(
      at(),
      'RecallService/Recall',
      { text: 'x' },
      { headers: { 'connect-timeout-ms': '0' } },
    );
    expect(late).toMatchObject({ status: 504, json: { code: 'deadline_exceeded' } });
    const odd = await callJson(at(), 'RecallService/Recall', {}, { headers: { 'connect-timeout-ms': 'soon' } });
    expect(odd).toMatchObject({ status: 400, json: { message: 'connect-timeout-ms: must be up to 10 digits' } });
  });

  it.each([
    [{ txt: 'x' }, 'txt: is not a field of RecallRequest; did you mean text?'],
    [{ text: 1 }, 'text: expected string, got 1'],
    [{ scope: { agnt: 'x' } }, 'scope.agnt: is not a field of Scope; did you mean agent?'],
    [{ example: { texts: [{}] } }, 'example.texts: is not a field of'],
    [{ embedding: { values: ['x'] } }, 'embedding.values'],
    [[], 'must be an object, got []'],
  ])('in JSON that is no request, as %j › is refused by the name of the field', async (request, message) => {
    const { status, json } = await callJson(at(), 'RecallService/Recall', request);
    expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
    expect(json).toMatchObject({
      details: [{ debug: { reason: 'MESSAGE_MALFORMED' } }, {}, ...[{}].slice(Array.isArray(request) ? 1 : 0)],
    });
  });

  it.each(['{"text":', '{"text":"a","text":"b"}', '"', '\xff', `${'['.repeat(100_000)}`])(
    'with bytes that are no JSON › is refused',
    async (text) => {
      const answer = await send(at(), RECALL, Buffer.from(text, 'latin1'), { headers: JSON_TYPE });
      expect([answer.status, String(answer.body)]).toEqual([400, expect.stringContaining('MESSAGE_MALFORMED')]);
    },
  );

  it('of another content type, HTTP method or path › is told what to send', async () => {
    const form = await send(at(), RECALL, '{}', { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect([form.status, String(form.body)]).toEqual([
      415,
      expect.stringContaining("-H 'content-type: application/json'"),
    ]);
    const grpc = await send(at(), RECALL, '', { headers: { 'content-type': 'application/grpc' } });
    expect([grpc.status, String(grpc.body)]).toEqual([415, expect.stringContaining('HTTP/2')]);
    const read = await get(at(), RECALL);
    expect([read.status, read.headers.allow, String(read.body)]).toEqual([
      405,
      'POST',
      expect.stringContaining('by POST'),
    ]);
    const stream = await send(at(), EXPORT, '{}', { headers: JSON_TYPE });
    expect([stream.status, String(stream.body)]).toEqual([415, expect.stringContaining('application/connect+json')]);
    const unknown = await callJson(at(), 'RecallService/Recal', {});
    expect(unknown).toMatchObject({
      json: { code: 'unimplemented', details: [{ debug: { reason: 'METHOD_UNKNOWN' } }] },
    });
  });

  it('that is too large › gets MESSAGE_TOO_LARGE, when it has been sent', async () => {
    const { status, json } = await callJson(at(), 'RecallService/Recall', { text: 'x'.repeat(7_000_000) });
    expect([status, json]).toMatchObject([429, { details: [{ debug: { reason: 'MESSAGE_TOO_LARGE' } }, {}] }]);
  });
});
