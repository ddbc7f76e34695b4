import { EventBell, type LifecycleEvents } from '../lifecycle-events.ts';
import type { RecordCopies } from '../record-copies.ts';
import type { ReembeddingStore } from '../reembedding-store.ts';
import type { SeenKeyspaces } from '../scope-policies.ts';
import { copiesPosition } from './commands/apply-copies.ts';
import type { CommandOf, Commands, Verb } from './commands/command.ts';
import { epochOfKeyspace } from './commands/namespaces.ts';
import type { SqliteDatabase } from './database.ts';
import { copiedBodies, copiedWithoutBody } from './queries/bodies.ts';
import { hadNamespace } from './queries/log.ts';
import { reembeddingBatch, reembeddings } from './queries/pending-embeddings.ts';
import { lifecycleAcknowledged, lifecycleEnds, readLifecycleEvents } from './sessions/lifecycle-event-rows.ts';

/** The writer and the database of a folder, for the parts of its store. */
export interface SqliteAccess {
  write<V extends Verb>(command: CommandOf<V>): Promise<Commands[V]['outcome']>;
  /** Sees every write that was acknowledged before the call. */
  read<A>(query: (database: SqliteDatabase) => A): Promise<A>;
}

/** Copies of records in the tables of the memories: the data folder is a view then. */
export function sqliteRecordCopies(access: SqliteAccess): RecordCopies {
  return {
    apply: (write) => access.write({ kind: 'applyCopies', ...write }),
    position: (namespace) => access.read((database) => copiesPosition(database, namespace)),
    hadNamespace: (name) => access.read((database) => hadNamespace(database, name)),
    bodies: (owners) => access.read((database) => copiedBodies(database, owners)),
    withoutBody: (owners) => access.read((database) => copiedWithoutBody(database, owners)),
  };
}

/** New vectors of the SQLite store lie in a space of their own until all vectors of a namespace are there. */
export function sqliteReembeddings(access: SqliteAccess): ReembeddingStore {
  return {
    beginReembedding: (write) => access.write({ kind: 'beginReembedding', ...write }),
    setReembedded: (write) => access.write({ kind: 'setReembedded', ...write }),
    finishReembedding: (write) => access.write({ kind: 'finishReembedding', ...write }),
    reembeddings: () => access.read(reembeddings),
    reembeddingBatch: (read) => access.read((database) => reembeddingBatch(database, read)),
  };
}

/** Epochs in the database of the memories. */
export function sqliteSeenKeyspaces(access: SqliteAccess): SeenKeyspaces {
  return {
    epochOf: (keyspace) => access.read((database) => epochOfKeyspace(database, keyspace)),
    see: (write) => access.write({ kind: 'seeKeyspace', ...write }),
  };
}

/** Events of sessions in the database of the memories: the same thread writes them, in the same commits. */
export function sqliteLifecycleEvents(access: SqliteAccess): LifecycleEvents {
  const bell = new EventBell();
  return {
    read: (read) => access.read((database) => readLifecycleEvents(database, read)),
    ends: (namespace) => access.read((database) => lifecycleEnds(database, namespace)),
    append: (write) => access.write({ kind: 'appendLifecycleEvent', ...write }),
    acknowledge: (write) => access.write({ kind: 'acknowledgeLifecycle', ...write }),
    acknowledged: (read) => access.read((database) => lifecycleAcknowledged(database, read)),
    erase: (write) => access.write({ kind: 'eraseLifecycleEvents', ...write }),
    eraseNamespace: (namespace) => access.write({ kind: 'eraseLifecycleOf', namespace }),
    onEvent: (listener) => bell.on(listener),
    announce: (namespace) => bell.ring(namespace),
  };
}
