import { sql } from '#kysely';
import { vectorToBytes } from '../../../memory/resolution/plain-vector.ts';
import { checkEmbedding } from '../../changed-memory.ts';
import type { ReembeddedVector, ReembeddingStore } from '../../reembedding-store.ts';
import { queries, type Session } from '../database.ts';
import type { NamespaceTable, ReembeddingTable } from '../schema.ts';
import { putVectors } from '../write-draft.ts';

export async function reembeddingOf(session: Session, key: number): Promise<ReembeddingTable | undefined> {
  const [row] = await session.run(queries.selectFrom('reembedding').selectAll().where('namespace_key', '=', key));
  return row;
}

/** Stores vectors in the space that is not in use. Nothing happens when the model is no longer under way. */
export async function putReembedded(
  session: Session,
  { key, name, vector_sign: sign }: NamespaceTable,
  { model, vectors }: Parameters<ReembeddingStore['setReembedded']>[0],
): Promise<void> {
  const row = await reembeddingOf(session, key);
  if (row?.model !== model || vectors.length === 0) return;
  let { dimension } = row;
  for (const { values } of vectors) {
    dimension ||= values?.length ?? 0;
    if (values) checkEmbedding({ name, model, dimension }, { model, values });
  }
  const checksums = await checksumsOf(session, key, vectors);
  const present = vectors.filter((vector) => checksums.has(vector.key));
  const isSame = (vector: ReembeddedVector) => checksums.get(vector.key) === vector.checksum;
  const space = -sign * key;
  const rows = present.flatMap((vector) =>
    vector.values && isSame(vector)
      ? [{ namespace_key: space, sequence: vector.key, data: vectorToBytes(vector.values) }]
      : [],
  );
  const bare = present.filter((vector) => !vector.values && isSame(vector)).map((vector) => vector.key);
  const noted = present.map((vector) => ({
    namespace_key: key,
    sequence: vector.key,
    checksum: isSame(vector) ? vector.checksum : '',
    has_vector: vector.values !== undefined && isSame(vector),
  }));
  const cursor = Math.max(row.cursor, ...vectors.map((vector) => vector.key));
  const done_count = row.done_count + vectors.filter((vector) => vector.key > row.cursor).length;
  await session.runAll([
    ...(rows.length > 0 ? [putVectors(rows)] : []),
    ...(bare.length > 0
      ? [sql`DELETE FROM memory_vector WHERE namespace_key = ${space} AND sequence = ANY(${bare}::bigint[])`]
      : []),
    ...(noted.length > 0 ? [noting(noted)] : []),
    queries.updateTable('reembedding').set({ cursor, dimension, done_count }).where('namespace_key', '=', key),
  ]);
}

function noting(
  rows: readonly {
    readonly namespace_key: number;
    readonly sequence: number;
    readonly checksum: string;
    readonly has_vector: boolean;
  }[],
) {
  return queries
    .insertInto('reembedded')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['namespace_key', 'sequence']).doUpdateSet((eb) => ({
        checksum: eb.ref('excluded.checksum'),
        has_vector: eb.ref('excluded.has_vector'),
      })),
    );
}

/** Of the present texts, by number. */
async function checksumsOf(
  session: Session,
  key: number,
  vectors: readonly ReembeddedVector[],
): Promise<ReadonlyMap<number, string>> {
  const sequences = vectors.map((vector) => vector.key);
  const rows = await session.run(
    queries
      .selectFrom('memory')
      .select(['sequence', 'checksum'])
      .where('namespace_key', '=', key)
      .where('sequence', '=', sql<number>`any(${sequences}::bigint[])`),
  );
  return new Map(rows.map(({ sequence, checksum }) => [sequence, checksum]));
}
