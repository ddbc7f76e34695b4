import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CountMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ListNamespacesRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { subjectNames } from '../../../../src/server/identity/certificate-identity.ts';
import { callJson, get } from '../../http/support/http-call.ts';
import { ask, refusal } from '../support/ask.ts';
import { type Clients, connect, startTestServer, type TestServer } from '../support/test-server.ts';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout'];
const SPIFFE = 'spiffe://example.org/agents/ada';

let folder: string;
let mneme: TestServer;
const clients: Clients[] = [];
const file = (name: string) => join(folder, name);
const pem = (name: string) => readFileSync(file(name));
const openssl = (...args: string[]) =>
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });

function makeCertificate(authority: string, name: string, names: string): void {
  const subject = ['-subj', `/CN=${name}`, ...(names === '' ? [] : ['-addext', `subjectAltName=${names}`])];
  openssl('req', ...NEW_KEY, `${name}.key`, '-out', `${name}.csr`, ...subject);
  const sign = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial', '-copy_extensions', 'copy'];
  openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, '-days', '2', ...sign);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-mtls-'));
  for (const name of ['authority', 'stranger']) {
    openssl('req', '-x509', ...NEW_KEY, `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', `/CN=${name}`);
  }
  makeCertificate('authority', 'server', 'IP:127.0.0.1');
  makeCertificate('authority', 'spiffe', `DNS:ada.example,URI:${SPIFFE}`);
  makeCertificate('authority', 'dns', 'DNS:batch.example');
  makeCertificate('authority', 'nameless', '');
  makeCertificate('authority', 'twofold', `URI:${SPIFFE},URI:spiffe://example.org/agents/eve`);
  makeCertificate('stranger', 'intruder', `URI:${SPIFFE}`);
  const grants = {
    [SPIFFE]: [{ namespaces: ['own'], verbs: ['read'] }],
    'batch.*': [{ namespaces: ['jobs'], verbs: ['read'] }],
  };
  writeFileSync(file('policy.json'), JSON.stringify({ identities: grants }));
  mneme = await startTestServer({
    tlsCert: file('server.pem'),
    tlsKey: file('server.key'),
    tlsClientCa: file('authority.pem'),
    tlsClientIdentities: 'true',
    policyFile: file('policy.json'),
  });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await mneme.stop();
  rmSync(folder, { recursive: true, force: true });
});

function count(name: string, namespace: string) {
  const pems = [file('authority.pem'), file(`${name}.key`), file(`${name}.pem`)] as const;
  const [ca, key, cert] = pems.map((path) => readFileSync(path));
  const client = connect(mneme.address, credentials.createSsl(ca, key, cert));
  clients.push(client);
  const { memories, namespaces } = client;
  if (namespace === '') return ask(namespaces, namespaces.listNamespaces, ListNamespacesRequest.fromPartial({}));
  const request = CountMemoriesRequest.fromPartial({ parent: `namespaces/${namespace}` });
  return ask(memories, memories.countMemories, request);
}

describe('identities of client certificates', () => {
  it('a SPIFFE id › is the identity, before DNS names', async () => {
    expect(await count('spiffe', 'own')).toMatchObject({ count: 0 });
    expect(await refusal(count('spiffe', 'jobs'))).toMatchObject({
      code: 'PERMISSION_DENIED',
      metadata: { identity: SPIFFE },
    });
  });

  it('a DNS name › is the identity where there is no SPIFFE id', async () => {
    expect(await count('dns', 'jobs')).toMatchObject({ count: 0 });
    expect(await refusal(count('dns', 'own'))).toMatchObject({ metadata: { identity: 'batch.example' } });
  });

  it('no name, two SPIFFE ids › UNAUTHENTICATED; an unknown authority › no connection', async () => {
    for (const name of ['nameless', 'twofold']) {
      expect(await refusal(count(name, ''))).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'CREDENTIALS_INVALID' });
    }
    expect(await refusal(count('intruder', ''))).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('names with commas and quotes in them › add no names', () => {
    expect(subjectNames('DNS:a.example, URI:spiffe://example.org/x, IP Address:127.0.0.1')).toEqual([
      { kind: 'DNS', name: 'a.example' },
      { kind: 'URI', name: 'spiffe://example.org/x' },
      { kind: 'IP Address', name: '127.0.0.1' },
    ]);
    expect(subjectNames('DNS:"evil, URI:spiffe://example.org/admin"')).toEqual([
      { kind: 'DNS', name: 'evil, URI:spiffe://example.org/admin' },
    ]);
    expect(() => subjectNames('DNS:"evil, URI:x')).toThrow('cannot be read');
  });
});

describe('a client certificate over HTTP/1.1', () => {
  it('identifies the caller as over gRPC', async () => {
    const tls = { ca: pem('authority.pem'), cert: pem('spiffe.pem'), key: pem('spiffe.key') };
    const of = (namespace: string) =>
      callJson(mneme.address, 'MemoryService/CountMemories', { parent: `namespaces/${namespace}` }, { tls });
    expect(await of('own')).toMatchObject({ status: 200 });
    expect(await of('jobs')).toMatchObject({
      status: 403,
      json: { details: [{ debug: { reason: 'PERMISSION_MISSING', metadata: { identity: SPIFFE } } }, {}] },
    });
    const stranger = { ca: pem('authority.pem'), cert: pem('intruder.pem'), key: pem('intruder.key') };
    await expect(get(mneme.address, '/healthz', { tls: stranger })).rejects.toThrow();
    await expect(get(mneme.address, '/healthz', { tls: { ca: pem('authority.pem') } })).rejects.toThrow();
  });
});
