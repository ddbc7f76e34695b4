import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CommandFailure } from '../../src/cli/failure.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/mneme', import.meta.url));
const STOP_PATIENCE_MS = 15_000;
/** Last words of a server that ended early. */
const STDERR_CHARACTERS_KEPT = 4_000;

export interface OwnServer {
  readonly address: string;
  /** Rejects when the server ends before it is stopped. */
  readonly ended: Promise<never>;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a server on a free port of this machine with a data folder that lasts as long as it does. */
export async function startOwnServer(): Promise<OwnServer> {
  const data = await mkdtemp(join(tmpdir(), 'mneme-eval-'));
  const child = spawn(PROGRAM, ['serve', '--listen', '127.0.0.1:0', '--data', data, '--log-level', 'warn'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C on the terminal is for the command, which then ends its server.
    detached: true,
  });
  let isStopping = false;
  const ended = new Promise<never>((_, reject) => {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_CHARACTERS_KEPT);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (!isStopping) reject(new CommandFailure(`the server ended early (${signal ?? code}): ${stderr.trim()}`));
    });
  });
  // It is waited for only while questions are asked.
  ended.catch(() => {});
  const stop = async (): Promise<void> => {
    isStopping = true;
    await end(child);
    await rm(data, { recursive: true, force: true });
  };
  try {
    return { address: await Promise.race([printedAddress(child.stdout), ended]), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Only the server can choose a free port: another program might take one that was chosen beforehand. */
function printedAddress(stdout: Readable): Promise<string> {
  let said = '';
  return new Promise((resolve) => {
    stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, address] = /address +(\S+) .*\n/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
  await closed;
  clearTimeout(impatience);
}
