import type { SeenRooms } from '../scope-policies.ts';
import { epochOfRoom } from './commands/create-namespace.ts';
import type { SqliteMemoryStore } from './memory-store.ts';

/** In the data folder, beside the memories. */
export class SqliteSeenRooms implements SeenRooms {
  private readonly store: Pick<SqliteMemoryStore, 'write' | 'read'>;

  constructor(store: Pick<SqliteMemoryStore, 'write' | 'read'>) {
    this.store = store;
  }

  epochOf(room: string): Promise<string | undefined> {
    return this.store.read((database) => epochOfRoom(database, room));
  }
  see(write: Parameters<SeenRooms['see']>[0]): Promise<void> {
    return this.store.write('seeRoom', write);
  }
}
