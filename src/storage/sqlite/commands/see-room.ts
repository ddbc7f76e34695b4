import type { SeenRooms } from '../../scope-policies.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';

const findEpoch = prepared((p: { key: string }) => queries.selectFrom('meta').select('value').where('key', '=', p.key));
const putEpoch = prepared((p: { key: string; value: string }) =>
  queries.replaceInto('meta').values({ key: p.key, value: p.value }),
);

export function epochOfRoom(database: SqliteDatabase, room: string): string | undefined {
  const row = findEpoch(database).get({ key: keyOf(room) });
  return row && String(row.value);
}

export function seeRoom({ database }: Changes, { room, epoch }: Parameters<SeenRooms['see']>[0]): undefined {
  putEpoch(database).run({ key: keyOf(room), value: epoch });
  return undefined;
}

function keyOf(room: string): string {
  return `room:${room}`;
}
