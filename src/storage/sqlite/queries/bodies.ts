import { isSound } from '../../../memory/checksum.ts';
import { isDamage } from '../../../memory/errors.ts';
import { restoreBody } from '../../../memory/resolution/lower-body.ts';
import type { Body, BodyOwner } from '../../body-store.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { rowKey } from '../schema.ts';

const bodyRow = prepared((p: { pk: number }) =>
  queries
    .selectFrom('memory_body')
    .select(['text', 'media_type', 'content', 'packed', 'checksum'])
    .where('pk', '=', p.pk),
);
type BodyRow = NonNullable<ReturnType<ReturnType<typeof bodyRow>['get']>>;

const mirrorRow = prepared((p: { epoch: string }) =>
  queries.selectFrom('mirror').select('namespace_key').where('epoch', '=', p.epoch),
);

/** Sound bodies of copies with the checksums, in the order of the owners. */
export function copiedBodies(database: SqliteDatabase, owners: readonly BodyOwner[]): (Body | undefined)[] {
  return rowsOf(database, owners).map((row, at) =>
    row?.checksum === owners[at]?.checksum ? row && bodyIn(row) : undefined,
  );
}

/** The owners whose copies were made without a body. */
export function copiedWithoutBody<O extends BodyOwner>(database: SqliteDatabase, owners: readonly O[]): O[] {
  const rows = rowsOf(database, owners);
  return owners.filter((_, at) => rows[at] && lacksBody(rows[at]));
}

interface MaybeBody {
  readonly text?: string | null;
  readonly content?: unknown;
  readonly packed?: unknown;
}

/** Whether a copy of a memory with a text was made without its body. */
export function lacksBody({ text, content, packed }: MaybeBody): boolean {
  return text === '' && !content && !packed;
}

function rowsOf(database: SqliteDatabase, owners: readonly BodyOwner[]): (BodyRow | undefined)[] {
  const keys = new Map<number, number | undefined>();
  const keyOf = (epoch: number): number | undefined => {
    if (!keys.has(epoch)) keys.set(epoch, mirrorRow(database).get({ epoch: String(epoch) })?.namespace_key);
    return keys.get(epoch);
  };
  return owners.map(({ namespace_key: epoch, sequence }) => {
    const key = keyOf(epoch);
    return key === undefined ? undefined : bodyRow(database).get({ pk: rowKey(key, sequence) });
  });
}

/** `undefined` where the copy is damaged. */
function bodyIn({ text, media_type: mediaType, content: data, packed, checksum }: BodyRow): Body | undefined {
  try {
    const body = restoreBody({ text, ...(data && { content: { mediaType, data } }), ...(packed && { packed }) });
    return isSound({ ...body, checksum }) ? body : undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}
