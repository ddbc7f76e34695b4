import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MODES } from '../campaign/schedule.ts';

const MAIN = join(import.meta.dirname, '..', 'campaign', 'main.ts');
const ROUNDS = '8';
const MINUTES = '4';
const SEED = process.env['MNEME_TEST_SEED'] ?? String(Date.now());

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
      const [code] = await once(child, 'close');
      expect([code, output]).toEqual([0, expect.stringContaining('all ')]);
    },
    420_000,
  );
});
