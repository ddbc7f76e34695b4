import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freeAddress, type ServerProcess, stopped, whenListening } from './child.ts';

const BIN = fileURLToPath(new URL('../../../bin/mneme', import.meta.url));

export interface MnemeOptions {
  readonly folder: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts Mneme the way its users do and waits until it takes connections. */
export async function startMneme(options: MnemeOptions): Promise<ServerProcess> {
  const address = await freeAddress();
  const child = spawnMneme(options, address);
  await whenListening(child, address);
  return { pid: pidOf(child), address, stop: () => stopped(child) };
}

export function spawnMneme({ folder, flags = [], env = {} }: MnemeOptions, address: string) {
  const args = ['serve', '--listen', address, '--data', folder, '--log-level', 'warn', ...flags];
  return spawn(BIN, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
}

export function pidOf(child: { readonly pid?: number | undefined }): number {
  if (child.pid === undefined) throw new Error('the process has not started');
  return child.pid;
}
