import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Resolution } from '../../src/memory/resolution/resolution.ts';
import { databaseFileIn, openWritable } from '../../src/storage/sqlite/database.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../src/storage/sqlite/memory-store.ts';
import { newMemory } from '../support/new-memory.ts';

const NOW_US = 1_800_000_000_000_000;
const LOW: Resolution = { abstractBytesMax: 20, compressionLevel: 3, vector: 'i8', vectorDimension: 0 };
const clock = { nowUs: () => NOW_US };

let folder: string;
let store: SqliteMemoryStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-damaged-'));
  store = await openSqliteStore({ folder, clock });
  const text = 'She said that the garden had never been as green as in that summer.';
  const values = Float32Array.from({ length: 32 }, (_, at) => Math.sin(at));
  const memories = ['a', 'b'].map((id) => newMemory({ id, text, embedding: { model: 'm', values } }));
  await store.store({ namespace: 'n', memories, createNamespace: true, onConflict: 'fail', atUs: NOW_US });
  await store.tiers.move({ namespace: 'n', ids: ['a', 'b'], to: 'long_term', resolution: LOW, atUs: NOW_US });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Turns over one bit in the middle of what is kept of memory `a`. */
function damage(table: 'memory_body' | 'memory_vector', column: 'packed' | 'data'): void {
  const database = openWritable(databaseFileIn(folder));
  try {
    const row = database
      .prepare<[], { pk: number; bytes: Buffer }>(
        `SELECT t.pk, t.${column} AS bytes FROM ${table} t JOIN memory ON memory.pk = t.pk WHERE memory.id = 'a'`,
      )
      .get();
    if (!row) throw new Error('memory a has no such bytes');
    const at = row.bytes.length >> 1;
    const bytes = Buffer.from(row.bytes.with(at, (row.bytes[at] ?? 0) ^ 8));
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE pk = ?`).run(bytes, row.pk);
  } finally {
    database.close();
  }
}

const read = (id: string) => store.get({ namespace: 'n', ids: [id], view: 'full', nowUs: NOW_US });
const raise = (ids: string[]) =>
  store.tiers.move({
    namespace: 'n',
    ids,
    to: 'short_term',
    resolution: { ...LOW, abstractBytesMax: 0 },
    atUs: NOW_US,
  });

describe('a memory of a lower tier', () => {
  it.each([
    ['body', 'memory_body', 'packed'],
    ['vector', 'memory_vector', 'data'],
  ] as const)(
    'its packed %s damaged › CHECKSUM_MISMATCH names it; the others can be read',
    async (_, table, column) => {
      damage(table, column);

      await expect(read('a')).rejects.toMatchObject({
        reason: 'CHECKSUM_MISMATCH',
        metadata: { name: 'namespaces/n/memories/a' },
      });
      expect((await read('b'))[0]?.text).toContain('as green as in that summer');
    },
  );

  it('damaged, and to be moved › stays where it is, and is named', async () => {
    damage('memory_body', 'packed');

    expect(await raise(['a', 'b'])).toMatchObject({ moved: [{ id: 'b' }], damagedIds: ['a'] });
    const [memory] = await store.get({ namespace: 'n', ids: ['a'], view: 'metadata', nowUs: NOW_US });
    expect(memory?.tier).toBe('long_term');
  });
});
