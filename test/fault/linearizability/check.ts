import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Operation } from './history.ts';

const CHECKER = fileURLToPath(new URL('checker.sh', import.meta.url));

export interface Verdict {
  readonly history: string;
  readonly result: 'ok' | 'illegal' | 'unknown';
}

/** Checks histories with `checker/`, which is built when it is older than its sources. */
export async function checkHistories(operations: readonly Operation[]): Promise<Verdict[]> {
  const child = spawn(CHECKER, ['check'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const output = text(child.stdout);
  child.stdin.end(operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''));
  const [code] = (await closed) as [number | null];
  if (code !== 0) throw new Error(`the checker ended with ${code}`);
  return (await output)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Verdict);
}

/** Tests the checker itself on histories that are right and wrong. */
export async function testChecker(): Promise<string[]> {
  const child = spawn(CHECKER, ['test'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const output = await text(child.stdout);
  const [code] = (await closed) as [number | null];
  if (code === 0) return [];
  return [`the tests of the checker ended with ${code}`, ...output.split('\n').filter((line) => line !== '')];
}
