import type { RecordCopies } from '../record-copies.ts';
import type { SqliteAccess } from './access.ts';
import { copiesPosition } from './commands/apply-copies.ts';
import { copiedBodies, copiedWithoutBody } from './queries/bodies.ts';
import { hadNamespace } from './queries/log.ts';

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
