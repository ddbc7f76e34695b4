import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { checkCertificates } from '../../../../src/cli/certificate-findings.ts';
import { openCertificates } from '../../../../src/server/assembly/open-certificates.ts';
import { readAccess } from '../../../../src/server/config/access.ts';
import { configFrom } from '../../../../src/server/config/config.ts';
import { ask } from '../support/ask.ts';
import { certificatesIn } from '../support/certificates.ts';
import { scrape } from '../support/scrape.ts';
import { connect, loggerInto, startTestServer, type TestServer } from '../support/test-server.ts';

const DAY_MS = 86_400_000;

let folder: string;
let mneme: TestServer | undefined;
const file = (name: string) => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-certificates-'));
  const { authority, signed } = certificatesIn(folder);
  for (const name of ['old', 'new']) {
    authority(`${name}-ca`);
    signed(`${name}-ca`, `${name}-server`);
    signed(`${name}-ca`, `${name}-client`);
  }
  signed('new-ca', 'long-server', '9');
});
beforeEach(() => {
  put('old-server');
  copyFileSync(file('old-ca.pem'), file('ca.pem'));
});
afterEach(async () => {
  await mneme?.stop();
  mneme = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Puts a certificate of the server in place, as a tool that renews it does. */
function put(name: string): void {
  copyFileSync(file(`${name}.key`), file('in-use.key'));
  copyFileSync(file(`${name}.pem`), file('in-use.pem'));
}

const tls = (more: Record<string, string> = {}) => ({
  tlsCert: file('in-use.pem'),
  tlsKey: file('in-use.key'),
  tlsIntervalMs: '100',
  ...more,
});

const metricsTls = () => ({
  metricsListen: '127.0.0.1:0',
  metricsTlsCert: file('in-use.pem'),
  metricsTlsKey: file('in-use.key'),
});

/** Whether a new connection is served. */
async function isServed(channel: ChannelCredentials): Promise<boolean> {
  const client = connect(mneme?.address ?? '', channel, { 'grpc.use_local_subchannel_pool': 1 });
  try {
    await ask(client.admin, client.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    return true;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

/** Whether a new connection over HTTPS is answered to a client that trusts this authority. */
function isAnswered(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { ca: readFileSync(file(`${ca}.pem`)), agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

/** Text that is answered over HTTPS to a client that trusts this authority. */
function answerOf(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca: readFileSync(file(`${ca}.pem`)), agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}

/** Resolves when a new connection is served. */
async function served(channel: () => ChannelCredentials): Promise<void> {
  while (!(await isServed(channel()))) await new Promise((resolve) => setImmediate(resolve));
}

const trusting = (ca: string, ...own: [Buffer?, Buffer?]) =>
  credentials.createSsl(readFileSync(file(`${ca}.pem`)), ...own);
const certified = (ca: string, name: string) =>
  trusting(ca, readFileSync(file(`${name}.key`)), readFileSync(file(`${name}.pem`)));
const errorsOf = ({ log }: Pick<TestServer, 'log'>) => log.filter(({ level }) => level === 'error');

describe('certificates that are replaced while the server runs', () => {
  it('of the server › are those of new connections', async () => {
    mneme = await startTestServer(tls());
    expect(await isServed(trusting('old-ca'))).toBe(true);
    expect(await isServed(trusting('new-ca'))).toBe(false);

    put('new-server');
    await served(() => trusting('new-ca'));
    expect(await isServed(trusting('old-ca'))).toBe(false);
    expect(errorsOf(mneme)).toEqual([]);
  });

  it('of the metrics listener › are those of new connections', async () => {
    mneme = await startTestServer({ ...metricsTls(), tlsIntervalMs: '100' });
    const url = `https://${mneme.server.metricsAddress}/healthz`;
    expect(await isAnswered(url, 'old-ca')).toBe(true);
    expect(await isAnswered(url, 'new-ca')).toBe(false);

    put('new-server');
    while (!(await isAnswered(url, 'new-ca'))) await new Promise((resolve) => setImmediate(resolve));
    expect(await isAnswered(url, 'old-ca')).toBe(false);
  });

  it('of the metrics listener, that have expired › are reported, and the old ones stay', async () => {
    mneme = await startTestServer(
      { ...metricsTls(), tlsIntervalMs: '100' },
      { clock: { nowUs: () => (Date.now() + 3 * DAY_MS) * 1000 } },
    );
    put('new-server');
    while (errorsOf(mneme).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const reason = expect.stringMatching(/^--metrics-tls-cert: has expired at /);
    expect(errorsOf(mneme)).toMatchObject([{ part: 'access', reason }]);
    expect(await isAnswered(`https://${mneme.server.metricsAddress}/healthz`, 'old-ca')).toBe(true);
  });

  it('of the authority of clients › decide which new connections are admitted', async () => {
    mneme = await startTestServer(tls({ tlsClientCa: file('ca.pem') }));
    expect(await isServed(certified('old-ca', 'old-client'))).toBe(true);
    expect(await isServed(certified('old-ca', 'new-client'))).toBe(false);

    copyFileSync(file('new-ca.pem'), file('ca.pem'));
    await served(() => certified('old-ca', 'new-client'));
    expect(await isServed(certified('old-ca', 'old-client'))).toBe(false);
  });

  it.each([
    ['that are none', () => writeFileSync(file('in-use.pem'), 'no certificate')],
    ['whose key is another', () => copyFileSync(file('new-server.pem'), file('in-use.pem'))],
    [
      'that are cut off',
      () => writeFileSync(file('in-use.pem'), readFileSync(file('new-server.pem')).subarray(0, 300)),
    ],
    ['that cannot be read', () => rmSync(file('in-use.key'))],
  ])('%s › are reported once, and the old ones stay until good ones are there', async (_, spoil) => {
    mneme = await startTestServer(tls());
    spoil();
    while (errorsOf(mneme).length === 0) expect(await isServed(trusting('old-ca'))).toBe(true);
    const reason = expect.stringMatching(/^--tls-/);
    const msg = 'the new certificate is not used: the old one stays';
    expect(errorsOf(mneme)).toMatchObject([{ part: 'access', msg, reason }]);
    put('new-server');
    await served(() => trusting('new-ca'));
  });

  it('that have expired › are not used', async () => {
    const config = configFrom({ flags: tls(), env: {} });
    const log: Record<string, unknown>[] = [];
    const closers: (() => Promise<void>)[] = [];
    const clock = { nowUs: () => (Date.now() + 3 * DAY_MS) * 1000 };
    const { ends } = openCertificates(config, readAccess(config), loggerInto(log), clock, closers);
    const before = ends();
    put('new-server');
    while (log.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await closers[0]?.();

    expect(log[0]).toMatchObject({ reason: expect.stringContaining('--tls-cert: has expired at ') });
    expect(ends()).toEqual(before);
  });

  it('with an expired one after them in their chain › are used', async () => {
    const config = configFrom({ flags: tls(), env: {} });
    const log: Record<string, unknown>[] = [];
    const closers: (() => Promise<void>)[] = [];
    const clock = { nowUs: () => (Date.now() + 3 * DAY_MS) * 1000 };
    openCertificates(config, readAccess(config), loggerInto(log, 'info'), clock, closers);
    put('long-server');
    writeFileSync(
      file('in-use.pem'),
      [readFileSync(file('long-server.pem')), readFileSync(file('old-ca.pem'))].join(''),
    );
    while (log.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await closers[0]?.();

    expect(log).toMatchObject([{ msg: 'new connections get the certificate that has been put in place' }]);
  });
});

describe('the end of a certificate', () => {
  it('is a metric', async () => {
    mneme = await startTestServer(tls({ tlsClientCa: file('ca.pem'), metricsListen: '127.0.0.1:0' }));
    const metrics = await scrape(mneme);
    for (const use of ['server', 'client_ca']) {
      const endS = metrics.get(`mneme_tls_certificate_end_timestamp_seconds{use="${use}"}`) ?? 0;
      expect(endS * 1000 - Date.now()).toBeGreaterThan(DAY_MS);
      expect(endS * 1000 - Date.now()).toBeLessThan(3 * DAY_MS);
    }
  });

  it('of the metrics listener › is a metric, also of the one that replaces it', async () => {
    mneme = await startTestServer({ ...metricsTls(), tlsIntervalMs: '100' });
    const { metricsAddress } = mneme.server;
    const daysLeft = async (ca: string): Promise<number> => {
      const text = await answerOf(`https://${metricsAddress}/metrics`, ca);
      const [, endS] = /^mneme_tls_certificate_end_timestamp_seconds\{use="metrics"\} (\S+)$/m.exec(text) ?? [];
      return (Number(endS) * 1000 - Date.now()) / DAY_MS;
    };
    expect(await daysLeft('old-ca')).toBeLessThan(3);
    put('long-server');
    const url = `https://${metricsAddress}/healthz`;
    while (!(await isAnswered(url, 'new-ca'))) await new Promise((resolve) => setImmediate(resolve));
    expect(await daysLeft('new-ca')).toBeGreaterThan(8);
  });

  it('of the metrics listener › is a finding of the doctor', () => {
    const config = configFrom({ flags: metricsTls(), env: {} });
    expect(checkCertificates(config)).toMatchObject([
      { status: 'warn', message: expect.stringContaining(file('in-use.pem')) },
    ]);
    expect(checkCertificates(config, Date.now() + 3 * DAY_MS)).toMatchObject([{ status: 'fail' }]);
    writeFileSync(file('in-use.key'), 'no key');
    expect(checkCertificates(config)).toMatchObject([
      { status: 'fail', message: expect.stringContaining('--metrics-tls-key') },
    ]);
  });

  it('is a finding of the doctor', () => {
    const config = configFrom({ flags: tls({ tlsClientCa: file('ca.pem') }), env: {} });
    expect(checkCertificates(config).map(({ status }) => status)).toEqual(['warn', 'warn']);
    expect(checkCertificates(config, Date.now() + 3 * DAY_MS)[0]).toMatchObject({
      status: 'fail',
      message: expect.stringContaining(' expired on '),
    });
    writeFileSync(file('in-use.key'), 'no key');
    expect(checkCertificates(config)).toMatchObject([{ status: 'fail' }]);
    expect(checkCertificates(configFrom({ env: {} }))).toEqual([]);
  });
});
