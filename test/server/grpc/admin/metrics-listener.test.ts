import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from '../../../client/support/certificates.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'mneme-metrics-'));
const fileWith = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const TLS = {
  metricsTlsCert: fileWith('cert.pem', SERVER_CERTIFICATE),
  metricsTlsKey: fileWith('key.pem', SERVER_KEY),
};
const LISTEN = { metricsListen: '127.0.0.1:0' };

let mneme: TestServer | undefined;
afterEach(() => mneme?.stop());
afterAll(() => rmSync(folder, { recursive: true }));

interface Asked {
  readonly method?: string;
  readonly token?: string;
  readonly isTls?: boolean;
}

async function ask(path: string, { method = 'GET', token, isTls = false }: Asked = {}) {
  const [host, port] = (mneme?.server.metricsAddress ?? '').split(':');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = { host, port, path, method, headers };
  const sent = isTls
    ? httpsRequest({ ...options, ca: CA_CERTIFICATE, servername: 'server.mneme.test' })
    : httpRequest(options);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject).end();
  });
  let body = '';
  for await (const piece of response.setEncoding('utf8')) body += piece;
  return { status: response.statusCode, body };
}

describe('the metrics listener', () => {
  it('/healthz › 200 while the process answers; /readyz › of the server and of each service', async () => {
    mneme = await startTestServer(LISTEN);

    expect(await ask('/healthz')).toEqual({ status: 200, body: 'alive\n' });
    expect(await ask('/readyz')).toEqual({ status: 200, body: 'ready\n' });
    expect(await ask('/readyz?service=mneme.v1.MemoryService')).toEqual({ status: 200, body: 'ready\n' });
    expect((await ask('/readyz?service=mneme.v1.NoService')).status).toBe(404);
  });

  it('a path, a method or a URL that is not served › an error of the caller', async () => {
    mneme = await startTestServer(LISTEN);

    expect((await ask('/other')).status).toBe(404);
    expect((await ask('//')).status).toBe(404);
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
    expect(await ask('/metrics', { method: 'HEAD' })).toEqual({ status: 200, body: '' });
  });

  it('with a certificate › it serves TLS alone', async () => {
    mneme = await startTestServer({ ...LISTEN, ...TLS });

    expect((await ask('/metrics', { isTls: true })).body).toContain('mneme_serving 1');
    await expect(ask('/metrics')).rejects.toThrow();
  });

  it('with tokens › /metrics needs one of them, probes none', async () => {
    const metricsTokenFile = fileWith('tokens', 'former\npresent\n');
    mneme = await startTestServer({ ...LISTEN, ...TLS, metricsTokenFile });

    for (const token of ['former', 'present']) {
      expect((await ask('/metrics', { isTls: true, token })).status).toBe(200);
    }
    for (const token of [undefined, '', 'other', 'presen', 'present2']) {
      const { status, body } = await ask('/metrics', { isTls: true, token });
      expect({ token, status, hasMetrics: body.includes('mneme_') }).toEqual({ token, status: 401, hasMetrics: false });
    }
    expect((await ask('/readyz', { isTls: true })).status).toBe(200);
  });

  it.each([
    [{ metricsTokenFile: fileWith('empty', '\n') }, '--metrics-token-file: expected at least one token'],
    [{ metricsTokenFile: join(folder, 'missing') }, '--metrics-token-file: .* cannot be read'],
    [
      { metricsTlsCert: TLS.metricsTlsKey, metricsTlsKey: TLS.metricsTlsKey },
      '--metrics-tls-cert and --metrics-tls-key',
    ],
  ])('with files that cannot be used › the server does not start and names the flag: %j', async (flags, message) => {
    await expect(startTestServer({ ...LISTEN, ...flags })).rejects.toThrow(new RegExp(message));
  });
});
