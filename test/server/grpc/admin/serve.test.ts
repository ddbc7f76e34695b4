import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HealthCheckRequest } from '../../../../gen/ts/grpc/health/v1/health.ts';
import { GetServerInfoRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { PROGRAM } from '../../../cli/support/run-mneme.ts';
import { PATIENT_ENV } from '../../../support/patient.ts';
import { RedisServer } from '../../../support/redis-server.ts';
import { ask } from '../support/ask.ts';
import { connect } from '../support/test-server.ts';

let folder: string;
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-serve-'));
});
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  children = [];
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

/** Starts `mneme serve`; `env` is its environment, in addition to the path. */
function serve(flags: readonly string[], env: Record<string, string> = {}) {
  const data = flags.includes('--data') ? [] : ['--data', join(folder, 'data')];
  const listen = flags.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const args = ['serve', ...listen, ...data, ...flags];
  const child = spawn(PROGRAM, args, { env: { PATH: process.env.PATH, ...env }, cwd: folder });
  children.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }));
  return {
    child,
    ended,
    /** Resolves to the address when the banner has been printed. */
    async serving(): Promise<string> {
      while (!output.stdout.includes('Ctrl-C')) await Promise.race([once(child.stdout, 'data'), failed(ended)]);
      return /address +(\S+)/.exec(output.stdout)?.[1] ?? '';
    },
  };
}

async function failed(ended: Promise<object>): Promise<never> {
  throw new Error(`the server ended: ${JSON.stringify(await ended)}`);
}

describe('mneme serve', () => {
  it('until it is stopped › prints a banner, serves, and exits with code 0', async () => {
    const server = serve([]);
    const address = await server.serving();
    const client = connect(address);
    await ask(client.admin, client.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    client.close();
    server.child.kill('SIGTERM');
    const { code, stdout, stderr } = await server.ended;

    expect(stdout).toMatch(/address +127\.0\.0\.1:\d+ \(plaintext, no credentials\)/);
    expect(stdout).toContain(join(folder, 'data'));
    expect(stdout).toMatch(/memories +sqlite [\d.]+, survives power loss/);
    expect(stdout).toMatch(/sessions +sqlite [\d.]+, survives power loss/);
    expect(stdout).toMatch(/embedder +static \(static-minilm-v1\)/);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it.each([
    ['no', 'nothing: sessions are lost when Redis ends'],
    ['yes', 'power loss'],
  ] as const)(
    'with a Redis of appendonly %s › its banner and GetServerInfo report where sessions are and their durability',
    async (appendonly, durability) => {
      const redis = await RedisServer.started({ appendonly, appendfsync: 'always' });
      try {
        const server = serve([], { ...PATIENT_ENV, MNEME_REDIS_URL: redis.url });
        const client = connect(await server.serving());
        const { backends } = await ask(client.admin, client.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
        client.close();
        server.child.kill('SIGTERM');
        const { stdout } = await server.ended;

        const technology = expect.stringMatching(/^redis [\d.]+$/);
        expect(backends.filter(({ role }) => role === 'sessions')).toEqual([
          { role: 'sessions', technology, durability },
        ]);
        expect(stdout).toMatch(new RegExp(`sessions +redis [\\d.]+, survives ${durability}\n`));
      } finally {
        await redis.stop();
      }
    },
  );

  it('when the reader of its output has gone › continues to serve, and stops cleanly', async () => {
    const server = serve(['--log-level', 'debug']);
    const address = await server.serving();
    server.child.stdout.destroy();
    server.child.stderr.destroy();
    const client = connect(address);
    for (let call = 0; call < 3; call++) {
      await ask(client.admin, client.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    }
    client.close();
    server.child.kill('SIGTERM');

    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  it('when a second signal comes while it waits for a call › ends at once', async () => {
    const server = serve([
      '--shutdown-grace-ms',
      '60000',
      '--embedder',
      'http',
      '--embedder-model',
      'm',
      '--embedder-url',
      await deadEnd(),
    ]);
    const client = connect(await server.serving());
    const watch = client.health.watch(HealthCheckRequest.fromPartial({})).on('error', () => {});
    await once(watch, 'data');
    server.child.kill('SIGINT');
    server.child.kill('SIGINT');
    const { code, signal } = await server.ended;
    client.close();

    expect([0, 130]).toContain(code ?? signal);
  });

  it('when the port is in use › one line reports it with advice, with code 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const { code, stdout, stderr } = await serve(['--listen', `127.0.0.1:${port}`]).ended;
    taken.close();

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `mneme: 127.0.0.1:${port} is in use by another program: stop that one, or give another one with --listen\n`,
    );
  });

  it('when the folder is in use › one line reports it, with code 1', async () => {
    const first = serve([]);
    await first.serving();
    const { code, stderr } = await serve([]).ended;
    first.child.kill('SIGTERM');
    await first.ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(/^mneme: data folder \S+ is in use by another mneme: [^\n]*\n$/);
  });

  it('when the folder is a file › one line reports it, with code 1', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { code, stderr } = await serve(['--data', join(folder, 'file')]).ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(/^mneme: data folder \S+ is not a folder: [^\n]*\n$/);
  });

  it('when a setting is invalid › names it, and starts nothing', async () => {
    const { code, stderr } = await serve([], { MNEME_MAX_BATCH_SIZE: 'abc' }).ended;

    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain('MNEME_MAX_BATCH_SIZE: expected a whole number from 1 to 1000, got "abc"');
  });

  it('when it would listen to everybody without guard › refuses in one line', async () => {
    const { code, stderr } = await serve(['--listen', '0.0.0.0:0']).ended;

    expect(code).toBeGreaterThan(0);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('--allow-insecure');
  });

  it('when a variable is unknown › logs it and serves', async () => {
    const server = serve([], { MNEME_LISTN: 'x' });
    await server.serving();
    server.child.kill('SIGTERM');

    expect((await server.ended).stderr).toContain('did you mean MNEME_LISTEN?');
  });
});

/** An address without a listener. */
async function deadEnd(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return `http://127.0.0.1:${port}/v1`;
}
