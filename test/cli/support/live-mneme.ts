import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { PROGRAM } from './run-mneme.ts';

const PATIENCE_MS = 60_000;

/** A command that goes on until it is stopped. */
export class LiveMneme {
  stdout = '';
  stderr = '';
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly listeners = new Set<() => void>();
  /** And all that it said has been read. */
  private hasEnded = false;

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.child = spawn(PROGRAM, args, { env: { ...process.env, ...env }, stdio: 'pipe' });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.stir();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.stir();
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      // As a shell tells of a signal.
      this.child.once('close', (code, signal) => resolve(signal === 'SIGINT' ? 130 : code));
    });
    void this.ended.then(() => {
      this.hasEnded = true;
      this.stir();
    });
  }

  /** Resolves when that has been printed, on stdout or stderr; fails when the command ends first. */
  async says(pattern: RegExp): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.stir();
    }, PATIENCE_MS);
    while (!pattern.test(this.stdout) && !pattern.test(this.stderr)) {
      if (isLate || this.hasEnded) throw new Error(`no ${pattern} in ${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => this.listeners.add(resolve));
    }
    clearTimeout(timer);
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  /** As Ctrl-C does. */
  interrupt(): Promise<number | null> {
    this.child.kill('SIGINT');
    return this.ended;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private stir(): void {
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }
}
