import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../../bin/mneme', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Program to run, when it is not the checkout's own path. */
  readonly program?: string;
}

/** A busy machine is no server that does not answer. */
const PATIENT = ['--timeout', '60s'];

/** Runs the program as a shell would and waits for its end; a client waits long for answers of a server. */
export function runMneme(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { stdin = '', env = {}, cwd, program = PROGRAM } = options;
  const isClient = env['MNEME_SERVER'] !== undefined || args.includes('--server');
  const provided = isClient ? [...args, ...PATIENT] : args;
  const child = spawn(program, provided, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that does not read what it is given may end before all of it is written.
  child.stdin.on('error', () => {}).end(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
