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
import type { NamespaceRow } from './namespace-rows.ts';
import { bodyColumns } from './rows.ts';
import { type MemoryBodyTable, rowKey } from './schema.ts';

type BodyForm = Pick<MemoryBodyTable, 'text' | 'content' | 'packed'>;
interface VectorForm {
  /** Key of its row. */
  readonly pk: number;
  readonly data: Uint8Array;
  readonly small: Uint8Array | null;
}

/** The form of a memory at another resolution. */
export interface Resized {
  /** Kind of log entry: recall ranks on another text, the vector has another form alone, or neither. */
  readonly kind: 'moved' | 'resized' | 'vectorResized';
  readonly pk: number;
  /** Absent: it stays. */
  readonly body?: BodyForm;
  readonly vector?: VectorForm;
}

const bodyRow = prepared((p: { pk: number }) =>
  queries
    .selectFrom('memory_body')
    .select(['text', 'media_type', 'content', 'packed', 'checksum'])
    .where('pk', '=', p.pk),
);
const vectorRow = prepared((p: { pk: number }) =>
  queries.selectFrom('memory_vector').select(['data', 'small']).where('pk', '=', p.pk),
);
const setBody = prepared((p: BodyForm & { pk: number }) =>
  queries.updateTable('memory_body').set({ text: p.text, content: p.content, packed: p.packed }).where('pk', '=', p.pk),
);
const setVector = prepared((p: VectorForm) =>
  queries.updateTable('memory_vector').set({ data: p.data, small: p.small }).where('pk', '=', p.pk),
);

/**
 * The form of a stored memory at a resolution. `undefined` where its body is lost, or where the memory fails checksum
 * verification before or after packing.
 */
export function resized(
  database: SqliteDatabase,
  { key, vector_sign }: NamespaceRow,
  sequence: number,
  resolution: Resolution,
): Resized | undefined {
  const pk = rowKey(key, sequence);
  const row = bodyRow(database).get({ pk });
  if (!row) return undefined;
  try {
    const next = lowered(wholeBody(row), resolution, row.checksum);
    const vector = resizedVector(database, pk * vector_sign, resolution);
    const kind = next.text !== row.text ? 'resized' : vector ? 'vectorResized' : 'moved';
    return { kind, pk, vector, body: row.packed || next.packed ? next : undefined };
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

export function writeResized(database: SqliteDatabase, { pk, body, vector }: Resized): void {
  if (body) {
    setBody(database).run({ pk, ...body });
    updateMemoryRow(database, pk, { stored_bytes: bytesOf(body) });
  }
  if (vector) setVector(database).run(vector);
}

/**
 * Replaces an unreadable body and vector by those of an intact copy of the same memory. Returns the kind of log entry.
 */
export function repair(
  database: SqliteDatabase,
  { key, vector_sign }: NamespaceRow,
  sequence: number,
  memory: Memory,
  resolution: Resolution,
): 'resized' | 'vectorResized' {
  const pk = rowKey(key, sequence);
  const { text, content, checksum, embedding } = memory;
  const next = lowered({ text, content }, resolution, checksum);
  const row = bodyRow(database).get({ pk });
  const isOtherBody = row === undefined || !isSameBody(row, next);
  if (isOtherBody) {
    setBodyRow(database).run({ pk, ...bodyColumns(memory), ...next });
    updateMemoryRow(database, pk, { stored_bytes: bytesOf(next) });
  }
  if (embedding) {
    const low = lowerVector(embedding.values, resolution);
    const data = low?.rest ?? vectorToBytes(embedding.values);
    setVector(database).run({ pk: pk * vector_sign, data, small: low?.small ?? null });
  }
  return isOtherBody ? 'resized' : 'vectorResized';
}

function isSameBody(one: BodyForm, other: BodyForm): boolean {
  const isSame = (bytes: Uint8Array | null, others: Uint8Array | null) =>
    bytes && others ? Buffer.compare(bytes, others) === 0 : bytes === others;
  return one.text === other.text && isSame(one.content, other.content) && isSame(one.packed, other.packed);
}

function bytesOf({ text, content, packed }: BodyForm): number {
  return Buffer.byteLength(text) + (content?.byteLength ?? 0) + (packed?.byteLength ?? 0);
}

function wholeBody({ text, media_type, content, packed }: BodyForm & { readonly media_type: string }): Body {
  return restoreBody({
    text,
    ...(content && { content: { mediaType: media_type, data: content } }),
    ...(packed && { packed }),
  });
}

/** Fails with CHECKSUM_MISMATCH when the result does not expand to the stored body. */
function lowered(body: Body, resolution: Resolution, checksum: string): BodyForm {
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

/** `undefined` where the vector has this form already, or there is none. */
function resizedVector(database: SqliteDatabase, pk: number, resolution: Resolution): VectorForm | undefined {
  const row = vectorRow(database).get({ pk });
  if (!row) return undefined;
  const { data, small } = row;
  const exact = small ? restoreVector({ small, rest: data }, exactFloats) : vectorFromBytes(data, exactFloats);
  const low = lowerVector(exact, resolution);
  if (!low) return small ? { pk, data: vectorToBytes(exact), small: null } : undefined;
  if (small && Buffer.compare(small, low.small) === 0) return undefined;
  return { pk, data: low.rest, small: low.small };
}
