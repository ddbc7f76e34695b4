import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ALL_TESTS } from '../../support/all-tests.ts';

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
  /** A process of its own also for a command that only calls a server. */
  readonly ownProcess?: boolean;
}

/** A busy machine is no server that does not answer. */
const PATIENT = ['--timeout', '60s'];

/**
 * Runs a command and waits for its end; a client waits long for answers of a server. A command that only calls a server is
 * run in the process of the test, one at a time, as a process of its own takes 0.3 s of CPU; every night it has one.
 */
export function runMneme(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { cwd, program, env, ownProcess = ALL_TESTS } = options;
  const isClient = env?.['MNEME_SERVER'] !== undefined || args.includes('--server');
  const provided = isClient ? [...args, ...PATIENT] : args;
  const isElsewhere = ownProcess || cwd !== undefined || program !== undefined || env?.['NODE_OPTIONS'] !== undefined;
  return isClient && !isElsewhere ? inTurn(() => runHere(provided, options)) : runProgram(provided, options);
}

let turn: Promise<unknown> = Promise.resolve();

function inTurn(run: () => Promise<Finished>): Promise<Finished> {
  const finished = turn.then(run);
  turn = finished.catch(() => undefined);
  return finished;
}

function runProgram(args: readonly string[], options: RunOptions): Promise<Finished> {
  const { stdin = '', env = {}, cwd, program = PROGRAM } = options;
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
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

let runs = 0;

/** Evaluates the program's main module once more, with streams, arguments and variables in place of those of the process. */
async function runHere(args: readonly string[], { stdin = '', env = {} }: RunOptions): Promise<Finished> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const given = { stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]), stdout, stderr };
  const before = Object.getOwnPropertyDescriptors(process);
  const variables = { ...process.env };
  const { argv, exitCode } = process;
  const interrupts = process.listeners('SIGINT');
  for (const [name, value] of Object.entries(given))
    Object.defineProperty(process, name, { value, configurable: true });
  Object.assign(process.env, env);
  process.argv = [process.execPath, PROGRAM, ...args];
  process.exitCode = 0;
  try {
    await import(`../../../src/cli/main.ts?run=${++runs}`);
    return { code: Number(process.exitCode), stdout: stdout.text, stderr: stderr.text };
  } finally {
    for (const name of Object.keys(env)) {
      if (variables[name] === undefined) delete process.env[name];
      else process.env[name] = variables[name];
    }
    Object.assign(process, { argv, exitCode });
    for (const listener of process.listeners('SIGINT')) {
      if (!interrupts.includes(listener)) process.off('SIGINT', listener);
    }
    for (const name of ['stdin', 'stdout', 'stderr'] as const) Object.defineProperty(process, name, before[name]);
  }
}

/** What is written, as text. */
class Collected extends Writable {
  private readonly pieces: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.pieces.push(piece);
    done();
  }
}
