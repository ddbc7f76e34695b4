import type { Reembedding, ReembeddingStore, ReembeddingText } from '../reembedding-store.ts';
import type { SqliteAccess } from './access.ts';
import type { Commands } from './commands/command.ts';
import { reembeddingBatch, reembeddings } from './queries/pending-embeddings.ts';

/** New vectors of the SQLite store lie in a space of their own until all vectors of a namespace are there. */
export class SqliteReembeddings implements ReembeddingStore {
  private readonly store: SqliteAccess;

  constructor(store: SqliteAccess) {
    this.store = store;
  }

  beginReembedding(write: Commands['beginReembedding']['write']): Promise<boolean> {
    return this.store.write({ kind: 'beginReembedding', ...write });
  }
  setReembedded(write: Commands['setReembedded']['write']): Promise<void> {
    return this.store.write({ kind: 'setReembedded', ...write });
  }
  finishReembedding(write: Commands['finishReembedding']['write']): Promise<boolean> {
    return this.store.write({ kind: 'finishReembedding', ...write });
  }
  reembeddings(): Promise<Reembedding[]> {
    return this.store.read(reembeddings);
  }
  reembeddingBatch(read: { namespace: string; limit: number }): Promise<ReembeddingText[]> {
    return this.store.read((database) => reembeddingBatch(database, read));
  }
}
