import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../src/memory/checksum.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { tiers } from '../../../src/storage/sqlite/migrations/migrate.ts';
import { olderFolder, STORED_US } from './older-folder.ts';

const NOW_US = 1_800_000_000_000_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-tiers-migration-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a folder of a version without tiers', () => {
  it('opened › its memories are short-term since they were stored, are counted, and can be moved and read', async () => {
    const text = 'What was stored before there were tiers. '.repeat(10);
    olderFolder(folder, tiers, [{ id: 'old', text }]);
    const store = await openSqliteStore({ folder });
    try {
      const bytes = Buffer.byteLength(text);
      expect(await store.members({ namespace: 'n', tier: 'short_term', limit: 9 })).toMatchObject([
        { id: 'old', tierSinceUs: STORED_US, agent: 'ada', contentBytes: bytes },
      ]);
      expect(await store.totals('n')).toMatchObject([{ tier: 'short_term', count: 1, contentBytes: bytes }]);
      expect((await store.statistics('n')).tiers).toMatchObject([{ contentBytes: bytes, storedBytes: bytes }]);
      expect((await store.getNamespace('n')).settings).toEqual({});

      const resolution = { abstractBytesMax: 50, compressionLevel: 3, vector: 'i8', vectorDimension: 0 } as const;
      await store.write({ kind: 'move', namespace: 'n', ids: ['old'], to: 'long_term', resolution, atUs: NOW_US });
      const [memory] = await store.get({ namespace: 'n', ids: ['old'], view: 'full', nowUs: NOW_US });
      expect(memory).toMatchObject({ text, tier: 'long_term', revision: 2, checksum: checksumOf(text) });
      expect(await store.totals('n')).toMatchObject([{ tier: 'long_term', count: 1, contentBytes: bytes }]);
      expect((await store.statistics('n')).tiers[0]?.storedBytes).toBeLessThan(bytes);
    } finally {
      await store.close();
    }
  });
});
