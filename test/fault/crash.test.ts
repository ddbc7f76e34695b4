import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { RESERVE_FILE } from '../../src/storage/sqlite/disk-reserve.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { valueTerm } from '../../src/storage/sqlite/value-terms.ts';
import { sized } from '../support/all-tests.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { reusedThreads } from '../support/reused-threads.ts';
import { canMount, leaveFree, mountDisk } from '../support/small-disk.ts';
import type { Told, Write } from './crash-writer.ts';
import { brokenRules } from './store-faults.ts';

const ROUNDS = sized({ sample: 12, nightly: 50 });
/** Two folders at once: most of a round is waiting for a process to start. */
const FOLDERS = 2;
const KILLED_AFTER_MS_MAX = 120;
/** Writes that are acknowledged before the time to the kill begins, but for some rounds that may end before the first one. */
const UNDER_WAY = 4;
const EARLY_EVERY = 4;
const FULL_ROUNDS = sized({ sample: 3, nightly: 12 });
const FULL_DISK_MIB = 16;
const LEFT_FREE_BYTES = 524_288;
/** Reserve of a small database. */
const RESERVED_BYTES = 2_621_440;
const WRITER = fileURLToPath(new URL('crash-writer.ts', import.meta.url));

describe('a process killed at any time', () => {
  let folders: string[];
  let children: Set<ChildProcess>;
  beforeEach(() => {
    folders = Array.from({ length: FOLDERS }, () => mkdtempSync(join(tmpdir(), 'mneme-crash-')));
    children = new Set();
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  it(`${ROUNDS} rounds of concurrent writes and SIGKILL › no acknowledged write is lost, none is there in part`, async () => {
    const done = await Promise.all(folders.map((folder, lane) => rounds(folder, lane, seededRandom(`crash ${lane}`))));
    // A round without writes in progress proves nothing.
    expect(done.reduce((sum, writes) => sum + writes, 0)).toBeGreaterThan(ROUNDS * 2);
  }, 600_000);

  (canMount() ? it : it.skip)(
    `${FULL_ROUNDS} rounds on a full disk › the same, and deletions succeed`,
    async () => {
      const [folder = ''] = folders;
      const disk = mountDisk(folder, FULL_DISK_MIB);
      try {
        const random = seededRandom('crash on a full disk');
        const expected = new Map<string, string | null>();
        const refused = { stores: 0, deletions: 0 };
        await makeReserve(folder);
        for (let round = 0; round < FULL_ROUNDS; round++) {
          // A kill may come while the reserve is in use.
          const reserved = statSync(join(folder, RESERVE_FILE)).size;
          const ballast = leaveFree(folder, LEFT_FREE_BYTES + Math.max(0, RESERVED_BYTES - reserved));
          // Every other round ends after a write was refused.
          const received = await writeAndKill(folder, random, round, UNDER_WAY, round % 2);
          await settle(folder);
          rmSync(ballast);
          for (const { received: as, write } of received) {
            if (as !== 'refused') continue;
            if (Object.values(write.after).includes(null)) refused.deletions++;
            else refused.stores++;
          }
          check(join(folder, 'mneme.db'), received, expected, `round ${round} of seed ${random.seed}`);
        }
        expect(refused.deletions).toBe(0);
        expect(refused.stores).toBeGreaterThan(0);
      } finally {
        disk.remove();
      }
    },
    600_000,
  );

  async function rounds(folder: string, lane: number, random: TestRandom): Promise<number> {
    const expected = new Map<string, string | null>();
    let acknowledged = 0;
    for (let round = lane; round < ROUNDS; round += FOLDERS) {
      const isEarly = Math.floor(round / FOLDERS) % EARLY_EVERY === 0;
      const received = await writeAndKill(folder, random, round, isEarly ? 0 : UNDER_WAY);
      await settle(folder);
      acknowledged += check(join(folder, 'mneme.db'), received, expected, `round ${round} of seed ${random.seed}`);
    }
    return acknowledged;
  }

  async function writeAndKill(
    folder: string,
    random: TestRandom,
    round: number,
    count: number,
    refusedMin = 0,
  ): Promise<Told[]> {
    const killedAfterMs = random.int(KILLED_AFTER_MS_MAX);
    const log = `${folder}.log`;
    const args = [WRITER, folder, random.seed, ...[round, log, count, refusedMin].map(String)];
    const child = spawn(process.execPath, args);
    children.add(child);
    let errors = '';
    child.stderr.on('data', (data) => {
      errors += data;
    });
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), killedAfterMs));
    const [code, signal] = await once(child, 'close');
    children.delete(child);
    if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself (${code}): ${errors}`);
    const lines = readFileSync(log, 'utf8').split('\n');
    rmSync(log);
    // The last line may be cut: it records no acknowledged write.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Told);
  }
});

/** The first write makes it. */
async function makeReserve(folder: string): Promise<void> {
  const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
  await store.write({ kind: 'createNamespace', name: 'n', description: '', memoryLimit: 0, atUs: 1 });
  await store.close();
}

/** Opens the folder as a server does, and closes it: what stores have left to later transactions is then written. */
async function settle(folder: string): Promise<void> {
  const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
  await store.close();
}

/**
 * Compares the stored state with the log, records it for the next round, and returns the number of acknowledged writes.
 */
function check(
  databaseFile: string,
  received: readonly Told[],
  expected: Map<string, string | null>,
  where: string,
): number {
  const underWay = new Map<number, Write>();
  let acknowledged = 0;
  for (const line of received) {
    if (line.received === 'trying') underWay.set(line.lane, line.write);
    else underWay.delete(line.lane);
    if (line.received === 'done') {
      acknowledged++;
      for (const [id, mark] of Object.entries(line.write.after)) expected.set(id, mark);
    }
  }
  const database = new Database(databaseFile, { readonly: true });
  const there = readMarks(database);
  const kept = new Set(database.prepare('SELECT request_id FROM idempotency').pluck().all());
  database.close();
  for (const { requestId, after } of underWay.values()) {
    const isDone = kept.has(requestId);
    for (const [id, mark] of Object.entries(after)) {
      const before = expected.get(id) ?? null;
      expect([where, id, there.get(id) ?? null]).toEqual([where, id, isDone ? mark : before]);
      expected.set(id, isDone ? mark : before);
    }
  }
  for (const line of received) {
    if (line.received === 'done') expect([where, kept.has(line.write.requestId)]).toEqual([where, true]);
  }
  expect([where, differing(there, expected)]).toEqual([where, []]);
  expect([where, brokenRules(databaseFile)]).toEqual([where, []]);
  return acknowledged;
}

/** The mark of each memory; one with inconsistent parts returns all of them. */
function readMarks(database: Database.Database): Map<string, string> {
  const values = database.prepare<[], { pk: number; value: string }>(
    `SELECT t.doc AS pk, substr(t.term, length(p.namespace_key || '_' || p.key || '_') + 1) AS value
     FROM value_path p CROSS JOIN memory_value_terms t
       ON t.term >= p.namespace_key || '_' || p.key || '_' AND t.term < p.namespace_key || '_' || p.key || '_~'
     WHERE p.path = '["mark"]'`,
  );
  const kept = new Map(values.all().map(({ pk, value }) => [pk, value]));
  const rows = database.prepare<[], { pk: number; id: string; text: string; content: Buffer; tags: string }>(
    'SELECT m.pk, id, text, content, tags FROM memory m JOIN memory_body b ON b.pk = m.pk',
  );
  return new Map(
    rows.all().map(({ pk, id, text, content, tags }) => {
      const { mark } = JSON.parse(content.toString()) as { mark: string };
      const [tag] = JSON.parse(tags) as [string];
      const keptMark = kept.get(pk) === valueTerm(mark) ? mark : kept.get(pk);
      const marks = new Set([text.slice(4, text.indexOf(' ')), mark, tag, keptMark]);
      return [id, [...marks].join(' | ')];
    }),
  );
}

function differing(there: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string | null>): string[] {
  const missing = [...expected].filter(([id, mark]) => (there.get(id) ?? null) !== mark).map(([id]) => id);
  return [...missing, ...[...there.keys()].filter((id) => !expected.has(id))];
}
