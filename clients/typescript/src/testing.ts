import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOptions } from './check-options.ts';

export interface StartServerOptions {
  /** The program `mneme`. Default: the variable `MNEME_BIN`, or `mneme` on the `PATH`. */
  readonly binary?: string;
  /** More flags of `mneme serve`, such as `['--embedder', 'none']`. */
  readonly flags?: readonly string[];
  /** Folder for the data, which is kept. Default: a temporary one, which `stop` removes. */
  readonly data?: string;
  /** Longest wait for the server to listen, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}

/** A server that is running. */
export interface RunningServer {
  /** `host:port` that it listens on. */
  readonly address: string;
  /** The process, to be killed where a test wants that. */
  readonly process: ChildProcess;
  /** Stops it and removes its temporary folder. */
  stop(): Promise<void>;
}

/**
 * Starts `mneme serve` for a test, on a free port, and resolves when it listens. Fails with its output when it does
 * not.
 */
export async function startServer(options: StartServerOptions = {}): Promise<RunningServer> {
  checkOptions('StartServerOptions', options, 'startServer');
  // biome-ignore lint/style/noProcessEnv: where the program is differs by machine, not by test.
  const { binary = process.env['MNEME_BIN'] ?? 'mneme', flags = [], timeoutMs = 60_000 } = options;
  const folder = options.data ?? (await mkdtemp(join(tmpdir(), 'mneme-')));
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', folder, '--log-level', 'error', ...flags];
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('error', () => resolve()).once('close', () => resolve()));
  const stop = async () => {
    child.kill();
    await ended;
    if (options.data === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    return { address: await addressOf(child, timeoutMs), process: child, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function addressOf(child: ChildProcess, timeoutMs: number): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`the server did not start: ${why}\n${said}`));
    };
    const timer = setTimeout(() => fail(`it did not listen within ${timeoutMs} ms`), timeoutMs);
    child
      .once('error', (error) => fail(`${error.message}; the variable MNEME_BIN names the program`))
      .once('close', (code) => fail(`it ended with ${code}`));
    const read = (chunk: Buffer) => {
      said += chunk;
      const [, address] = /^ *address +(\S+)/m.exec(said) ?? [];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
}
