import type { CopiesWrite, RecordCopies } from '../record-copies.ts';
import type { RecordPosition } from '../record-log.ts';
import type { SqliteAccess } from './access.ts';
import { copiesPosition } from './commands/replay-entries.ts';
import { hadNamespace } from './queries/log.ts';

/** Copies of records in the tables of the memories: the data folder is a view then. */
export class SqliteRecordCopies implements RecordCopies {
  private readonly store: SqliteAccess;

  constructor(store: SqliteAccess) {
    this.store = store;
  }

  apply(write: CopiesWrite): Promise<{ revision: number }> {
    return this.store.write({ kind: 'applyCopies', ...write });
  }
  position(namespace: string): Promise<RecordPosition | undefined> {
    return this.store.read((database) => copiesPosition(database, namespace));
  }
  hadNamespace(name: string): Promise<boolean> {
    return this.store.read((database) => hadNamespace(database, name));
  }
}
