import { existsSync } from 'node:fs';
import type { SharedPosition } from '../shared-position.ts';
import { databaseFileIn, openReadOnly, openWritable, prepared, queries, type SqliteDatabase } from './database.ts';
import { sqliteCode } from './driver-error.ts';

const KEY = 'shared_position';

const find = prepared((_: object) => queries.selectFrom('meta').select('value').where('key', '=', KEY));
const put = prepared((p: { value: string }) => queries.replaceInto('meta').values({ key: KEY, value: p.value }));
const drop = prepared((_: object) => queries.deleteFrom('meta').where('key', '=', KEY));

/** Position of the database in a shared log; `undefined` for the database of a single server. */
export function readSharedPosition(database: SqliteDatabase): SharedPosition | undefined {
  const row = find(database).get({});
  return row && (JSON.parse(String(row.value)) as SharedPosition);
}

/** `undefined`: the database becomes that of a single server. */
export function writeSharedPosition(database: SqliteDatabase, at: SharedPosition | undefined): void {
  if (!at) drop(database).run({});
  else put(database).run({ value: JSON.stringify({ epoch: at.epoch, position: at.position, stamp: at.stamp }) });
}

/** `undefined` also where the database cannot be read, or is not complete: opening it as a store says why, or completes it. */
export function positionIn(folder: string): SharedPosition | undefined {
  if (!existsSync(databaseFileIn(folder))) return undefined;
  let database: SqliteDatabase | undefined;
  try {
    database = openReadOnly(folder);
    return readSharedPosition(database);
  } catch (error) {
    if (sqliteCode(error)) return undefined;
    throw error;
  } finally {
    database?.close();
  }
}

export function setPosition(folder: string, at: SharedPosition | undefined): void {
  const database = openWritable(databaseFileIn(folder));
  try {
    writeSharedPosition(database, at);
  } finally {
    database.close();
  }
}

/** The database of a folder is that of a server alone from now on. */
export function leaveSharedLog(folder: string): void {
  if (positionIn(folder)) setPosition(folder, undefined);
}
