import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { databaseFileIn } from '../../../src/storage/sqlite/database.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { settled } from '../../../src/storage/sqlite/migrations/migrate.ts';
import { idsOf, put } from '../../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../../support/new-memory.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { olderFolder } from './older-folder.ts';

describe('a folder in which every transaction has written its upkeep', () => {
  let folder: string;
  let other: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-settled-migration-'));
    other = mkdtempSync(join(tmpdir(), 'mneme-settled-new-'));
    olderFolder(
      folder,
      settled,
      [
        { id: 'a', text: 'x' },
        { id: 'b', text: 'yy' },
      ],
      (insert) => {
        insert('tier_total', { namespace_key: 1, tier: 1, agent: 'ada', type: 'fact', count: 2, content_bytes: 3 });
      },
    );
  });
  afterEach(() => {
    for (const one of [folder, other]) rmSync(one, { recursive: true });
  });

  const open = (where: string) =>
    openSqliteStore({ folder: where, writerThreads: reusedThreads().writer, mayUpkeepWait: true });
  const read = (where: string, sql: string) => {
    const database = new Database(databaseFileIn(where), { readonly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };

  it('opened and written to › its indexes are those of a new folder, with all memories', async () => {
    const store = await open(folder);
    const scope = { project: '', agentType: '', agent: 'ada', session: '' };
    const write = (id: string) => put(store, [newMemory({ id, scope })], { namespace: 'n' });
    try {
      expect((await write('c')).revision).toBe(4);
      expect((await write('d')).revision).toBe(5);
      const order = 'importance_desc' as const;
      expect((await idsOf(store, { namespace: 'n', order })).sort()).toEqual(['a', 'b', 'c', 'd']);
      const members = await store.members({ namespace: 'n', tier: 'short_term', agent: 'ada', limit: 9 });
      expect(members.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
      expect((await store.totals('n')).map(({ count }) => count)).toEqual([4]);
    } finally {
      await store.close();
    }
    await (await open(other)).close();
    for (const sql of [
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name`,
      'SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx',
    ]) {
      expect(read(folder, sql)).toEqual(read(other, sql));
    }
    expect(read(folder, 'SELECT idx FROM sqlite_stat1 GROUP BY idx HAVING count(*) > 1')).toEqual([]);
  });
});
