import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { PROGRAM } from '../../cli/support/run-mneme.ts';

const START_PATIENCE_MS = 120_000;

export interface ServerSettings {
  readonly listen: string;
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
  /** Output of all runs. */
  readonly logFile: string;
}

/** One run of `mneme serve` from its start on. */
export class ServerProcess {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  /** Resolves to the time that the start took, in milliseconds, or to its failure. */
  readonly started: Promise<number | Error>;

  constructor({ listen, data, env, flags, logFile }: ServerSettings) {
    const beganAtMs = performance.now();
    const args = ['serve', '--listen', listen, '--data', data, '--log-level', 'warn', '--log-format', 'json', ...flags];
    const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    this.child = child;
    this.exited = once(child, 'exit');
    let output = '';
    const ready = Promise.withResolvers<number | Error>();
    this.started = ready.promise;
    const late = setTimeout(
      () => ready.resolve(new Error(`no start within ${START_PATIENCE_MS} ms`)),
      START_PATIENCE_MS,
    );
    child.once('exit', (code) => ready.resolve(new Error(`the server ended with ${code}: ${output.slice(-2000)}`)));
    void ready.promise.finally(() => clearTimeout(late));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        appendFileSync(logFile, text);
        output = (output + text).slice(-4000);
        if (/address +\S+.*\n/.test(output)) ready.resolve(performance.now() - beganAtMs);
      });
    }
  }

  /** Its exit code where it has ended by itself, or the signal. */
  get end(): string | undefined {
    const { exitCode, signalCode } = this.child;
    return exitCode === null && signalCode === null ? undefined : `${exitCode ?? signalCode}`;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    await this.exited;
  }
}
