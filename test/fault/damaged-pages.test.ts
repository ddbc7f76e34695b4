import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';

const TRIALS = join(import.meta.dirname, 'damage', 'trials.ts');
const COUNT = '40';
const SEED = process.env['MNEME_TEST_SEED'] ?? String(Date.now());
const TIMEOUT_MS = 120_000 + Number(COUNT) * 10_000;

interface Line {
  readonly trial: string;
  readonly faults?: readonly string[];
  readonly crashes: readonly string[];
}

describe('a damaged page of any table or index', () => {
  it(
    'Get, List, Count, Recall, Store, Export of everything › right, or DATA_LOSS, or named; never a crash',
    async () => {
      process.stderr.write(`damaged pages: MNEME_TEST_SEED=${SEED}\n`);
      const child = spawn(process.execPath, ['--no-warnings', TRIALS, COUNT, SEED], {
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      });
      const exited = once(child, 'exit');
      const lines: Line[] = [];
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith('LINE ')) lines.push(JSON.parse(line.slice(5)) as Line);
      }
      const wrong = lines.filter(({ faults = [], crashes }) => faults.length + crashes.length > 0);
      expect(wrong).toEqual([]);
      expect([await exited, lines.length]).toEqual([[0, null], Number(COUNT)]);
    },
    TIMEOUT_MS,
  );
});
