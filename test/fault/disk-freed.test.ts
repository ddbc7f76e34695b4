import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SERVER_ITSELF } from '../../src/memory/principal.ts';
import { clearTier } from '../../src/server/operations/tiers/clear-tier.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../src/storage/sqlite/memory-store.ts';
import { getOne, listRead, NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { canMount, leaveFree, mountDisk } from '../support/small-disk.ts';
import { brokenRules } from './store-faults.ts';

const DELETED = 100;
const describeWhere = canMount() ? describe : describe.skip;

describeWhere.each([
  ['small', 2500],
  ['large', 30_000],
])('a disk of 12 MiB full of %s memories', (_, bytes) => {
  let folder: string;
  let disk: { remove(): void };
  let store: SqliteMemoryStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-freed-'));
    disk = mountDisk(folder, 12);
    store = await open();
    await fill();
  });
  afterEach(async () => {
    await store.close();
    disk.remove();
    rmSync(folder, { recursive: true });
  });

  const open = () => openSqliteStore({ folder, mayUpkeepWait: true });
  const databaseFile = () => join(folder, 'mneme.db');

  it('each memory deleted alone › no deletion fails, and as many can be stored again', async () => {
    const ids = await idsOf(DELETED);
    for (const id of ids) await erase([id]);
    for (const id of ids) expect(await getOne(store, id)).toBeUndefined();
    for (const id of ids.slice(DELETED / 2)) await put(store, [memoryOf(id)]);
  });

  it('another program takes the rest of the disk › deletions succeed, also many at once', async () => {
    leaveFree(folder, 0);
    const ids = await idsOf(DELETED);
    await Promise.all(ids.map((id) => erase([id])));
    expect(await idsOf(DELETED)).not.toEqual(expect.arrayContaining(ids));
    expect(await forgetAll()).toBeGreaterThan(0);
    expect((await store.statistics(SPACE)).memoryCount).toBe(0);
    await put(store, [memoryOf('again')]);
  });

  it('opened again after a kill and after a stop › deletions succeed', async () => {
    leaveFree(folder, 0);
    await workerOf(store).terminate();
    for (const id of await idsOf(DELETED / 2)) await erase([id]);
    await store.close();
    leaveFree(folder, 0);
    store = await open();
    for (const id of await idsOf(DELETED / 2)) await erase([id]);
    await store.close();
    expect(brokenRules(databaseFile())).toEqual([]);
    store = await open();
  });

  it('a store has left its upkeep › reads of indexes and totals succeed', async () => {
    leaveFree(folder, 0);
    const page = await store.list(listRead({ limit: 10 }));
    expect(page.memories).toHaveLength(10);
    await erase(page.memories.map(({ id }) => id));
    const stored = await Promise.allSettled([put(store, [newMemory({ id: 'one-more' })])]);
    const count = (await store.count({ namespace: SPACE, nowUs: NOW_US })).get('short_term') ?? 0;
    expect((await store.statistics(SPACE)).memoryCount).toBe(count);
    const there = await getOne(store, 'one-more');
    expect(there !== undefined).toBe(stored[0]?.status === 'fulfilled');
  });

  const memoryOf = (id: string) =>
    newMemory({
      id,
      text: `word ${id}`,
      tags: ['t'],
      content: { mediaType: 'image/png', data: new Uint8Array(bytes).fill(7) },
    });

  const erase = (ids: readonly string[]) =>
    store.write({ kind: 'delete', namespace: SPACE, ids, cause: 'deleted', mustExist: true, atUs: NOW_US });

  async function fill(): Promise<void> {
    for (let number = 0; ; number++) {
      try {
        await put(store, [memoryOf(`fill-${number}`)]);
      } catch (error) {
        expect(error).toMatchObject({ reason: 'STORAGE_FULL' });
        expect(number).toBeGreaterThan(2 * DELETED);
        return;
      }
    }
  }

  async function idsOf(count: number): Promise<string[]> {
    const { memories } = await store.list(listRead({ limit: count }));
    return memories.map(({ id }) => id);
  }

  async function forgetAll(): Promise<number> {
    const { signal } = new AbortController();
    const call = {
      signal,
      deadlineAtMs: Number.POSITIVE_INFINITY,
      callId: 'clear',
      principal: SERVER_ITSELF,
      caller: 'test',
    };
    const request = { namespace: SPACE, tier: 'short_term', dryRun: false } as const;
    const outcome = await clearTier({ store, view: store, clock: { nowUs: () => NOW_US } }, request, call);
    return outcome.deletedIds.length;
  }
});

/** The thread is not accessible from outside; a crash in native code would end it like this. */
function workerOf(store: SqliteMemoryStore): Worker {
  return ['commits', 'link', 'worker'].reduce((part: object, name) => Reflect.get(part, name), store) as Worker;
}
