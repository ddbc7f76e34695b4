import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Answers of a driver; see README.md. */
export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly unsupported?: string;
  readonly fault?: string;
}

/** Maximum time for an answer of a driver. */
const ANSWER_MS = 100_000;
/** Maximum time for the first answer, which may include building the driver. */
const BUILD_MS = 600_000;
const ERRORS_KEPT = 20;

/** A running driver of one client. */
export class Driver {
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly waiting = new Map<number, (answer: Answer | Error) => void>();
  private readonly said: string[] = [];
  private lastId = 0;
  private hasAnswered = false;
  /** Why it answers no more. */
  private ended: Error | undefined;

  constructor(file: string, args: readonly string[] = []) {
    this.child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    createInterface(this.child.stdout).on('line', (line) => this.heard(line));
    createInterface(this.child.stderr).on('line', (line) => {
      this.said.push(line);
      if (this.said.length > ERRORS_KEPT) this.said.shift();
    });
    this.child.on('error', (error) => this.end(error));
    this.child.stdin.on('error', () => {});
    this.child.on('close', (code) => this.end(new Error(`the driver ended with ${code}${this.lastWords()}`)));
  }

  /** Sends a request; returns its id immediately and its answer later. */
  request(
    op: string,
    fields: Readonly<Record<string, unknown>>,
  ): { readonly id: number; readonly answer: Promise<Answer> } {
    const id = ++this.lastId;
    if (this.ended) {
      const answer = Promise.reject<Answer>(this.ended);
      answer.catch(() => {});
      return { id, answer };
    }
    const answer = new Promise<Answer>((resolve, reject) => {
      const limitMs = this.hasAnswered ? ANSWER_MS : BUILD_MS;
      const late = () => settle(new Error(`no answer to ${op} within ${limitMs / 1000} s${this.lastWords()}`));
      const timer = setTimeout(late, limitMs);
      const settle = (outcome: Answer | Error) => {
        clearTimeout(timer);
        this.waiting.delete(id);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      this.waiting.set(id, settle);
    });
    // Handles the rejection now, as the answer may be awaited later.
    answer.catch(() => {});
    this.child.stdin.write(`${JSON.stringify({ id, op, ...fields })}\n`);
    return { id, answer };
  }

  /** Lets the driver exit at the end of its input. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
    await closed;
    clearTimeout(timer);
  }

  private heard(line: string): void {
    this.hasAnswered = true;
    let answer: Answer;
    try {
      answer = JSON.parse(line) as Answer;
    } catch {
      this.failAll(new Error(`the driver said what is no JSON: ${line.slice(0, 200)}`));
      return;
    }
    this.waiting.get(answer.id)?.(answer);
  }

  private end(error: Error): void {
    this.ended ??= error;
    this.failAll(error);
  }

  private failAll(error: Error): void {
    for (const settle of [...this.waiting.values()]) settle(error);
  }

  private lastWords(): string {
    return this.said.length === 0 ? '' : `; it said:\n${this.said.join('\n')}`;
  }
}
