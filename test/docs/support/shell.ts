import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

/** A command that hangs is found all the same; one on a busy machine is waited for. */
const PATIENCE_MS = 240_000;

/** A shell that commands are typed into one after the other: variables, folders and background jobs stay. */
export class Shell {
  private readonly child: ChildProcess;
  private readonly ended: Promise<void>;
  private printed = '';
  private onPrinted: () => void = () => {};

  constructor(cwd: string, env: Readonly<Record<string, string | undefined>>) {
    // Both outputs into one pipe, as on a terminal.
    this.child = spawn('bash', ['-c', 'exec bash --noprofile --norc 2>&1'], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    this.ended = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.printed += text;
      this.onPrinted();
    });
  }

  /** Resolves with the output of the command, and its exit code; stdin is empty. */
  async type(command: string): Promise<{ readonly output: string; readonly code: number }> {
    const end = `end-${randomUUID()}`;
    const whole = new RegExp(`\n${end} (\\d+)\n$`);
    this.printed = '';
    const ended = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no end of ${command}: ${this.printed}`)), PATIENCE_MS);
      this.onPrinted = () => {
        if (!whole.test(this.printed)) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.child.stdin?.write(`{ ${command}\n} </dev/null\nprintf '\\n%s %s\\n' ${end} $?\n`);
    await ended;
    const [found = '', code = ''] = whole.exec(this.printed) ?? [];
    return { output: this.printed.slice(0, -found.length).trimEnd(), code: Number(code) };
  }

  /** Ends the shell and all that it has started. */
  async stop(): Promise<void> {
    if (this.child.pid !== undefined && this.child.exitCode === null) process.kill(-this.child.pid, 'SIGKILL');
    await this.ended;
  }
}
