import type { SharedPosition } from '../shared-position.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';

const KEY = 'shared_position';

const find = prepared((_: object) => queries.selectFrom('meta').select('value').where('key', '=', KEY));
const put = prepared((p: { value: string }) => queries.replaceInto('meta').values({ key: KEY, value: p.value }));
const drop = prepared((_: object) => queries.deleteFrom('meta').where('key', '=', KEY));

/** How far the database has come in a shared log; `undefined` where it is of one server alone. */
export function readSharedPosition(database: SqliteDatabase): SharedPosition | undefined {
  const row = find(database).get({});
  return row && (JSON.parse(String(row.value)) as SharedPosition);
}

/** `undefined`: the database is of one server alone from now on. */
export function writeSharedPosition(database: SqliteDatabase, at: SharedPosition | undefined): void {
  if (!at) drop(database).run({});
  else put(database).run({ value: JSON.stringify({ epoch: at.epoch, position: at.position, stamp: at.stamp }) });
}
