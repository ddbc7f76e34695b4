import type { ReembeddingStore } from '../reembedding-store.ts';
import type { SqliteAccess } from './access.ts';
import { reembeddingBatch, reembeddings } from './queries/pending-embeddings.ts';

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
