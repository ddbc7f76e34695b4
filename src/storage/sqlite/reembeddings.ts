import type { Reembedding, ReembeddingStore, ReembeddingText } from '../reembedding-store.ts';
import type { Commands } from './commands/command.ts';
import type { SqliteDatabase } from './database.ts';
import { reembeddingBatch, reembeddings } from './queries/pending-embeddings.ts';

type ReembeddingVerb = 'beginReembedding' | 'setReembedded' | 'finishReembedding';

/** Access to the writer and the database. */
interface Access {
  write<V extends ReembeddingVerb>(verb: V, write: Commands[V]['write']): Promise<Commands[V]['outcome']>;
  read<A>(query: (database: SqliteDatabase) => A): Promise<A>;
}

/** New vectors of the SQLite store lie in a space of their own until all vectors of a namespace are there. */
export class SqliteReembeddings implements ReembeddingStore {
  private readonly access: Access;

  constructor(access: Access) {
    this.access = access;
  }

  beginReembedding(write: Commands['beginReembedding']['write']): Promise<boolean> {
    return this.access.write('beginReembedding', write);
  }
  setReembedded(write: Commands['setReembedded']['write']): Promise<void> {
    return this.access.write('setReembedded', write);
  }
  finishReembedding(write: Commands['finishReembedding']['write']): Promise<boolean> {
    return this.access.write('finishReembedding', write);
  }
  reembeddings(): Promise<Reembedding[]> {
    return this.access.read(reembeddings);
  }
  reembeddingBatch(read: { namespace: string; limit: number }): Promise<ReembeddingText[]> {
    return this.access.read((database) => reembeddingBatch(database, read));
  }
}
