import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openReadOnly, type SqliteDatabase } from '../../src/storage/sqlite/database.ts';
import { memoryReaders } from '../../src/storage/sqlite/memory-readers.ts';
import { SqliteRecallSource } from '../../src/storage/sqlite/recall-source.ts';
import { newMemory } from '../support/new-memory.ts';
import { type RecallFixture, recallFixture } from '../support/recall-fixture.ts';

let fixture: RecallFixture;
let database: SqliteDatabase;
beforeEach(async () => {
  fixture = await recallFixture();
  database = openReadOnly(fixture.folder);
});
afterEach(async () => {
  database.close();
  await fixture.close();
});

it('NamespaceSource › shows one state between begin and end, also in a pair within a pair, and the newest one after', async () => {
  const source = new SqliteRecallSource(database, memoryReaders(database));
  const before = source.revision();
  source.begin();
  expect(source.revision()).toBe(before);
  const memories = [newMemory({ id: 'meanwhile', text: 'stored while a state is seen' })];
  await fixture.store.store({ namespace: 'n', memories, createNamespace: true, onConflict: 'fail', atUs: 1 });
  source.begin();
  expect(source.revision()).toBe(before);
  expect(source.changes(before, 10)).toEqual([]);
  source.end();
  expect(source.revision()).toBe(before);
  expect(source.changes(before, 10)).toEqual([]);
  source.end();
  expect(source.revision()).toBeGreaterThan(before);
  source.begin();
  expect(source.changes(before, 10).map(({ kind, id }) => `${kind} ${id}`)).toContain('stored meanwhile');
  source.end();
});
