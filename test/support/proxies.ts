import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BIN = join(ROOT, '.toolchain/proxies/bin');
/** The longest wait for a proxy to listen. */
const START_MS = 60_000;

export type ProxyName = 'envoy' | 'nginx' | 'haproxy';
export const PROXIES: readonly ProxyName[] = ['envoy', 'nginx', 'haproxy'];

/** A proxy of `deploy/` in front of a server. */
export interface RunningProxy {
  readonly address: string;
  /** Ends it as a service manager does, and starts it again at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Recipe {
  readonly config: string;
  /** Returns the arguments, after writing other files of the program into the folder. */
  prepare(folder: string, configFile: string): Promise<string[]>;
}

const RECIPES: Readonly<Record<ProxyName, Recipe>> = {
  envoy: {
    config: 'deploy/envoy/envoy.yaml',
    prepare: async (_, file) => ['-c', file, '--use-dynamic-base-id', '--concurrency', '1', '--log-level', 'error'],
  },
  nginx: {
    config: 'deploy/nginx/mneme.conf',
    async prepare(folder, file) {
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
      const main = join(folder, 'nginx.conf');
      const http = `access_log off; ${paths} include ${file};`;
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      await writeFile(main, `${user} worker_processes 1; pid ${folder}/pid; events {} http { ${http} }\n`);
      return ['-c', main, '-p', folder, '-e', 'stderr', '-g', 'daemon off;'];
    },
  },
  haproxy: { config: 'deploy/haproxy/haproxy.cfg', prepare: async (_, file) => ['-db', '-f', file] },
};

const MUTUAL_TLS = 'deploy/envoy/mtls.yaml';

interface ProxyOptions {
  /** Replaces the idle timeouts, so that a test need not wait for them. */
  readonly silenceS?: number;
  /** Mutual TLS, with `envoy.pem`, `envoy.key` and `ca.pem` of this folder; Envoy only. */
  readonly certificates?: string;
}

/**
 * Starts a proxy with the configuration that `deploy/` recommends, at a free port, in front of the servers at these
 * addresses.
 */
export async function startProxy(
  name: ProxyName,
  upstreams: readonly string[],
  { silenceS, certificates }: ProxyOptions = {},
): Promise<RunningProxy> {
  if (!existsSync(join(BIN, name))) throw new Error(`${name} is not installed: run tools/proxies.sh`);
  const folder = await mkdtemp(join(tmpdir(), `mneme-${name}-`));
  const port = await freePort();
  const recipe = RECIPES[name];
  const ports = upstreams.map((address) => address.slice(address.lastIndexOf(':') + 1));
  let config = await readFile(join(ROOT, certificates === undefined ? recipe.config : MUTUAL_TLS), 'utf8');
  if (certificates !== undefined) {
    config = config.replaceAll('/etc/envoy/secrets', folder);
    await writeSecrets(folder, certificates);
  }
  config = config.replaceAll('50052', String(port)).replace(/^.*50051.*$/gm, (line) => serverLines(line, ports));
  if (silenceS !== undefined) config = config.replaceAll(/\b60s\b/g, `${silenceS}s`);
  const file = join(folder, basename(recipe.config));
  await writeFile(file, config);
  const argv = await recipe.prepare(folder, file);
  let child = await start(name, argv, port);
  return {
    address: `127.0.0.1:${port}`,
    async restart() {
      await end(child);
      child = await start(name, argv, port);
    },
    async stop() {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeSecrets(folder: string, certificates: string): Promise<void> {
  for (const file of ['certificate.yaml', 'authorities.yaml']) {
    const secret = await readFile(join(ROOT, 'deploy/envoy/secrets', file), 'utf8');
    await writeFile(join(folder, file), secret.replaceAll('/etc/envoy/tls', certificates));
  }
}

/** The line of a server in a configuration, once for each server. */
function serverLines(line: string, ports: readonly string[]): string {
  return ports.map((port, at) => line.replace('50051', port).replace('mneme1', `mneme${at + 1}`)).join('\n');
}

async function start(name: ProxyName, argv: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(join(BIN, name), argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stderr.on('data', (text) => {
    output += text;
  });
  const deadlineMs = Date.now() + START_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`${name} does not listen: ${output.slice(0, 2000)}`);
    }
  }
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  // Refused connections are answered at once: asking without a pause would only keep the proxy from starting.
  if (!isThere) await new Promise((resolve) => setTimeout(resolve, 20));
  return isThere;
}
