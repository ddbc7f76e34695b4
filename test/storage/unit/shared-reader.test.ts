import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { databaseFileIn, openWritable, type SqliteDatabase } from '../../../src/storage/sqlite/database.ts';
import { SharedReader } from '../../../src/storage/sqlite/scan.ts';

let folder: string;
let writer: SqliteDatabase;
let reader: SharedReader;
const count = () => reader.read((database) => database.prepare('SELECT count(*) FROM t').pluck().get());
const add = () => writer.exec('INSERT INTO t VALUES (1)');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-reader-'));
  writer = openWritable(databaseFileIn(folder));
  writer.exec('CREATE TABLE t(a)');
  reader = new SharedReader(folder);
});
afterEach(() => {
  if (reader.isReadable) reader.close();
  writer.close();
  rmSync(folder, { recursive: true });
});

test('reads of one event-loop turn see one state; the next turn sees later commits', async () => {
  expect(count()).toBe(0);
  add();
  expect(count()).toBe(0);
  await nextTurn();
  expect(count()).toBe(1);
});

test('after renewal, a read of the same event-loop turn sees every commit', () => {
  expect(count()).toBe(0);
  add();
  reader.renew();
  expect(count()).toBe(1);
  add();
  reader.renew();
  expect(count()).toBe(2);
});

test('between event-loop turns it holds no lock: the log can be emptied', async () => {
  count();
  add();
  await nextTurn();
  expect(writer.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
});

test('a failing query leaves it usable', () => {
  expect(() => reader.read((database) => database.prepare('SELECT * FROM t2').all())).toThrow(/no such table/);
  expect(count()).toBe(0);
});

test('it can be closed within an event-loop turn', async () => {
  count();
  reader.close();
  await nextTurn();
  expect(reader.isReadable).toBe(false);
});
