import { checksumOf } from '../../memory/checksum.ts';
import { isDamage, MnemeError } from '../../memory/errors.ts';
import { reusedFloats } from '../../memory/floats.ts';
import type { Memory } from '../../memory/memory.ts';
import { type Body, lowerBody, restoreBody } from '../../memory/resolution/lower-body.ts';
import { lowerVector, restoreVector } from '../../memory/resolution/lower-vector.ts';
import { vectorFromBytes, vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import { setBodyRow, updateMemoryRow } from './memory-rows.ts';
import { bodyColumns, vectorKey } from './rows.ts';
import type { MemoryBodyTable, MemoryVectorTable } from './schema.ts';

type BodyRow = Pick<MemoryBodyTable, 'text' | 'content' | 'packed'>;
type SizedRow = NonNullable<ReturnType<ReturnType<typeof sizedByKey>['get']>>;
type BodiedRow = SizedRow & BodyRow & Pick<MemoryBodyTable, 'media_type' | 'checksum'>;

function hasBody(row: SizedRow): row is BodiedRow {
  return row.checksum !== null;
}

/** A memory with all columns that a move needs; those of a lost body are empty. */
const sized = () =>
  queries
    .selectFrom('memory')
    .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
    .leftJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .leftJoin('memory_vector', (join) => join.on('memory_vector.pk', '=', vectorKey))
    .select(['memory.pk', 'namespace_key', 'tier', 'agent', 'type', 'content_bytes', 'expires_at_us'])
    .select(['embedding_state', 'memory.revision', 'vector_sign'])
    .select(['text', 'media_type', 'content', 'packed', 'checksum', 'memory_vector.data', 'memory_vector.small']);
export const sizedById = prepared((p: { namespace_key: number; id: string }) =>
  sized().where('namespace_key', '=', p.namespace_key).where('memory.id', '=', p.id),
);
export const sizedByKey = prepared((p: { pk: number }) => sized().where('memory.pk', '=', p.pk));

const bodyRow = prepared((p: { pk: number }) =>
  queries.selectFrom('memory_body').select(['text', 'content', 'packed']).where('pk', '=', p.pk),
);
const setBody = prepared((p: BodyRow & { pk: number }) =>
  queries.updateTable('memory_body').set({ text: p.text, content: p.content, packed: p.packed }).where('pk', '=', p.pk),
);
const setVector = prepared((p: Pick<MemoryVectorTable, 'pk' | 'data'> & { small: Uint8Array | null }) =>
  queries.updateTable('memory_vector').set({ data: p.data, small: p.small }).where('pk', '=', p.pk),
);

/**
 * Changes the resolution of a memory. Returns the kind of log entry: whether recall ranks on another text, the
 * vector has another form alone, or neither. A memory whose body is lost, or that fails checksum verification before or
 * after packing, stays unchanged.
 */
export function resize(
  database: SqliteDatabase,
  row: SizedRow,
  resolution: Resolution,
): 'moved' | 'resized' | 'vectorResized' | 'damaged' {
  const { pk } = row;
  if (!hasBody(row)) return 'damaged';
  try {
    const next = lowered(wholeBody(row), resolution, row.checksum);
    const isVectorOther = resizeVector(database, row, resolution);
    if (row.packed || next.packed) {
      setBody(database).run({ pk, ...next });
      updateMemoryRow(database, pk, { stored_bytes: bytesOf(next) });
    }
    if (next.text !== row.text) return 'resized';
    return isVectorOther ? 'vectorResized' : 'moved';
  } catch (error) {
    // Checked before any write.
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}

/**
 * Replaces an unreadable body and vector by those of an intact copy of the same memory. Returns the kind of log entry.
 */
export function repair(
  database: SqliteDatabase,
  { pk, vectorKey }: { readonly pk: number; readonly vectorKey: number },
  memory: Memory,
  resolution: Resolution,
): 'resized' | 'vectorResized' {
  const { text, content, checksum, embedding } = memory;
  const next = lowered({ text, ...(content && { content }) }, resolution, checksum);
  const row = bodyRow(database).get({ pk });
  const isOtherBody = row === undefined || !isSameBody(row, next);
  if (isOtherBody) {
    setBodyRow(database).run({ pk, ...bodyColumns(memory), ...next });
    updateMemoryRow(database, pk, { stored_bytes: bytesOf(next) });
  }
  if (embedding) {
    const low = lowerVector(embedding.values, resolution);
    const data = low?.rest ?? vectorToBytes(embedding.values);
    setVector(database).run({ pk: vectorKey, data, small: low?.small ?? null });
  }
  return isOtherBody ? 'resized' : 'vectorResized';
}

function isSameBody(one: BodyRow, other: BodyRow): boolean {
  const isSame = (bytes: Uint8Array | null, others: Uint8Array | null) =>
    bytes && others ? Buffer.compare(bytes, others) === 0 : bytes === others;
  return one.text === other.text && isSame(one.content, other.content) && isSame(one.packed, other.packed);
}

function bytesOf({ text, content, packed }: BodyRow): number {
  return Buffer.byteLength(text) + (content?.byteLength ?? 0) + (packed?.byteLength ?? 0);
}

function wholeBody({ text, media_type, content, packed }: BodyRow & { readonly media_type: string }): Body {
  return restoreBody({
    text,
    ...(content && { content: { mediaType: media_type, data: content } }),
    ...(packed && { packed }),
  });
}

/** Fails with CHECKSUM_MISMATCH when the result does not expand to the stored body. */
function lowered(body: Body, resolution: Resolution, checksum: string): BodyRow {
  const { text, content, packed } = lowerBody(body, resolution);
  const row = { text, content: content?.data ?? null, packed: packed ?? null };
  verify(wholeBody({ ...row, media_type: body.content?.mediaType ?? '' }), checksum);
  return row;
}

function verify({ text, content }: Body, checksum: string): void {
  if (checksumOf(text, content) === checksum) return;
  throw new MnemeError('CHECKSUM_MISMATCH', 'stored memory failed checksum verification');
}

const exactFloats = reusedFloats();

/** True when the vector has another form now. */
function resizeVector(
  database: SqliteDatabase,
  { pk: key, vector_sign, data, small }: SizedRow,
  resolution: Resolution,
): boolean {
  if (!data) return false;
  const pk = key * vector_sign;
  const exact = small ? restoreVector({ small, rest: data }, exactFloats) : vectorFromBytes(data, exactFloats);
  const low = lowerVector(exact, resolution);
  if (!low) {
    if (small) setVector(database).run({ pk, data: vectorToBytes(exact), small: null });
    return small !== null;
  }
  if (small && Buffer.compare(small, low.small) === 0) return false;
  setVector(database).run({ pk, data: low.rest, small: low.small });
  return true;
}
