import type { SeenRooms } from '../seen-rooms.ts';
import type { Changes } from './changes.ts';
import type { SqliteMemoryStore } from './memory-store.ts';
import { prepared, queries } from './prepared.ts';

const epochOf = prepared((p: { key: string }) => queries.selectFrom('meta').select('value').where('key', '=', p.key));
const putEpoch = prepared((p: { key: string; value: string }) =>
  queries.replaceInto('meta').values({ key: p.key, value: p.value }),
);

/** In the data folder, beside the memories. */
export class SqliteSeenRooms implements SeenRooms {
  private readonly store: Pick<SqliteMemoryStore, 'write' | 'read'>;

  constructor(store: Pick<SqliteMemoryStore, 'write' | 'read'>) {
    this.store = store;
  }

  epochOf(room: string): Promise<string | undefined> {
    return this.store.read((database) => {
      const row = epochOf(database).get({ key: keyOf(room) });
      return row && String(row.value);
    });
  }
  see(write: Parameters<SeenRooms['see']>[0]): Promise<void> {
    return this.store.write('seeRoom', write);
  }
}

export function seeRoom({ database }: Changes, { room, epoch }: Parameters<SeenRooms['see']>[0]): undefined {
  putEpoch(database).run({ key: keyOf(room), value: epoch });
  return undefined;
}

function keyOf(room: string): string {
  return `room:${room}`;
}
