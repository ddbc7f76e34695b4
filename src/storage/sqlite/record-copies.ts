import type { Body, BodyOwner } from '../body-store.ts';
import type { CopiesWrite, RecordCopies } from '../record-copies.ts';
import type { RecordPosition } from '../record-log.ts';
import { copiesPosition } from './commands/apply-copies.ts';
import type { Commands } from './commands/command.ts';
import type { SqliteDatabase } from './database.ts';
import { copiedBodies, copiedWithoutBody } from './queries/bodies.ts';
import { hadNamespace } from './queries/log.ts';

/** Access to the writer and the database. */
interface Access {
  write(verb: 'applyCopies', write: CopiesWrite): Promise<Commands['applyCopies']['outcome']>;
  read<A>(query: (database: SqliteDatabase) => A): Promise<A>;
}

/** Copies of records in the tables of the memories: the data folder is a view then. */
export class SqliteRecordCopies implements RecordCopies {
  private readonly access: Access;

  constructor(access: Access) {
    this.access = access;
  }

  apply(write: CopiesWrite): Promise<{ revision: number }> {
    return this.access.write('applyCopies', write);
  }
  position(namespace: string): Promise<RecordPosition | undefined> {
    return this.access.read((database) => copiesPosition(database, namespace));
  }
  hadNamespace(name: string): Promise<boolean> {
    return this.access.read((database) => hadNamespace(database, name));
  }
  bodies(owners: readonly BodyOwner[]): Promise<(Body | undefined)[]> {
    return this.access.read((database) => copiedBodies(database, owners));
  }
  withoutBody<O extends BodyOwner>(owners: readonly O[]): Promise<O[]> {
    return this.access.read((database) => copiedWithoutBody(database, owners));
  }
}
