import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from '../client/support/certificates.ts';

const BIN = fileURLToPath(new URL('../../bin/mneme', import.meta.url));
const START_MS = 60_000;

/** How a server of a scenario is started. */
export interface ServerSpec {
  /** Flags of `mneme serve` without the dashes. */
  readonly flags?: Readonly<Record<string, string | number>>;
  readonly env?: Readonly<Record<string, string>>;
  /** `mutual`: callers must show a certificate. */
  readonly tls?: 'server' | 'mutual';
  /** `limits` of the policy: all callers are the identity `anonymous`. */
  readonly limits?: object;
}

/** Calls by method and status, as a server counts them. */
export type CallCounts = Map<string, number>;

/** `mneme serve` in a separate process, which keeps its address and its data across restarts. */
export class MnemeProcess {
  readonly spec: ServerSpec;
  private readonly counts: CallCounts;
  private folder = '';
  private listen = '127.0.0.1:0';
  private metrics = '';
  private child: ChildProcess | undefined;

  constructor(spec: ServerSpec, counts: CallCounts) {
    this.spec = spec;
    this.counts = counts;
  }

  get address(): string {
    return this.listen;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  async start(): Promise<void> {
    if (this.folder === '') this.folder = await mkdtemp(join(tmpdir(), 'mneme-contract-'));
    const args = ['serve', '--listen', this.listen, '--data', join(this.folder, 'data'), '--log-level', 'error'];
    args.push('--metrics-listen', '127.0.0.1:0', ...(await this.tlsFlags()), ...(await this.policyFlags()));
    for (const [flag, value] of Object.entries(this.spec.flags ?? {})) args.push(`--${flag}`, String(value));
    const child = spawn(BIN, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...this.spec.env } });
    this.child = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error(`the server did not start: ${said}`));
      const timer = setTimeout(fail, START_MS);
      child.once('close', fail).once('error', fail);
      const read = (chunk: Buffer) => {
        said += chunk;
        if (!/ {2}stop /.test(said)) return;
        clearTimeout(timer);
        child.off('close', fail);
        resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
    });
    this.listen = /address +(\S+)/.exec(said)?.[1] ?? '';
    this.metrics = /metrics +(?:http:\/\/)?([\w.:[\]]+)/.exec(said)?.[1] ?? '';
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends it as a service manager does. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    if (this.folder !== '') await rm(this.folder, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await this.count();
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  private async count(): Promise<void> {
    const text = await (await fetch(`http://${this.metrics}/metrics`)).text();
    const line = /^grpc_server_call_duration_seconds_count\{grpc_method="([^"]+)",grpc_status="([^"]+)"\} (\d+)/gm;
    for (const [, method = '', status = '', count = '0'] of text.matchAll(line)) {
      const key = `${method} ${status}`;
      this.counts.set(key, (this.counts.get(key) ?? 0) + Number(count));
    }
  }

  private async tlsFlags(): Promise<string[]> {
    if (this.spec.tls === undefined) return [];
    const cert = await this.write('server.crt', SERVER_CERTIFICATE);
    const flags = ['--tls-cert', cert, '--tls-key', await this.write('server.key', SERVER_KEY)];
    if (this.spec.tls === 'mutual') flags.push('--tls-client-ca', await this.write('ca.crt', CA_CERTIFICATE));
    return flags;
  }

  private async policyFlags(): Promise<string[]> {
    const { limits } = this.spec;
    return limits === undefined ? [] : ['--policy-file', await this.write('policy.json', JSON.stringify({ limits }))];
  }

  private async write(name: string, text: string): Promise<string> {
    const file = join(this.folder, name);
    await writeFile(file, text);
    return file;
  }
}
