import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  openSqliteStore,
  type SqliteMemoryStore,
  type SqliteStoreOptions,
} from '../../src/storage/sqlite/memory-store.ts';
import { getOne, NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { canMount, mountDisk } from '../support/small-disk.ts';
import { brokenRules } from './store-faults.ts';

const MIB = 1_048_576;
/** Elsewhere the limit on the database replaces the small disk. */
const isMountable = canMount();
interface Disk {
  readonly options: SqliteStoreOptions;
  grow(): void;
  remove(): void;
}

const disks: readonly { readonly name: string; readonly create: (folder: string) => Disk }[] = [
  {
    name: 'a database at its limit',
    create: (folder) => ({ options: { folder, databaseBytesMax: 2 * MIB }, grow: () => {}, remove: () => {} }),
  },
  ...(isMountable ? [{ name: 'a disk of 8 MiB', create: smallDisk }] : []),
];

describe.each(disks)('a full disk ($name)', ({ create }) => {
  let folder: string;
  let disk: Disk;
  let store: SqliteMemoryStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-full-'));
    disk = create(folder);
    store = await openSqliteStore(disk.options);
    await put(store, [large('first')]);
  });
  afterEach(async () => {
    await store.close();
    disk.remove();
    rmSync(folder, { recursive: true });
  });

  it('writes › are refused as STORAGE_FULL, atomically, and stored memories are readable', async () => {
    const stored = await fill(store);
    expect(stored.length).toBeGreaterThan(1);
    const { revision } = store;
    await expect(put(store, [large('more'), large('still-more')])).rejects.toMatchObject({ reason: 'STORAGE_FULL' });
    expect(store.revision).toBe(revision);
    expect(await getOne(store, 'more')).toBeUndefined();
    for (const id of stored) expect((await getOne(store, id))?.content?.data.byteLength).toBe(100_000);
    expect((await store.statistics(SPACE)).memoryCount).toBe(stored.length + 1);
  });

  it('many concurrent writes › each is either stored or refused, as answered', async () => {
    const ids = Array.from({ length: 200 }, (_, number) => `id-${number}`);
    const results = await Promise.allSettled(ids.map((id) => put(store, [large(id)])));
    const stored = ids.filter((_, at) => results[at]?.status === 'fulfilled');
    expect(stored.length).toBeLessThan(ids.length);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'STORAGE_FULL' });
    }
    const there = await store.get({ namespace: SPACE, ids, view: 'metadata', nowUs: NOW_US });
    expect(there.flatMap((memory) => memory?.id ?? [])).toEqual(stored);
  });

  it('reopened with more space › stored memories exist, and more can be stored', async () => {
    const stored = await fill(store);
    await store.close();
    disk.grow();
    expect(brokenRules(join(folder, 'mneme.db'))).toEqual([]);
    store = await openSqliteStore({ folder });
    await put(store, [large('more')]);
    for (const id of ['first', 'more', ...stored]) expect(await getOne(store, id)).toBeDefined();
  });
});

describe('a full database', () => {
  it('memories are deleted › space is available again, without reopening', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mneme-full-'));
    const store = await openSqliteStore({ folder, databaseBytesMax: 2 * MIB });
    try {
      await put(store, [large('first')]);
      const stored = await fill(store);
      await store.write({
        kind: 'delete',
        namespace: SPACE,
        ids: stored,
        cause: 'deleted',
        mustExist: true,
        atUs: NOW_US,
      });
      await put(store, [large('more')]);
      expect(await getOne(store, 'more')).toBeDefined();
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

if (isMountable) {
  describe('a full disk on which space is freed', () => {
    it('the same store › stores again', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mneme-full-'));
      const disk = smallDisk(folder);
      const store = await openSqliteStore(disk.options);
      try {
        const stored = await fill(store);
        disk.grow();
        await put(store, [large('more')]);
        for (const id of ['more', ...stored]) expect(await getOne(store, id)).toBeDefined();
      } finally {
        await store.close();
        disk.remove();
        rmSync(folder, { recursive: true });
      }
    });
  });
}

function large(id: string) {
  return newMemory({ id, content: { mediaType: 'image/png', data: new Uint8Array(100_000).fill(7) } });
}

/** Stores until a write fails; returns the stored memories. */
async function fill(store: SqliteMemoryStore): Promise<string[]> {
  const stored: string[] = [];
  for (let number = 0; number < 500; number++) {
    const id = `fill-${number}`;
    try {
      await put(store, [large(id)]);
    } catch (error) {
      expect(error).toMatchObject({ reason: 'STORAGE_FULL' });
      return stored;
    }
    stored.push(id);
  }
  throw new Error('the disk did not become full');
}

function smallDisk(folder: string): Disk {
  const { grow, remove } = mountDisk(folder, 8);
  return { options: { folder }, grow: () => grow(64), remove };
}
