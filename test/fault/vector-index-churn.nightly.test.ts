import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../support/random.ts';

const CHILD = join(import.meta.dirname, 'vector-index-child.ts');
const random = seededRandom('vector index churn');

describe('vector index churn', () => {
  // Older versions of the library hang for ever in native code after some hundred of these operations.
  it('60,000 sets, replacements and deletes with restarts › does not hang and loses nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mneme-churn-'));
    try {
      const child = spawnSync(process.execPath, [CHILD, 'churn', folder, random.seed], {
        encoding: 'utf8',
        timeout: 200_000,
        killSignal: 'SIGKILL',
      });
      expect({ status: child.status, signal: child.signal, stderr: child.status === 0 ? '' : child.stderr }).toEqual({
        status: 0,
        signal: null,
        stderr: '',
      });
      const [, kept, unseen] = /kept (\d+), not found by the graph (\d+)/.exec(child.stdout) ?? [];
      expect(Number(kept)).toBeGreaterThan(1000);
      expect(Number(unseen)).toBeLessThan(0.01 * Number(kept));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
