import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const CLIENTS = fileURLToPath(new URL('../../clients/', import.meta.url));
/** Maximum wait for a message; the first wait may include building the program. */
const PATIENCE_MS = 600_000;
const WORDS_KEPT = 2000;

interface Waiter {
  readonly isReached: () => boolean;
  readonly settle: (error?: Error) => void;
}

/**
 * A running program of one client. It prints JSON objects, one a line, first that it is ready; a line on its standard input
 * begins its work, and the end of that input ends it.
 */
export class Program<Told extends { readonly ready?: true }> {
  readonly ready: Promise<void>;
  private readonly name: string;
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly closed: Promise<unknown>;
  private readonly waiters = new Set<Waiter>();
  private words = '';

  constructor(name: string, args: readonly string[], onTold: (received: Told) => void) {
    this.name = name;
    // A separate process group: its child processes are killed with it.
    this.child = spawn(`${CLIENTS}${name}`, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    this.closed = once(this.child, 'close');
    let isReady = false;
    // A program that has ended is noticed by its end.
    this.child.stdin.on('error', () => {});
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.words = (this.words + text).slice(-WORDS_KEPT);
    });
    createInterface(this.child.stdout).on('line', (line) => {
      try {
        const received = JSON.parse(line) as Told;
        isReady ||= received.ready !== undefined;
        onTold(received);
      } catch (error) {
        this.words += `${line}: ${error}`;
        this.kill();
      }
      this.look();
    });
    this.child.once('error', (error) => this.giveUp(error));
    this.child.once('close', (code) => this.giveUp(new Error(`${name} ended with ${code}: ${this.words}`)));
    this.ready = this.until(() => isReady);
    // A failure before the first await must not count as unhandled.
    this.ready.catch(() => {});
  }

  /** Resolves when its messages make this true. */
  async until(isReached: () => boolean): Promise<void> {
    if (isReached()) return;
    if (this.hasEnded()) throw new Error(`${this.name} has ended: ${this.words}`);
    await new Promise<void>((resolve, reject) => {
      const late = () =>
        waiter.settle(new Error(`${this.name} did not get there within ${PATIENCE_MS / 1000} s: ${this.words}`));
      const timer = setTimeout(late, PATIENCE_MS);
      const waiter: Waiter = {
        isReached,
        settle: (error) => {
          clearTimeout(timer);
          this.waiters.delete(waiter);
          if (error) reject(error);
          else resolve();
        },
      };
      this.waiters.add(waiter);
    });
  }

  begin(): void {
    this.say('begin');
  }

  /** Writes a line to its standard input. */
  say(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  /** Lets it exit; throws unless with code 0. */
  async end(): Promise<void> {
    this.child.stdin.end();
    await this.ended();
  }

  /** Resolves when it has exited; throws unless with code 0. */
  async ended(): Promise<void> {
    const timer = setTimeout(() => this.kill(), PATIENCE_MS);
    await this.closed;
    clearTimeout(timer);
    const { exitCode, signalCode } = this.child;
    if (exitCode !== 0) throw new Error(`${this.name} ended with ${exitCode ?? signalCode}: ${this.words}`);
  }

  kill(): void {
    if (this.child.pid !== undefined && !this.hasEnded()) process.kill(-this.child.pid, 'SIGKILL');
  }

  private hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private look(): void {
    for (const waiter of [...this.waiters]) if (waiter.isReached()) waiter.settle();
  }

  private giveUp(error: Error): void {
    for (const waiter of [...this.waiters]) waiter.settle(error);
  }
}
