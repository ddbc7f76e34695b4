import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { stopped, tied } from '../servers/child.ts';
import { pidOf } from '../servers/mneme.ts';

/**
 * A program that answers each line of JSON on its input with a line on its output. It exits when it cannot execute a
 * request.
 */
export class LineProgram {
  private readonly child;
  private readonly lines;

  constructor(command: string, args: readonly string[]) {
    this.child = tied(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
    // A program that has exited accepts no requests; a missing answer is reported.
    this.child.stdin.on('error', () => undefined);
    this.lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
  }

  get pid(): number {
    return pidOf(this.child);
  }

  async ask<A>(request: object): Promise<A> {
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value: line } = await this.lines.next();
    if (line === undefined) throw new Error(`its bench driver has ended (${await this.exitCode()}); it says why above`);
    return JSON.parse(line) as A;
  }

  stop(): Promise<void> {
    return stopped(this.child);
  }

  private async exitCode(): Promise<number | string> {
    const isOver = this.child.exitCode !== null || this.child.signalCode !== null;
    const [code, signal] = isOver ? [this.child.exitCode, this.child.signalCode] : await once(this.child, 'exit');
    return code === null ? `signal ${signal}` : `exit code ${code}`;
  }
}
