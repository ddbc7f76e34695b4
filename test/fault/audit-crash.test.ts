import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readAudit } from '../../src/server/audit/read-audit.ts';
import { sized } from '../support/all-tests.ts';
import { seededRandom } from '../support/random.ts';

const ROUNDS = sized({ sample: 4, nightly: 12 });
const WRITER = fileURLToPath(new URL('audit-writer.ts', import.meta.url));

test(`Audit log: ${ROUNDS} times kill -9 while it is written › has every operation that went on, and no line is damaged but the last of a file`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mneme-audit-crash-'));
  const random = seededRandom('audit crash');
  const recorded: string[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const child = spawn(process.execPath, ['--no-warnings', WRITER, folder, `r${round}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      let left = 1 + random.int(60);
      for await (const line of createInterface({ input: child.stdout })) {
        recorded.push(line);
        if (--left === 0) child.kill('SIGKILL');
      }
      await closed;
    }
    const { entries, unreadableCount } = await readAudit(folder, {}, 1_000_000);
    const calls = new Set(entries.map(({ call }) => call));
    expect(recorded.filter((call) => !calls.has(call))).toEqual([]);
    expect(recorded.length).toBeGreaterThanOrEqual(ROUNDS);
    expect(unreadableCount).toBeLessThanOrEqual(ROUNDS);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
