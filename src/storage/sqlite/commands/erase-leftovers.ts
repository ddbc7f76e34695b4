import { eraseMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { eraseVectorsIn } from '../reembedding-rows.ts';
import { vectorKeyRange } from '../rows.ts';
import { rowKeyRange } from '../schema.ts';
import { eraseSessionRows, hasSessionRows } from '../sessions/erase-session.ts';

/** Memories that one command erases at most: what other writes wait for it stays within some milliseconds. */
const ERASED_MAX = 64;
const VECTORS_ERASED_MAX = 256;

const nextErasure = prepared((_: object) => queries.selectFrom('namespace_erasure').select('namespace_key').limit(1));
const nextSpace = prepared((_: object) => queries.selectFrom('vector_erasure').selectAll().limit(1));
const endSpace = prepared((p: { key: number }) =>
  queries.deleteFrom('vector_erasure').where('namespace_key', '=', p.key),
);
const keysIn = prepared((p: { first: number; last: number }) =>
  queries
    .selectFrom('memory')
    .select('pk')
    .where('pk', '>=', p.first)
    .where('pk', '<=', p.last)
    .orderBy('pk')
    .limit(ERASED_MAX),
);
const deletePaths = prepared((p: { key: number }) =>
  queries.deleteFrom('value_path').where('namespace_key', '=', p.key),
);
const endErasure = prepared((p: { key: number }) =>
  queries.deleteFrom('namespace_erasure').where('namespace_key', '=', p.key),
);

/** Erases some of what deleted namespaces, replaced vectors and erased sessions have left behind. */
export function eraseLeftovers(changes: Changes): { isDone: boolean } {
  const { database } = changes;
  eraseOldVectors(database);
  eraseSessionRows(database);
  const key = nextErasure(database).get({})?.namespace_key;
  if (key === undefined) return { isDone: !hasLeftovers(database) };
  const rows = keysIn(database).all(rowKeyRange(key));
  for (const { pk } of rows) eraseMemory(changes, key, pk);
  if (rows.length < ERASED_MAX) {
    deletePaths(database).run({ key });
    endErasure(database).run({ key });
  }
  return { isDone: !hasLeftovers(database) };
}

export function hasLeftovers(database: SqliteDatabase): boolean {
  return (
    nextErasure(database).get({}) !== undefined || nextSpace(database).get({}) !== undefined || hasSessionRows(database)
  );
}

function eraseOldVectors(database: SqliteDatabase): void {
  const space = nextSpace(database).get({});
  if (!space) return;
  const range = vectorKeyRange(space.namespace_key, space.sign);
  const count = eraseVectorsIn(database).run({ ...range, limit: VECTORS_ERASED_MAX });
  if (count < VECTORS_ERASED_MAX) endSpace(database).run({ key: space.namespace_key });
}
