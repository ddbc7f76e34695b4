import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DiskReserve, RESERVE_FILE } from '../../../src/storage/sqlite/disk-reserve.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { newMemory } from '../../support/new-memory.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { canMount, mountDisk } from '../../support/small-disk.ts';
import { because, put } from '../conformance/memory-store/store-of-test.ts';

const MIB = 1_048_576;

describe('the reserve of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-reserve-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const file = () => statSync(join(folder, RESERVE_FILE), { throwIfNoEntry: false });

  it('grown and shrunk › occupies as much on the disk, also for the next opening', () => {
    const reserve = new DiskReserve(folder);
    expect(reserve.grow(3 * MIB)).toBe(true);
    expect([reserve.bytes, file()?.size]).toEqual([3 * MIB, 3 * MIB]);
    expect((file()?.blocks ?? 0) * 512).toBeGreaterThanOrEqual(3 * MIB);
    reserve.shrink(MIB + 1);
    expect(file()?.size).toBe(MIB + 1);
    const next = new DiskReserve(folder);
    next.shrink(2 * MIB);
    expect(next.bytes).toBe(MIB + 1);
  });

  it('no write › no file; from the first write on two MiB, and as much as the log adds to the database', async () => {
    const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
    try {
      expect(file()).toBeUndefined();
      await put(store, [newMemory({ id: 'first' })]);
      expect(file()?.size).toBeGreaterThanOrEqual(2 * MIB);
      const data = new Uint8Array(4 * MIB).fill(7);
      await put(store, [newMemory({ id: 'large', content: { mediaType: 'image/png', data } })]);
      expect(file()?.size).toBeGreaterThanOrEqual(6 * MIB);
    } finally {
      await store.close();
    }
  });

  (canMount() ? it : it.skip)('a disk without so much space › as before, or all that is left', () => {
    const disk = mountDisk(folder, 4);
    try {
      const reserve = new DiskReserve(folder);
      expect([reserve.grow(MIB), reserve.grow(5 * MIB), file()?.size]).toEqual([true, false, MIB]);
      expect([reserve.grow(5 * MIB, true), reserve.bytes, file()?.size]).toEqual([false, 4 * MIB, 4 * MIB]);
    } finally {
      disk.remove();
    }
  });

  it('the file is removed › made again as a whole', () => {
    const reserve = new DiskReserve(folder);
    reserve.grow(2 * MIB);
    rmSync(join(folder, RESERVE_FILE));
    expect(reserve.grow(3 * MIB)).toBe(true);
    expect((file()?.blocks ?? 0) * 512).toBeGreaterThanOrEqual(3 * MIB);
    rmSync(join(folder, RESERVE_FILE));
    reserve.shrink(MIB);
    expect([reserve.bytes, file()]).toEqual([0, undefined]);
  });

  it('the folder is gone › fails as unavailable', () => {
    const reserve = new DiskReserve(folder);
    rmSync(folder, { recursive: true });
    expect(() => reserve.grow(MIB)).toThrow(expect.objectContaining(because('STORAGE_UNAVAILABLE')));
  });
});
