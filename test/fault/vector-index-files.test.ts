import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSnapshot } from '../../src/search/vectors/index-folder.ts';
import { sized } from '../support/all-tests.ts';
import { seededRandom } from '../support/random.ts';

const CHILD = join(import.meta.dirname, 'vector-index-child.ts');
const KILL_AFTER_MS = 60_000;
const ROUNDS = sized({ sample: 4, nightly: 12 });
const random = seededRandom('vector index files');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-index-files-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('vector index files', () => {
  it('bit flipped, cut short, foreign, empty or missing › always refused, never a crash', () => {
    const child = spawnSync(process.execPath, [CHILD, 'damage', folder, random.seed], {
      encoding: 'utf8',
      timeout: KILL_AFTER_MS,
      killSignal: 'SIGKILL',
    });
    const lines = child.stdout.split('\n').filter((line) => line.startsWith('LINE '));
    expect({ status: child.status, signal: child.signal, last: lines.at(-1) }).toEqual({
      status: 0,
      signal: null,
      last: 'LINE undamaged › loaded 500 at 5',
    });
    const outcomes = lines.filter((line) => !line.endsWith('›')).slice(0, -1);
    expect(outcomes.length).toBeGreaterThan(250);
    // The exact vectors have a checksum each: the owner replaces those that are damaged.
    const [rows, others] = [/ rows-1 (?!missing)/, outcomes.filter((line) => !line.startsWith('LINE rows-1'))];
    expect(new Set(others.filter((line) => !line.endsWith('refused')))).toEqual(
      new Set(['LINE manifest missing › absent']),
    );
    expect(outcomes.filter((line) => rows.test(line) && !line.endsWith('loaded 500 at 5'))).toEqual([]);
    expect(outcomes).toContain('LINE rows-1 missing › refused');
  });

  it('killed at any moment while it is saved › the last snapshot or the new one, whole', async () => {
    let saved = 0;
    for (let round = 0; round < ROUNDS; round++) {
      saved = await killedWhileSaving(saved);
      const loaded = loadSnapshot(folder, 'm', { dimension: 24, exactMax: 100 });
      if (!loaded || 'refused' in loaded) throw new Error(`round ${round}: ${loaded?.refused ?? 'absent'}`);
      expect(loaded.revision === saved || loaded.revision === saved + 1).toBe(true);
      expect(loaded.index.size).toBe(2000 + loaded.revision);
      saved = loaded.revision;
    }
    // Rows, two manifests, and of the last snapshot and the interrupted one graph and vectors each.
    expect(readdirSync(folder).length).toBeLessThanOrEqual(7);
  });

  it('no space › fails, keeps the last snapshot and leaves no files', async () => {
    const saved = await killedWhileSaving(0);
    const before = readdirSync(folder);
    // A limit on file size has the same effect as a full disk, for native and own writes alike.
    const child = spawnSync(
      'sh',
      ['-c', `ulimit -f 64; exec "$0" "$@"`, process.execPath, CHILD, 'save', folder, '1'],
      {
        encoding: 'utf8',
        timeout: KILL_AFTER_MS,
        killSignal: 'SIGKILL',
      },
    );
    expect(child.status).toBe(1);
    expect(child.stderr).toMatch(/EFBIG|Failed to serialize/);
    const loaded = loadSnapshot(folder, 'm', { dimension: 24, exactMax: 100 });
    expect(loaded && 'revision' in loaded && loaded.revision).toBeGreaterThanOrEqual(saved);
    // The kill may have left files of an interrupted snapshot.
    expect(readdirSync(folder).filter((name) => /-\d+$/.test(name) && !before.includes(name))).toEqual([]);
  });
});

/**
 * Runs a child that saves one revision after the other and kills it at a random moment; returns the last reported
 * revision.
 */
async function killedWhileSaving(before: number): Promise<number> {
  const child = spawn(process.execPath, [CHILD, 'save', folder, random.seed], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  let saved = before;
  let isDue = false;
  for await (const line of createInterface({ input: child.stdout })) {
    saved = Number(line.slice('LINE '.length));
    if (isDue) continue;
    isDue = true;
    setTimeout(() => child.kill('SIGKILL'), random.int(60));
  }
  await exited;
  clearTimeout(timer);
  expect(saved).toBeGreaterThan(before);
  return saved;
}
