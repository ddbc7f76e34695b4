import { type RawBuilder, sql } from '#kysely';
import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';
import { rowKeyRange } from './schema.ts';

/** Key of a memory's vector in the space that its namespace uses, where both tables are in the query. */
export const vectorKey: RawBuilder<number> = sql<number>`memory.pk * namespace.vector_sign`;

const spaceOf = prepared((p: { key: number }) =>
  queries.selectFrom('namespace').select(['vector_sign', 'embedding_dimension']).where('key', '=', p.key),
);

/** The space in use; its sign is 1 or -1. */
export function vectorSpace(database: SqliteDatabase, namespaceKey: number): { sign: number; dimension: number } {
  const row = spaceOf(database).get({ key: namespaceKey });
  return { sign: row?.vector_sign ?? 1, dimension: row?.embedding_dimension ?? 0 };
}

/** First and last key that vectors of a space of a namespace can have. */
export function vectorKeyRange(namespaceKey: number, sign: number): { first: number; last: number } {
  const { first, last } = rowKeyRange(namespaceKey);
  return sign > 0 ? { first, last } : { first: -last, last: -first };
}
