import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { checkListen, checkNativeModules, checkNode, checkPolicy, checkRedis } from '../../src/cli/doctor.ts';
import type { Finding } from '../../src/cli/finding.ts';
import { checkDataFolder } from '../../src/cli/folder-findings.ts';
import { SERVER_CERTIFICATE, SERVER_KEY } from '../client/support/certificates.ts';
import { cleanUp, onCleanUp } from '../client/support/clean-up.ts';
import { RedisServer } from '../support/redis-server.ts';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let folder: string;
let server: ServedMneme;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-doctor-'));
  server = await serveMneme({ data: join(folder, 'data'), flags: ['--embedder', 'none'] });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(cleanUp);

interface Checked {
  readonly ok: boolean;
  readonly checks: readonly Finding[];
}

/** Where a server answers each connection with these bytes. */
async function answering(bytes: string): Promise<string> {
  const other: Server = createServer((socket) => socket.on('error', () => {}).end(bytes));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onCleanUp(() => other.close());
  return `127.0.0.1:${(other.address() as AddressInfo).port}`;
}

describe('mneme doctor', () => {
  it('with a running server › finds everything in order, and the process that uses the data folder', async () => {
    const args = ['doctor', '--data', join(folder, 'data'), '--listen', server.address, '--server', server.address];

    const { code, stdout } = await runMneme(args);

    expect(stdout.split('\n').map((line) => line.slice(0, 20).trimEnd())).toEqual([
      'ok    node',
      'ok    native modules',
      'ok    data folder',
      'ok    disk',
      'ok    listen address',
      'ok    server',
      '',
    ]);
    if (process.platform === 'linux') expect(stdout).toMatch(/in use by the server with process id \d+\n/);
    expect(code).toBe(0);
  });

  it('without a server › only warns; where one was named, and with a wrong setting, it fails', async () => {
    const { code, stdout } = await runMneme(['doctor', '--json', '--server', '127.0.0.1:1'], {
      env: { MNEME_DATA: folder, MNEME_REDIS_URL: 'redis://127.0.0.1:1', MNEME_LISTEN: '127.0.0.1:0' },
    });

    const { ok, checks } = JSON.parse(stdout) as Checked;
    expect([code, ok]).toEqual([1, false]);
    expect(checks.find(({ name }) => name === 'redis')).toEqual({
      name: 'redis',
      status: 'fail',
      message: '127.0.0.1:1 is not reachable: connect ECONNREFUSED 127.0.0.1:1',
      fix: 'start Redis, or correct MNEME_REDIS_URL',
    });
    expect(checks.at(-1)).toMatchObject({ name: 'server', status: 'fail' });
    const wrong = await runMneme(['doctor', '--listen', 'nonsense']);
    expect(wrong.stdout).toMatch(/^fail {2}settings +--listen: expected host:port/m);
  });
});

describe('checks of mneme doctor', () => {
  it('an old Node.js, a module that does not load › fail with advice', () => {
    expect(checkNode('22.18.0')).toMatchObject({
      status: 'fail',
      message: 'Node.js 22.18.0, needed is 22.19 or newer',
    });
    expect(checkNode('22.19.0').status).toBe('ok');
    expect(checkNode('24.0.0').status).toBe('ok');
    const broken = checkNativeModules((name) => {
      if (name === 'usearch') throw new Error('invalid ELF header\nat x');
    });
    expect(broken).toMatchObject({ status: 'fail', message: 'usearch does not load: invalid ELF header' });
  });

  it('a data folder that is a file, or does not exist yet › is distinguished from a usable one', async () => {
    await writeFile(join(folder, 'file'), '');
    const checked = (...path: string[]) => checkDataFolder({ data: join(folder, ...path), postgresUrl: '' });
    expect(await checked('file')).toMatchObject({ status: 'fail' });
    expect(await checked('new', 'data')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('does not exist yet'),
    });
  });

  it('a policy with grants › fails where callers cannot prove their identities, as the start of the server does', async () => {
    const policyFile = join(folder, 'grants.json');
    await writeFile(policyFile, '{"identities": {"ada": []}}');
    const open = {
      policyFile,
      apiKeysFile: '',
      jwtKeys: '',
      authTokensFile: '',
      authTokens: '',
      tlsClientIdentities: false,
    };
    expect(await checkPolicy(open)).toMatchObject([
      { status: 'fail', message: expect.stringContaining('grants require identities'), fix: expect.any(String) },
    ]);
    expect(await checkPolicy({ ...open, apiKeysFile: 'keys.json' })).toMatchObject([{ status: 'ok' }]);
    await writeFile(policyFile, '{"limits": {}}');
    expect(await checkPolicy(open)).toMatchObject([{ status: 'ok' }]);
  });

  it('an address › is free, or in use by a server or by another program', async () => {
    expect(await checkListen('127.0.0.1:1')).toMatchObject({ status: 'ok', message: '127.0.0.1:1 is free' });
    expect(await checkListen('127.0.0.1:0')).toMatchObject({
      status: 'ok',
      message: '127.0.0.1:0 takes any free port',
    });
    expect(await checkListen(server.address)).toMatchObject({ status: 'ok' });
    expect(await checkListen(await answering('SSH-2.0\r\n'))).toMatchObject({ status: 'fail' });
  });

  it.each([
    ['+PONG\r\n', 'ok', 'answers'],
    ['-NOPERM this user has no permissions\r\n', 'fail', 'may not use'],
    ['-LOADING Redis is loading\r\n', 'warn', 'LOADING'],
    ['HTTP/1.1 400 Bad Request\r\n', 'fail', 'is not Redis'],
  ])('a Redis that answers %j › %s', async (bytes, status, message) => {
    const [finding] = await checkRedis([`redis://${await answering(bytes)}`]);
    expect(finding).toMatchObject({ status, message: expect.stringContaining(message) });
  });
});

describe('a Redis with a password, or with TLS', () => {
  it('missing or wrong credentials › are reported in words, without the password', async () => {
    const redis = await RedisServer.started({ requirepass: 'sesame' });
    onCleanUp(() => redis.stop());
    const found = async (url: string) => (await checkRedis([url])).map(({ status, message }) => [status, message]);
    const host = `127.0.0.1:${redis.port}`;
    expect(await found(redis.url)).toEqual([['fail', `${host} wants a password, and MNEME_REDIS_URL has none`]]);
    expect(await found(`redis://:open%40@${host}`)).toEqual([
      ['fail', `${host} does not accept the password of the default user in MNEME_REDIS_URL`],
    ]);
    expect(await found(`redis://eve:sesame@${host}`)).toEqual([
      ['fail', `${host} does not accept the password of the user eve in MNEME_REDIS_URL`],
    ]);
    expect(await found(`redis://:sesame@${host}`)).toEqual([['ok', `${host} answers to the default user`]]);
    const run = await runMneme(['doctor', '--json'], { env: { MNEME_REDIS_URL: `redis://:open-up@${host}` } });
    expect(run.code).toBe(1);
    expect(run.stdout + run.stderr).not.toContain('open-up');
  }, 60_000);

  it('a password where Redis has none, TLS where Redis has none › get advice', async () => {
    const redis = await RedisServer.started();
    onCleanUp(() => redis.stop());
    const host = `127.0.0.1:${redis.port}`;
    const [first] = await checkRedis([`redis://:sesame@${host}`]);
    expect(first).toMatchObject({
      status: 'fail',
      message: `MNEME_REDIS_URL has a password, and ${host} has none set`,
    });
    const [second] = await checkRedis([`rediss://${host}`]);
    expect(second).toMatchObject({
      status: 'fail',
      message: `${host} does not use TLS, and MNEME_REDIS_URL asks for it`,
    });
  }, 60_000);

  it('no TLS where Redis requires it › gets advice; its certificate is checked', async () => {
    const secure = createTlsServer({ key: SERVER_KEY, cert: SERVER_CERTIFICATE }, (socket) => socket.end('+PONG\r\n'));
    secure.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    onCleanUp(() => secure.close());
    const host = `127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const [plain] = await checkRedis([`redis://${host}`]);
    expect(plain).toMatchObject({
      status: 'fail',
      fix: 'begin MNEME_REDIS_URL with rediss:// in place of redis://',
    });
    const [encrypted] = await checkRedis([`rediss://${host}`]);
    expect(encrypted?.message).toContain(`the certificate of ${host} is not accepted`);
  }, 60_000);
});

describe('mneme version', () => {
  it('with a server › prints both; without one › gives the reason, and is no failure', async () => {
    const both = await runMneme(['version', '--server', server.address]);
    expect([both.code, both.stdout]).toEqual([
      0,
      expect.stringMatching(/^client {2}\d+\.\d+\.\d+\nserver {2}\d+\.\d+\.\d+ at 127\.0\.0\.1:\d+\n$/),
    ]);
    const alone = await runMneme(['version', '--server', '127.0.0.1:1', '--json']);
    expect([alone.code, JSON.parse(alone.stdout)]).toMatchObject([
      0,
      { client: expect.any(String), server: { address: '127.0.0.1:1', failure: expect.any(String) } },
    ]);
  });
});
