import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { servingCall } from '../../../src/storage/current-call.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../../src/storage/sqlite/memory-store.ts';
import { CANCELLED, EndingCall } from '../../support/ending-call.ts';
import { newMemory } from '../../support/new-memory.ts';
import { because, getOne, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';

describe('writes to SQLite', () => {
  let folder: string;
  let store: SqliteMemoryStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-commit-'));
    store = await openSqliteStore({ folder, queue: { queueMax: 10, queueBytesMax: 100_000 } });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const many = (count: number, text = 'text') =>
    Promise.allSettled(
      Array.from({ length: count }, (_, number) => put(store, [newMemory({ id: `m${number}`, text })])),
    );
  const refused = (results: readonly PromiseSettledResult<unknown>[]) =>
    results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown);

  it('more than the queue may hold › the rest is refused as QUEUE_FULL, later ones are accepted', async () => {
    const results = await many(25);
    expect(refused(results)).toHaveLength(15);
    for (const reason of refused(results)) expect(reason).toMatchObject(because('QUEUE_FULL'));
    await put(store, [newMemory({ id: 'later' })]);
  });

  it('calls end whose writes fill the queue › their places and bytes are free at once', async () => {
    await put(store, [newMemory({ id: 'first' })]);
    for (const text of ['text', 'x'.repeat(8000)]) {
      const call = new EndingCall();
      const late = servingCall(call, () => many(10, text));
      const refusedOne = many(1, 'x'.repeat(50_000));
      call.end();
      const live = many(10, text);
      expect(refused(await refusedOne)).toMatchObject([because('QUEUE_FULL')]);
      expect(refused(await late)).toEqual(Array.from({ length: 10 }, () => CANCELLED));
      expect(refused(await live)).toEqual([]);
      await store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
    }
  });

  it('all that wait are of a call that has ended, and the store closes › it is closed', async () => {
    await put(store, [newMemory({ id: 'first' })]);
    const call = new EndingCall();
    const late = servingCall(call, () => many(10));
    const closing = store.close();
    call.end();
    await closing;
    expect(refused(await late)).toHaveLength(10);
  });

  it('more bytes than the queue may hold › refused, but a single large write is not', async () => {
    await put(store, [newMemory({ id: 'large', text: 'x'.repeat(300_000) })]);
    expect(refused(await many(5, 'x'.repeat(30_000)))).toHaveLength(2);
  });

  it('some of the writes of a batch fail › only these, whatever they had written, repeatedly', async () => {
    for (let round = 0; round < 3; round++) {
      const ids = Array.from({ length: 6 }, (_, number) => `r${round}-${number}`);
      const write = (number: number) => {
        const id = ids[number] as string;
        const taken = newMemory({ id: ids[0] as string });
        return put(store, number % 2 === 0 ? [newMemory({ id })] : [newMemory({ id }), taken]);
      };
      const results = await Promise.allSettled(ids.map((_, number) => write(number)));
      expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, true, false]);
      for (const reason of refused(results)) expect(reason).toMatchObject(because('MEMORY_EXISTS'));
      const there = await Promise.all(ids.map((id) => getOne(store, id)));
      expect(there.map((memory) => memory !== undefined)).toEqual([true, false, true, false, true, false]);
    }
    expect(count('SELECT count(*) FROM memory WHERE pk IN (SELECT rowid FROM memory_words)')).toBe(9);
  });

  it('the thread dies › open writes fail as STORAGE_UNAVAILABLE, the next write starts another thread', async () => {
    await put(store, [newMemory({ id: 'before' })]);
    const writes = many(5);
    await new Promise(setImmediate);
    await writerOf(store).terminate();
    for (const reason of refused(await writes)) {
      expect(reason).toMatchObject({ ...because('STORAGE_UNAVAILABLE'), metadata: { backend: 'sqlite' } });
    }
    await put(store, [newMemory({ id: 'after' })]);
    expect(await getOne(store, 'before')).toBeDefined();
    expect(await getOne(store, 'after')).toBeDefined();
  });

  it('closed during writes › they are finished', async () => {
    const writes = many(10);
    await store.close();
    expect(refused(await writes)).toEqual([]);
    await expect(put(store, [newMemory({ id: 'late' })])).rejects.toMatchObject(because('DRAINING'));
    await expect(getOne(store, 'm1')).rejects.toMatchObject(because('DRAINING'));
  });

  it('opened again › all data is there, revisions continue', async () => {
    const { revision } = await put(store, [newMemory({ id: 'a' })]);
    await store.close();
    store = await openSqliteStore({ folder });
    expect(store.revision).toBe(revision);
    expect(await getOne(store, 'a')).toBeDefined();
    expect((await put(store, [newMemory({ id: 'b' })])).revision).toBe(revision + 1);
  });

  it('namespace of many memories deleted › its rows are erased in steps, also after it was opened again', async () => {
    const memories = Array.from({ length: 500 }, (_, number) => newMemory({ id: `m${number}`, tags: ['t'] }));
    await put(store, memories);
    await store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
    await store.close();
    store = await openSqliteStore({ folder });
    await put(store, [newMemory({ id: 'new' })]);
    while (rowsLeft() > 1) await put(store, [newMemory({ id: 'new' })], { onConflict: 'keep' });
    expect(count('SELECT count(*) FROM memory_tag')).toBe(0);
    expect(count('SELECT count(*) FROM memory_body')).toBe(1);
    expect(count('SELECT count(*) FROM namespace_erasure')).toBe(0);
  });

  it('outcomes of repeated requests › are deleted after their retention', async () => {
    await store.close();
    store = await openSqliteStore({ folder, idempotencyRetentionMs: 1000 });
    const once = (requestId: string, atUs: number) =>
      put(store, [newMemory({ id: requestId })], { atUs, idempotency: { requestId, fingerprint: 'f' } });
    for (let number = 0; number < 5; number++) await once(`r${number}`, NOW_US);
    await once('late', NOW_US + 1_000_000);
    expect(count('SELECT count(*) FROM idempotency')).toBe(1);
  });

  const rowsLeft = (): number => count('SELECT count(*) FROM memory');
  function count(sql: string): number {
    const database = new Database(join(folder, 'mneme.db'), { readonly: true });
    try {
      return Number(database.prepare(sql).pluck().get());
    } finally {
      database.close();
    }
  }
});

/** The thread is not accessible from outside; a crash in native code would end it like this. */
function writerOf(store: SqliteMemoryStore): Worker {
  return ['commits', 'link', 'worker'].reduce((part: object, name) => Reflect.get(part, name), store) as Worker;
}
