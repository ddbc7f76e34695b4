import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';
import type { Memory, Tier } from '../../src/memory/memory.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { sized } from '../support/all-tests.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { brokenRules } from './store-faults.ts';
import { everyMemory, type MoveTold, SPACE } from './tier-mover.ts';

const ROUNDS = sized({ sample: 6, nightly: 20 });
const KILLED_AFTER_MS_MAX = 120;
/** Moves acknowledged before the delay to the kill begins. */
const UNDER_WAY = 12;
const NOW_US = 1_800_000_000_000_000;
const MOVER = fileURLToPath(new URL('tier-mover.ts', import.meta.url));

describe('a process killed while it moves memories between tiers', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-tier-crash-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it(`${ROUNDS} rounds of SIGKILL › every memory is there once, whole, in the tier that was acknowledged`, async () => {
    const random = seededRandom('tier crash');
    const expected = new Map<string, Tier>();
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const received = await moveAndKill(random, round);
      acknowledged += received.filter((line) => line.received === 'done').length;
      await check(received, expected, `round ${round} of seed ${random.seed}`);
    }
    // A round without moves proves nothing.
    expect(acknowledged).toBeGreaterThan(ROUNDS * 10);
  }, 600_000);

  async function moveAndKill(random: TestRandom, round: number): Promise<MoveTold[]> {
    const killedAfterMs = random.int(KILLED_AFTER_MS_MAX);
    const log = `${folder}.log`;
    const started = spawn(process.execPath, [MOVER, folder, random.seed, String(round), log, String(UNDER_WAY)]);
    child = started;
    let errors = '';
    started.stderr.on('data', (data) => {
      errors += data;
    });
    started.stdout.once('data', () => setTimeout(() => started.kill('SIGKILL'), killedAfterMs));
    const [code, signal] = await once(started, 'close');
    if (signal !== 'SIGKILL') throw new Error(`the mover ended by itself (${code}): ${errors}`);
    const lines = readFileSync(log, 'utf8').split('\n');
    rmSync(log);
    return lines.slice(0, -1).map((line) => JSON.parse(line) as MoveTold);
  }

  async function check(received: readonly MoveTold[], expected: Map<string, Tier>, where: string): Promise<void> {
    const underWay = new Map<number, MoveTold>();
    for (const line of received) {
      if (line.received === 'trying') underWay.set(line.lane, line);
      else {
        underWay.delete(line.lane);
        for (const id of line.ids) expected.set(id, line.to);
      }
    }
    const originals = everyMemory();
    const there = await readAll(originals.map(({ id }) => id));
    for (const [at, original] of originals.entries()) {
      const memory = there[at];
      expect([where, memory?.id]).toEqual([where, original.id]);
      if (!memory) continue;
      expect([where, checksumOf(memory.text, memory.content)]).toEqual([where, original.checksum]);
      expect([where, ...(memory.embedding?.values ?? [])]).toEqual([where, ...(original.embedding?.values ?? [])]);
      const moving = [...underWay.values()].find(({ ids }) => ids.includes(original.id));
      const tiers = [expected.get(original.id) ?? 'short_term', ...(moving ? [moving.to] : [])];
      expect([where, tiers]).toEqual([where, expect.arrayContaining([memory.tier])]);
      expected.set(original.id, memory.tier);
    }
    expect([where, brokenRules(join(folder, 'mneme.db'))]).toEqual([where, []]);
  }

  async function readAll(ids: readonly string[]): Promise<(Memory | undefined)[]> {
    const store = await openSqliteStore({ folder });
    try {
      return await store.get({ namespace: SPACE, ids, view: 'full', nowUs: NOW_US });
    } finally {
      await store.close();
    }
  }
});
