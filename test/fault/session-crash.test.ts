import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { sqliteSessions } from '../../src/storage/sqlite/sessions/session-store.ts';
import { HERE, NOW_US, notesOf, valuesOf } from '../storage/conformance/session-store/session-of-test.ts';
import { sized } from '../support/all-tests.ts';
import { seededRandom } from '../support/random.ts';

const ROUNDS = sized({ sample: 4, nightly: 12 });
const KILLED_AFTER_MS_MAX = 150;
const CHILD = fileURLToPath(new URL('session-child.ts', import.meta.url));

describe('a process killed in the middle of restores', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-restore-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
    rmSync(`${folder}.log`, { force: true });
  });

  it(`${ROUNDS} rounds › the session is in the state before or after, never another, with all checkpoints`, async () => {
    const random = seededRandom('session crash');
    let before = 'two';
    for (let round = 0; round < ROUNDS; round++) {
      await restoreAndKill(random.int(KILLED_AFTER_MS_MAX));
      const received = readFileSync(`${folder}.log`, 'utf8').trim().split('\n');
      rmSync(`${folder}.log`);
      const of = (line: string | undefined, what: string) =>
        line?.startsWith(`${what} `) ? line.slice(what.length + 1) : undefined;
      // The outcome of operations in progress when an earlier child was killed was determined then.
      const acknowledged = of(
        received.findLast((line) => line.startsWith('done ')),
        'done',
      );
      const underWay = of(received.at(-1), 'trying');
      const found = await stateIn(folder);
      expect([acknowledged ?? before, underWay]).toContain(found);
      before = found;
    }
  }, 240_000);

  async function restoreAndKill(killedAfterMs: number): Promise<void> {
    child = spawn(process.execPath, [CHILD, folder, `${folder}.log`]);
    let errors = '';
    child.stderr?.on('data', (data) => {
      errors += data;
    });
    child.stdout?.once('data', () => setTimeout(() => child?.kill('SIGKILL'), killedAfterMs));
    const [code, signal] = await once(child, 'close');
    if (signal !== 'SIGKILL') throw new Error(`the child ended by itself (${code}): ${errors}`);
  }
});

/** Which checkpoint the session shows; fails when it shows parts of both. */
async function stateIn(folder: string): Promise<string> {
  const memories = await openSqliteStore({ folder });
  const store = sqliteSessions(memories);
  const values = await valuesOf(store);
  const [id = ''] = await notesOf(store);
  expect(Object.keys(values)).toHaveLength(300);
  expect(new Set(Object.values(values))).toEqual(new Set([id.repeat(50)]));
  expect(await notesOf(store)).toEqual([id, id]);
  expect(await store.statistics(HERE, NOW_US)).toMatchObject({ keyCount: 300, noteCount: 2, checkpointCount: 2 });
  const checkpoints = await store.checkpoints({ ...HERE, limit: 10, nowUs: NOW_US });
  expect(checkpoints.map((made) => made.id)).toEqual(['two', 'one']);
  await memories.close();
  return id;
}
