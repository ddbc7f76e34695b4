import { sql } from '#kysely';
import { type Prepared, prepared, queries, type SqliteDatabase } from './database.ts';
import {
  BODY_COLUMNS,
  type FieldColumns,
  MEMORY_COLUMNS,
  type MemoryRow,
  storedVector,
  vectorKey,
  WIDE_COLUMNS,
} from './rows.ts';
import type { MemoryBodyTable, MemoryTable } from './schema.ts';

const COLUMNS = [
  ...MEMORY_COLUMNS,
  'namespace_key',
  'values_partial',
  'reward',
  'surprise',
  'tier_since_us',
  'stored_bytes',
  'is_settled',
] as const;

/** The most frequent values of these columns. */
const USUAL: Partial<MemoryTable> = {
  project: '',
  agent_type: '',
  step: null,
  last_accessed_at_us: null,
  expires_at_us: null,
  valid_from_us: null,
  valid_until_us: null,
  priority: 0,
  retrieval_count: 0,
  x: null,
  y: null,
  z: null,
  latitude: null,
  longitude: null,
  location: '',
  room: '',
  region: '',
  superseded_by: '',
  values_partial: 0,
  reward: 0,
  surprise: 0,
  is_settled: 1,
};
const USUAL_COLUMNS = Object.keys(USUAL) as (keyof typeof USUAL)[];
const INSERTS_KEPT = 500;
/** Insert statements by the set of columns with default values, one bit for each. */
const inserts = new Map<number, (database: SqliteDatabase) => Prepared<MemoryTable, unknown>>();

/** Binds only values that differ from the defaults: each value that crosses into SQLite costs 0.1 µs. */
export function insertMemoryRow(database: SqliteDatabase, row: MemoryTable): void {
  let usual = 0;
  USUAL_COLUMNS.forEach((name, bit) => {
    if (row[name] === USUAL[name]) usual |= 1 << bit;
  });
  insertOf(usual)(database).run(row);
}

function insertOf(usual: number): (database: SqliteDatabase) => Prepared<MemoryTable, unknown> {
  const known = inserts.get(usual);
  if (known) return known;
  const made = prepared((p: MemoryTable) => {
    const isUsual = (name: keyof MemoryTable) => name in USUAL && (usual & (1 << USUAL_COLUMNS.indexOf(name))) !== 0;
    const values = COLUMNS.map((name): [string, unknown] => [name, isUsual(name) ? sql.lit(USUAL[name]) : p[name]]);
    return queries.insertInto('memory').values(Object.fromEntries(values) as unknown as MemoryTable);
  });
  if (inserts.size >= INSERTS_KEPT) inserts.clear();
  inserts.set(usual, made);
  return made;
}

const bodyValues = (p: MemoryBodyTable): MemoryBodyTable => ({
  pk: p.pk,
  text: p.text,
  text_derived: p.text_derived,
  media_type: p.media_type,
  content: p.content,
  tags: p.tags,
  source_uri: p.source_uri,
  source_origin: p.source_origin,
  checksum: p.checksum,
  packed: p.packed,
  compaction: p.compaction,
});
export const insertBodyRow = prepared((p: MemoryBodyTable) => queries.insertInto('memory_body').values(bodyValues(p)));
/** Also where the body is lost. */
export const setBodyRow = prepared((p: MemoryBodyTable) => queries.replaceInto('memory_body').values(bodyValues(p)));
export const deleteMemoryRow = prepared((p: { pk: number }) => queries.deleteFrom('memory').where('pk', '=', p.pk));
export const deleteBodyRow = prepared((p: { pk: number }) => queries.deleteFrom('memory_body').where('pk', '=', p.pk));
export const setVectorRow = prepared((p: { pk: number; data: Uint8Array }) =>
  queries.replaceInto('memory_vector').values({ pk: p.pk, data: p.data }),
);
export const deleteVectorKey = prepared((p: { pk: number }) =>
  queries.deleteFrom('memory_vector').where('pk', '=', p.pk),
);
/** Deletes the vectors of both spaces. */
export function deleteVectors(database: SqliteDatabase, pk: number): void {
  deleteVectorKey(database).run({ pk });
  deleteVectorKey(database).run({ pk: -pk });
}
export const enqueueEmbedding = prepared((p: { pk: number; attempts: number; not_before_us: number }) =>
  queries.replaceInto('embedding_queue').values({ pk: p.pk, attempts: p.attempts, not_before_us: p.not_before_us }),
);
export const dequeueEmbedding = prepared((p: { pk: number }) =>
  queries.deleteFrom('embedding_queue').where('pk', '=', p.pk),
);

const withBody = (p: { pk: number }) =>
  queries
    .selectFrom('memory')
    .leftJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .select(MEMORY_COLUMNS.map((name) => `memory.${name}` as const))
    .select([...BODY_COLUMNS, ...WIDE_COLUMNS])
    .where('memory.pk', '=', p.pk);
/** A memory by its row key, without its vector. */
export const rowByKey = prepared(withBody);
const wholeRow = prepared((p: { pk: number }) =>
  withBody(p)
    .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
    .leftJoin('memory_vector', (join) => join.on('memory_vector.pk', '=', vectorKey))
    .select([storedVector, 'memory_vector.small'])
    .select(['namespace.embedding_model as model', 'namespace.name as namespace']),
);

export type WholeRow = MemoryRow & { readonly namespace: string };

/** A memory by its row key, in full. */
export function readWholeRow(database: SqliteDatabase, pk: number): WholeRow | undefined {
  return wholeRow(database).get({ pk });
}

/** To be called when the upkeep of a memory is written. */
export const settleMemoryRow = prepared((p: { pk: number }) =>
  queries.updateTable('memory').set({ is_settled: 1 }).where('pk', '=', p.pk).where('is_settled', '=', 0),
);

type Changed = Partial<
  FieldColumns & Pick<MemoryTable, Exclude<(typeof COLUMNS)[number], keyof FieldColumns | 'pk' | 'namespace_key'>>
>;
type Values = Record<string, string | number | null>;

const UPDATES_KEPT = 500;
/** Update statements by the columns that they set. */
const updates = new Map<string, (database: SqliteDatabase) => Prepared<Values, unknown>>();

/** Sets only the present columns, so that the indexes of other columns are not written. */
export function updateMemoryRow(database: SqliteDatabase, pk: number, changed: Changed): void {
  updateOf(Object.keys(changed))(database).run({ ...changed, pk });
}

function updateOf(columns: readonly string[]): (database: SqliteDatabase) => Prepared<Values, unknown> {
  const name = columns.join();
  const known = updates.get(name);
  if (known) return known;
  const made = prepared((p: Values) =>
    queries
      .updateTable('memory')
      .set(Object.fromEntries(columns.map((column) => [column, p[column]])))
      .where('pk', '=', p.pk as number),
  );
  if (updates.size >= UPDATES_KEPT) updates.clear();
  updates.set(name, made);
  return made;
}
