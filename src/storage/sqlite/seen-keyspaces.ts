import type { SeenKeyspaces } from '../scope-policies.ts';
import type { SqliteAccess } from './access.ts';
import { epochOfKeyspace } from './commands/create-namespace.ts';

/** In the data folder, in the database of the memories. */
export class SqliteSeenKeyspaces implements SeenKeyspaces {
  private readonly store: SqliteAccess;

  constructor(store: SqliteAccess) {
    this.store = store;
  }

  epochOf(keyspace: string): Promise<string | undefined> {
    return this.store.read((database) => epochOfKeyspace(database, keyspace));
  }
  see(write: Parameters<SeenKeyspaces['see']>[0]): Promise<void> {
    return this.store.write({ kind: 'seeKeyspace', ...write });
  }
}
