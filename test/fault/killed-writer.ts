import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/**
 * Runs a script that writes its progress into a file and ends itself by SIGKILL. Resolves to the lines of the file; the
 * last one is `end` where it was not killed.
 */
export async function linesOfKilled(script: string, args: readonly string[], log: string): Promise<string[]> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const [code, signal] = await once(child, 'close');
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  const isOver = lines.at(-1) === 'end';
  if (isOver ? code !== 0 : signal !== 'SIGKILL') throw new Error(`the writer ended by itself (${code}): ${errors}`);
  return lines;
}
