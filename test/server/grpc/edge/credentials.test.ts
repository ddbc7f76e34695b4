import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HealthCheckRequest } from '../../../../gen/ts/grpc/health/v1/health.ts';
import { GetServerInfoRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import {
  LifecyclePhase,
  ServeHookRequest,
  type ServeHookResponse,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { WatchMemoriesRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { certificatesIn } from '../support/certificates.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { type Clients, connect, startTestServer, type TestServer } from '../support/test-server.ts';

let folder: string;
let mneme: TestServer | undefined;
const clients: Clients[] = [];
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-tls-'));
  const { authority, signed } = certificatesIn(folder);
  for (const name of ['authority', 'stranger']) authority(name);
  signed('authority', 'server');
  signed('authority', 'client');
  signed('stranger', 'intruder');
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await mneme?.stop();
  mneme = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function info(channel: ChannelCredentials, metadata = new Metadata()) {
  const client = connect(mneme?.address ?? '', channel);
  clients.push(client);
  return ask(client.admin, client.admin.getServerInfo, GetServerInfoRequest.fromPartial({}), { metadata });
}

function bearer(value: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', value);
  return metadata;
}

describe('TLS', () => {
  const tls = () => ({ tlsCert: file('server.pem'), tlsKey: file('server.key') });
  const trusting = (...own: [Buffer?, Buffer?]) => credentials.createSsl(readFileSync(file('authority.pem')), ...own);
  const certified = (name: string) => trusting(readFileSync(file(`${name}.key`)), readFileSync(file(`${name}.pem`)));

  it('when the client trusts the authority › it is served; in plaintext and with another authority it is not', async () => {
    mneme = await startTestServer(tls());

    expect((await info(trusting())).version).toMatch(/^\d/);
    expect(await refusal(info(credentials.createInsecure()))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await refusal(info(credentials.createSsl(readFileSync(file('stranger.pem')))))).toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it('when client certificates are required › only those of the authority are admitted', async () => {
    mneme = await startTestServer({ ...tls(), tlsClientCa: file('authority.pem') });

    expect((await info(certified('client'))).version).toMatch(/^\d/);
    expect(await refusal(info(trusting()))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await refusal(info(certified('intruder')))).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.each([
    ['a file that is not there', () => ({ ...tls(), tlsKey: file('none.key') }), '--tls-key: '],
    ['a key of another certificate', () => ({ ...tls(), tlsKey: file('client.key') }), '--tls-cert and --tls-key: '],
    ['a certificate that is none', () => ({ ...tls(), tlsCert: file('server.key') }), '--tls-cert and --tls-key: '],
    ['an authority that is none', () => ({ ...tls(), tlsClientCa: file('server.key') }), '--tls-client-ca: '],
  ])('when it is given %s › the server does not start and names the flag', async (_, flags, start) => {
    const failure = await startTestServer(flags()).then(
      () => undefined,
      (error: Error) => error.message,
    );

    expect(failure?.slice(0, start.length)).toBe(start);
    expect(failure).not.toContain('\n');
  });
});

describe('bearer tokens', () => {
  it('with a token of the file › the call is served, otherwise UNAUTHENTICATED before any other check', async () => {
    writeFileSync(file('tokens'), 'first-token\n\n  second-token  \n');
    mneme = await startTestServer({ authTokensFile: file('tokens') });
    const plain = credentials.createInsecure();

    expect((await info(plain, bearer('Bearer second-token'))).version).toMatch(/^\d/);
    expect((await info(plain, bearer('bearer first-token'))).version).toMatch(/^\d/);
    for (const metadata of [new Metadata(), bearer('Bearer second-toke'), bearer('second-token'), bearer('Bearer ')]) {
      expect(await refusal(info(plain, metadata))).toMatchObject({
        code: 'UNAUTHENTICATED',
        reason: 'CREDENTIALS_INVALID',
      });
    }
    expect(JSON.stringify(mneme.log)).not.toContain('second-tok');
  });

  it('when a token is removed from the file › it is refused and its streams end, those of others go on', async () => {
    writeFileSync(file('tokens'), 'first-token\nsecond-token\n');
    mneme = await startTestServer({ authTokensFile: file('tokens'), authTokensIntervalMs: '100' });
    const plain = credentials.createInsecure();
    const watch = (token: string) => {
      const client = connect(mneme?.address ?? '', plain);
      clients.push(client);
      return new FollowedStream(
        client.recalls.watchMemories(
          WatchMemoriesRequest.fromPartial({ parent: 'namespaces/default', startRevision: 0n }),
          bearer(`Bearer ${token}`),
        ),
      );
    };
    const [removed, kept] = [watch('first-token'), watch('second-token')];
    for (const stream of [removed, kept]) await stream.until(({ event }) => event?.$case === 'created');
    writeFileSync(file('tokens'), 'second-token\nthird-token\n');

    const end = await removed.outcome();
    expect(end === true ? 'OK' : refusalOf(end).code).toBe('UNAUTHENTICATED');
    expect(await refusal(info(plain, bearer('Bearer first-token')))).toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    expect((await info(plain, bearer('Bearer third-token'))).version).toMatch(/^\d/);
    expect((await info(plain, bearer('Bearer second-token'))).version).toMatch(/^\d/);
    kept.cancel();
    expect(JSON.stringify(mneme.log)).not.toContain('-token');
  });

  it('when required hooks are for some tokens only › those of others are refused by their field', async () => {
    writeFileSync(file('tokens'), 'operator-token\nagent-token\n');
    writeFileSync(file('hooks'), 'operator-token\n');
    mneme = await startTestServer({ authTokensFile: file('tokens'), requiredHookTokensFile: file('hooks') });
    const register = (token: string, required: boolean) => {
      const client = connect(mneme?.address ?? '', credentials.createInsecure());
      clients.push(client);
      const stream = client.lifecycle.serveHook(bearer(`Bearer ${token}`));
      const value = { parent: 'namespaces/n', hook: 'h', phases: [LifecyclePhase.LIFECYCLE_PHASE_BEFORE], required };
      stream.write(ServeHookRequest.fromPartial({ message: { $case: 'registration', value } }));
      return new FollowedStream<ServeHookResponse>(stream);
    };
    for (const allowed of [register('operator-token', true), register('agent-token', false)]) {
      await allowed.until(({ message }) => message?.$case === 'registered');
      allowed.cancel();
    }
    const end = await register('agent-token', true).outcome();
    expect(end === true ? 'OK' : refusalOf(end).fields).toEqual(['registration.required']);
  });

  it('when the health is asked for › no token is needed', async () => {
    writeFileSync(file('tokens'), 'x');
    mneme = await startTestServer({ authTokensFile: file('tokens') });

    expect(await ask(mneme.health, mneme.health.check, HealthCheckRequest.fromPartial({}))).toEqual({ status: 1 });
  });

  it('when the file has none › the server does not start', async () => {
    writeFileSync(file('tokens'), '\n \n');

    await expect(startTestServer({ authTokensFile: file('tokens') })).rejects.toThrow('expected at least one token');
  });

  it.each([
    ['authTokensFile', '--auth-tokens-file: expected tokens of 1 to 4,096 printable ASCII'],
    ['metricsTokenFile', '--metrics-token-file: expected tokens of 1 to 4,096 printable ASCII'],
  ])('X8 when %s has bytes, or a line that is too long › the start is refused', async (setting, message) => {
    for (const content of [Buffer.from([0xff, 0x00, 0x81, 0x33]), 'two words\n', 'x'.repeat(4097), 'kävla\n']) {
      writeFileSync(file('tokens'), content);
      const settings = { [setting]: file('tokens'), metricsListen: '127.0.0.1:0' };
      await expect(startTestServer(settings)).rejects.toThrow(message);
    }
  });

  it('X8 when the file of the JWKS cannot be used › the start is refused in one line', async () => {
    const settings = { jwtKeys: file('jwks'), jwtIssuer: 'https://issuer.example', jwtAudience: 'mneme' };
    await expect(startTestServer(settings)).rejects.toThrow(/^--jwt-keys: .* cannot be read \(ENOENT\)$/);
    for (const content of ['', 'no JSON', '[]', '{"keys": {}}']) {
      writeFileSync(file('jwks'), content);
      await expect(startTestServer(settings)).rejects.toThrow(/^--jwt-keys: .* is no JWKS: expected a JSON object/);
    }
  });
});
