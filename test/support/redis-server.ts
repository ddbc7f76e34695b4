import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { freePort } from './free-port.ts';

const MISSING = `redis-server is not installed. To install it type:
  sudo apt-get install --no-install-recommends redis-server`;
const STARTS_MAX = 5;
const POLL_MS = 20;
/** Never connected: its copies need no class of their own, which takes more time than the command does. */
const COMMANDS = createClient({ RESP: 2 });

/** Directives of redis.conf, such as `{ maxmemory: '10mb' }`. */
export type RedisConfig = Readonly<Record<string, string>>;

/** A real redis-server on a separate port, with its files in a temporary folder. By default it writes none. */
export class RedisServer {
  readonly port: number;
  readonly folder: string;
  private config: RedisConfig;
  private child: ChildProcess | undefined;

  private constructor(port: number, folder: string, config: RedisConfig) {
    this.port = port;
    this.folder = folder;
    this.config = { port: String(port), bind: '127.0.0.1', dir: folder, save: '', ...config };
  }

  static async started(config: RedisConfig = {}): Promise<RedisServer> {
    for (let attempt = 1; ; attempt++) {
      const bus: RedisConfig = config['cluster-enabled'] === 'yes' ? { 'cluster-port': `${await freePort()}` } : {};
      const folder = await mkdtemp(join(tmpdir(), 'mneme-redis-'));
      const server = new RedisServer(await freePort(), folder, { ...bus, ...config });
      try {
        await server.start();
        return server;
      } catch (error) {
        await server.stop();
        // Another process took the port in between.
        if (attempt === STARTS_MAX || !String(error).includes('in use')) throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again on the same port with the files that it left. */
  async start(): Promise<void> {
    const flags = Object.entries(this.config).flatMap(([name, value]) => [`--${name}`, ...value.split(' ')]);
    const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    await untilReady(child);
  }

  /** Stops its process: its connections stay open and nothing answers. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends it without a chance to write anything. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Killed and restarted, with these directives from then on: unwritten data is lost. */
  async restart(config: RedisConfig = {}): Promise<void> {
    await this.kill();
    this.config = { ...this.config, ...config };
    await this.start();
  }

  /** Kills it and removes its files. Safe to call twice. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * Lets it rewrite its log, and waits for the end: a log that has doubled is due for that, which takes much of a core
   * for a second.
   */
  async rewriteLog(): Promise<void> {
    await this.command('BGREWRITEAOF');
    while (/aof_rewrite_(in_progress|scheduled):1/.test(String(await this.command('INFO', 'persistence'))))
      await sleep(POLL_MS);
  }

  /** Sends one command over a separate connection, such as `FLUSHALL`. */
  async command(...args: string[]): Promise<unknown> {
    const client = COMMANDS.duplicate({ url: this.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.sendCommand(args);
    } finally {
      client.destroy();
    }
  }
}

async function untilReady(child: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.on('error', (error) => {
      reject('code' in error && error.code === 'ENOENT' ? new Error(MISSING) : error);
    });
    child.on('exit', (code) => reject(new Error(`redis-server ended with ${code}: ${output}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (piece: string) => {
        output = (output + piece).slice(-4000);
        if (output.includes('Ready to accept connections')) resolve();
      });
    }
  });
}
