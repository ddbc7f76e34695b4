import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENT_ENV } from '../../support/patient.ts';
import { PROGRAM } from './run-mneme.ts';

export interface RunningMneme {
  readonly address: string;
  /** Of the process. */
  readonly pid: number;
  /** Stops it as a service manager does, or kills it; its data stays when the folder was given. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Of those that it goes on after. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** `mneme serve`, on a free port and with a data folder that goes with it unless they are given. */
export async function startMneme(
  provided: {
    readonly listen?: string;
    readonly data?: string;
    readonly flags?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    /** What it logs is not shown. */
    readonly isQuiet?: boolean;
    /** The program and its first arguments, where it is not the checkout's own. */
    readonly program?: readonly [string, ...string[]];
  } = {},
): Promise<RunningMneme> {
  const data = provided.data ?? (await mkdtemp(join(tmpdir(), 'mneme-serve-')));
  const flags = [
    ...(provided.flags?.includes('--port') ? [] : ['--listen', provided.listen ?? '127.0.0.1:0']),
    '--data',
    data,
    '--log-level',
    'warn',
    ...(provided.flags ?? []),
  ];
  const [program, ...before] = provided.program ?? [PROGRAM];
  const child = spawn(program, [...before, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', provided.isQuiet ? 'ignore' : 'inherit'],
    env: { ...process.env, ...PATIENT_ENV, ...provided.env },
  });
  const closed = once(child, 'close');
  let output = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error(`mneme serve ended: ${output}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, bound] = /address +(\S+).*\n/.exec(output) ?? [];
      if (bound !== undefined) resolve(bound);
    });
  });
  return {
    address,
    pid: child.pid as number,
    signal(signal) {
      child.kill(signal);
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await closed;
      if (provided.data === undefined) await rm(data, { recursive: true, force: true });
    },
  };
}
