import type { SeenKeyspaces } from '../scope-policies.ts';
import type { SqliteAccess } from './access.ts';
import { epochOfKeyspace } from './commands/create-namespace.ts';

/** Epochs in the database of the memories. */
export function sqliteSeenKeyspaces(access: SqliteAccess): SeenKeyspaces {
  return {
    epochOf: (keyspace) => access.read((database) => epochOfKeyspace(database, keyspace)),
    see: (write) => access.write({ kind: 'seeKeyspace', ...write }),
  };
}
