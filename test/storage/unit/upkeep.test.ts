import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { databaseFileIn } from '../../../src/storage/sqlite/database.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../../src/storage/sqlite/memory-store.ts';
import { brokenRules } from '../../fault/store-faults.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { randomMemory } from '../../support/random-memories.ts';
import { until } from '../../support/redis-cluster.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { rowsOfStore } from '../../support/rows-of-store.ts';
import { because, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';

/** Bytes that one store of 1 KB may add to the write-ahead log, the transactions that write its upkeep included. */
const STORE_BYTES_MAX = 30_000;
const LONE_STORES = 128;
const QUEUE_MAX = 50;

describe('upkeep of single stores', () => {
  let folder: string;
  let store: SqliteMemoryStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-upkeep-'));
    store = await open(true);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const open = (mayUpkeepWait: boolean, where = folder) =>
    openSqliteStore({
      folder: where,
      writerThreads: reusedThreads().writer,
      queue: { queueMax: QUEUE_MAX },
      mayUpkeepWait,
      newTerm: () => 'term',
    });
  const query = <A>(sql: string): A[] => {
    const database = new Database(databaseFileIn(folder), { readonly: true });
    try {
      return database.prepare<[], A>(sql).all();
    } finally {
      database.close();
    }
  };
  const idempotency = (id: string) => ({ requestId: id.padStart(36, 'r'), fingerprint: 'f'.repeat(43) });
  const count = (table: string) => query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]?.count;

  it('one after the other › each writes few pages', async () => {
    const text = Array.from({ length: 150 }, (_, at) => `word${at % 90}`).join(' ');
    await put(store, [newMemory({ id: 'first' })]);
    const before = logBytes(folder);
    for (let at = 0; at < LONE_STORES; at++) {
      const id = `m${at}`;
      await put(store, [newMemory({ id, text: `${text} ${id}` })], { idempotency: idempotency(id) });
    }
    expect((logBytes(folder) - before) / LONE_STORES).toBeLessThan(STORE_BYTES_MAX);
  });

  it('left to a later transaction › written before a read of indexes and totals, and none is left while it runs', async () => {
    await put(store, [newMemory({ id: 'first' })]);
    await put(store, [newMemory({ id: 'a', text: 'late' })]);
    expect(count('memory')).toBe(2);
    expect(count('memory_words_docsize')).toBe(1);
    expect(count('memory WHERE is_settled = 0')).toBe(1);
    await store.withUpkeep(async () => {
      expect(count('memory_words_docsize')).toBe(2);
      await put(store, [newMemory({ id: 'b' })]);
      expect(count('memory_words_docsize')).toBe(3);
    });
    const totals = await store.totals(SPACE);
    expect(totals.map((total) => total.count)).toEqual([3]);
    expect(brokenRules(databaseFileIn(folder))).toEqual([]);
  });

  describe('a read of indexes while upkeep waits', () => {
    beforeEach(async () => {
      await put(store, [newMemory({ id: 'first' })]);
      await put(store, [newMemory({ id: 'late' })]);
      expect(count('memory WHERE is_settled = 0')).toBe(1);
    });
    const countAll = async () => (await store.count({ namespace: SPACE, nowUs: NOW_US })).get('short_term');

    it('the queue of writes is full › succeeds', async () => {
      const writes = Array.from({ length: QUEUE_MAX }, (_, at) => put(store, [newMemory({ id: `m${at}` })]));
      await expect(put(store, [newMemory({ id: 'refused' })])).rejects.toMatchObject(because('QUEUE_FULL'));
      expect(await countAll()).toBeGreaterThanOrEqual(2);
      await Promise.all(writes);
    });

    it('the store is closed meanwhile › succeeds', async () => {
      const write = put(store, [newMemory({ id: 'third' })]);
      const closed = store.close();
      const counted = countAll();
      await Promise.all([write, closed]);
      expect(await counted).toBeGreaterThanOrEqual(2);
    });

    it('the writer thread dies meanwhile › succeeds with another one', async () => {
      const counts = [countAll(), countAll()];
      await workerOf(store).terminate();
      expect(await Promise.all(counts)).toEqual([2, 2]);
    });
  });

  it('repeated request of a store that has left its upkeep › the first outcome, also after its thread died', async () => {
    await put(store, [newMemory({ id: 'first' })]);
    const once = (id: string) => put(store, [newMemory({ id })], { idempotency: idempotency('r') });
    const first = await once('a');
    expect(count('idempotency')).toBe(0);
    expect(await once('a')).toEqual(first);
    await workerOf(store).terminate();
    expect(await once('a')).toEqual(first);
    const other = { ...idempotency('r'), fingerprint: 'other' };
    await expect(put(store, [newMemory({ id: 'b' })], { idempotency: other })).rejects.toMatchObject(
      because('REQUEST_ID_REUSED'),
    );
    expect(await store.outcomeOf(SPACE, idempotency('r'))).toEqual(first);
    expect(count('idempotency')).toBe(1);
    expect(count('memory')).toBe(2);
  });

  it('many stores that change nothing › leave nothing, and use no sequence', async () => {
    await put(store, [newMemory({ id: 'first' })]);
    await store.close();
    store = await open(true);
    for (let at = 0; at < 110; at++) await put(store, [newMemory({ id: 'first' })], { onConflict: 'keep' });
    expect(brokenRules(databaseFileIn(folder))).toEqual([]);
    expect(query<{ next: number }>('SELECT max(next_sequence) AS next FROM namespace')).toEqual([{ next: 2 }]);
  });

  it('quiet time › slices write all that was left', async () => {
    await put(store, [newMemory({ id: 'first' })]);
    for (let at = 0; at < 60; at++) await put(store, [newMemory({ id: `m${at}` })]);
    // The last slice writes totals and positions, after those that settle memories.
    const isWritten = () =>
      count('memory WHERE is_settled = 0') === 0 && brokenRules(databaseFileIn(folder)).length === 0;
    await until('nothing is left', async () => isWritten());
  });

  it('closed › all is written', async () => {
    await put(store, [newMemory({ id: 'first' })]);
    await put(store, [newMemory({ id: 'a' })]);
    await store.close();
    expect(count('memory_words_docsize')).toBe(2);
    expect(brokenRules(databaseFileIn(folder))).toEqual([]);
  });

  it('any writes, with failures, and threads that die › the same rows as when each transaction writes its upkeep', async () => {
    const random = seededRandom('upkeep');
    const other = mkdtempSync(join(tmpdir(), 'mneme-upkeep-other-'));
    const eager = await open(false, other);
    const ids: string[] = [];
    for (let number = 0; number < 250; number++) {
      const isTwo = random.int(8) === 0;
      const memories = [`m${number}`, `n${number}`].slice(0, isTwo ? 2 : 1).map((id) => randomMemory(random, id));
      const kind = random.int(20);
      const old = ids[random.int(ids.length)];
      const write = async (into: SqliteMemoryStore) => {
        if (!old || kind < 15)
          await put(into, memories, kind % 3 === 0 ? {} : { idempotency: idempotency(`r${number}`) });
        else if (kind === 15) await put(into, [...memories, newMemory({ id: old })]).catch(() => undefined);
        else if (kind === 16)
          await put(
            into,
            memories.slice(0, 1).map((memory) => ({ ...memory, id: old })),
            { onConflict: 'replace' },
          );
        else if (kind === 17) await into.write({ kind: 'touch', namespace: SPACE, ids: [old], atUs: NOW_US });
        else
          await into.write({
            kind: 'delete',
            namespace: SPACE,
            ids: [old],
            cause: 'deleted',
            mustExist: false,
            atUs: NOW_US,
          });
      };
      await write(store);
      await write(eager);
      if (kind < 15) ids.push(...memories.map(({ id }) => id));
      if (number % 60 === 30 || random.int(30) === 0) {
        await workerOf(store).terminate();
      }
    }
    // A store that is closed after its thread died leaves upkeep to its next opening; this write starts another thread.
    for (const into of [store, eager]) await put(into, [newMemory({ id: 'last' })]);
    await Promise.all([store.close(), eager.close()]);
    expect(rowsOfStore(databaseFileIn(folder))).toEqual(rowsOfStore(databaseFileIn(other)));
    expect(brokenRules(databaseFileIn(folder))).toEqual([]);
    rmSync(other, { recursive: true });
  });
});

function logBytes(folder: string): number {
  return readFileSync(`${databaseFileIn(folder)}-wal`).byteLength;
}

/** The thread is not accessible from outside; a crash in native code would end it like this. */
function workerOf(store: SqliteMemoryStore): Worker {
  return ['commits', 'link', 'worker'].reduce((part: object, name) => Reflect.get(part, name), store) as Worker;
}
