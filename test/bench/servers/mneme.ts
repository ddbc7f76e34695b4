import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freeAddress, type ServerProcess, stopped, tied, whenListening } from './child.ts';

const BIN = fileURLToPath(new URL('../../../bin/mneme', import.meta.url));

export interface MnemeOptions {
  readonly folder: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** More options for Node in the server alone, such as `--cpu-prof --cpu-prof-dir=/tmp/profiles`. */
const NODE_OPTIONS = process.env['MNEME_TEST_SERVER_NODE_OPTIONS'] ?? '';

/** Starts Mneme like its users and waits until it accepts connections. */
export async function startMneme(options: MnemeOptions): Promise<ServerProcess> {
  const address = await freeAddress();
  const child = spawnMneme(options, address);
  await whenListening(child, address);
  return { pid: pidOf(child), address, stop: () => stopped(child) };
}

export function spawnMneme({ folder, flags = [], env = {} }: MnemeOptions, address: string) {
  const args = ['serve', '--listen', address, '--data', folder, '--log-level', 'warn', ...flags];
  const options = [env['NODE_OPTIONS'] ?? process.env['NODE_OPTIONS'] ?? '', NODE_OPTIONS].join(' ').trim();
  const environment = { ...process.env, ...env, NODE_OPTIONS: options };
  return tied(spawn(BIN, args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment }));
}

export function pidOf(child: { readonly pid?: number }): number {
  if (child.pid === undefined) throw new Error('the process has not started');
  return child.pid;
}
