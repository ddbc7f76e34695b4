import { once } from 'node:events';
import { chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from '../client/support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { PATIENT_ENV } from '../support/patient.ts';
import { BuiltImage, bytesOf, namesIn } from './support/built-image.ts';
import { lastOf, stagesOf } from './support/dockerfile.ts';

/** What the image adds to Debian, Node aside. */
const BYTES_MAX = 90 * 1_048_576;
const BUILD_MS = 600_000;
const TOKEN = 'sesame-of-the-image';

let image: BuiltImage;
beforeAll(() => {
  image = new BuiltImage();
}, BUILD_MS);
afterAll(() => image?.remove());

/** Files that are mounted into a container: not in its root, readable by its user. */
function mounted(files: Readonly<Record<string, string>>): string {
  const folder = join(image.root, '../secrets');
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Every file of the root besides the data, with the time of its last change. */
function filesOfRoot(): string[] {
  const paths = namesIn(image.root).filter((path) => path !== 'data' && !path.startsWith('data/'));
  return paths.map((path) => `${path} ${lstatSync(image.path(path)).ctimeMs}`).sort();
}

async function started(env: Readonly<Record<string, string>>) {
  const server = image.start({ env });
  let output = '';
  server.stderr.on('data', (text) => {
    output += text;
  });
  const closed = once(server, 'close');
  await new Promise<void>((resolve, reject) => {
    server.once('close', () => reject(new Error(`the server ended: ${output}`)));
    server.stdout.on('data', (text) => {
      output += text;
      if (output.includes('is serving')) resolve();
    });
  });
  return {
    async stop(): Promise<number | null> {
      server.kill('SIGTERM');
      const [code] = (await closed) as [number | null];
      return code;
    },
  };
}

describe('the image', () => {
  it('holds the bundle, and no source, compiler or package manager', () => {
    const names = namesIn(image.path('opt/mneme'));
    expect(
      names.filter((name) => /\.(ts|map|gyp|c|cpp|h|hpp|cc)$|node_modules\/(esbuild|typescript|npm)/.test(name)),
    ).toEqual([]);
    expect(names.filter((name) => name.endsWith('.node'))).toHaveLength(2);
    expect(bytesOf(image.path('opt/mneme'))).toBeLessThan(BYTES_MAX);
    expect(names).toContain('licenses/better-sqlite3/LICENSE');
  });

  it('runs Node as it is tested, as a user that is not root', () => {
    const [build] = stagesOf('deploy/image/Dockerfile');
    const { packages } = JSON.parse(readFileSync('tools/node/package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version?: string }>>;
    };
    expect(build?.base).toBe(`node:${packages['node_modules/node']?.version}-bookworm-slim`);
    expect(lastOf(image.stage, 'USER')).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  });

  it('without TLS and credentials › refuses to start, and says why', async () => {
    const { code, output } = await image.run({});
    expect(code).toBe(2);
    expect(output).toContain('--listen 0.0.0.0:50051: expected TLS');
  });

  it('with TLS and a token › is healthy, stores, recalls, writes to its volume alone, and ends by SIGTERM', async () => {
    const port = await freePort();
    const secrets = mounted({ ca: CA_CERTIFICATE, cert: SERVER_CERTIFICATE, key: SERVER_KEY, tokens: `${TOKEN}\n` });
    const env = {
      MNEME_LISTEN: `0.0.0.0:${port}`,
      MNEME_TLS_CERT: join(secrets, 'cert'),
      MNEME_TLS_KEY: join(secrets, 'key'),
      MNEME_AUTH_TOKENS_FILE: join(secrets, 'tokens'),
      ...PATIENT_ENV,
    };
    const before = filesOfRoot();
    const server = await started(env);
    expect(await image.healthCheck(env)).toEqual({ code: 0, output: 'SERVING\n' });
    const tls = ['--tls-ca', join(secrets, 'ca'), '--tls-server-name', 'server.mneme.test'];
    const call = (...args: readonly string[]) =>
      image.run({ args: [...args, '--server', `127.0.0.1:${port}`, ...tls], env: { MNEME_TOKEN: TOKEN } });
    expect((await call('store', 'Ada plays the cello.', '--id', 'cello')).code).toBe(0);
    expect((await call('recall', 'Who plays the cello?')).output).toContain('Ada plays the cello.');
    expect(await server.stop()).toBe(0);
    expect(filesOfRoot()).toEqual(before);
    expect(readdirSync(image.path('data'))).toContain('mneme.db');
    const down = await image.healthCheck(env);
    expect([down.code, down.output]).toEqual([4, expect.stringContaining('no server answers')]);
  });

  it('with a volume of another user › says that it cannot be written to', async () => {
    if (process.getuid?.() !== 0) return;
    const data = join(image.root, '../foreign');
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, 1, 1);
    const { code, output } = await image.run({ env: { MNEME_DATA: data, MNEME_ALLOW_INSECURE: 'true' } });
    expect(code).toBe(1);
    expect(output).toContain(data);
  });
});
