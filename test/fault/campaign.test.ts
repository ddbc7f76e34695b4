import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sized } from '../support/all-tests.ts';
import { MODES } from './campaign/schedule.ts';

const MAIN = join(import.meta.dirname, './campaign/main.ts');
const ROUNDS = String(sized({ sample: 2, nightly: 8 }));
const MINUTES = '4';
const SEED = process.env['MNEME_TEST_SEED'] ?? String(Date.now());

const children = new Set<ChildProcess>();
// A campaign that takes too long must not go on beside the next test.
afterEach(() => {
  for (const child of children) child.kill();
});

describe('the short form of `make campaign`', () => {
  it.each(MODES)(
    '%s › kills and other faults while clients write › nothing acknowledged is lost, revived, torn or duplicated',
    async (mode) => {
      const args = ['--no-warnings', MAIN, '--mode', mode, '--rounds', ROUNDS, '--minutes', MINUTES, '--seed', SEED];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      children.add(child);
      const [code] = await once(child, 'close');
      children.delete(child);
      // What was found, and how to replay it.
      if (code !== 0) throw new Error(`exit code ${code}\n${output}`);
      // Rounds, kills, acknowledged writes.
      expect(output).toMatch(/^all\s+[1-9]\d*\s+[\d,]+\s+[1-9]/m);
    },
    420_000,
  );
});
