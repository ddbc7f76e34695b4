import { sql } from '#kysely';
import type { Body } from '../body-store.ts';
import { queries, type Session } from './database.ts';
import type { Read } from './erase-leftovers.ts';
import { BODY_KEY } from './external-bodies.ts';
import type { MemoryBodyTable } from './schema.ts';

/** Of one read: a body may have some megabytes. */
const ROWS_AT_ONCE = 16;

/** Rows with their bodies, of memories of a namespace whose bodies are in another store. Lost bodies are left out. */
export async function bodiesToMoveBack(
  session: Session,
  key: number,
  sequences: readonly number[],
): Promise<MemoryBodyTable[]> {
  const rows = await session.run(
    ownedBodies()
      .where('b.namespace_key', '=', key)
      .where('b.sequence', '=', sql<number>`any(${sequences}::bigint[])`)
      .where('b.body_key', 'is not', null),
  );
  return rows.filter(isWhole).map(({ checksum: _, ...row }) => ({ ...row, body_key: null, body_bytes: null }));
}

/** With the checksums of the memories, by which a copy of a lost body is known. */
function ownedBodies() {
  return queries
    .selectFrom('memory_body as b')
    .leftJoin('memory as m', (join) =>
      join.onRef('m.namespace_key', '=', 'b.namespace_key').onRef('m.sequence', '=', 'b.sequence'),
    )
    .selectAll('b')
    .select(sql<string>`coalesce(m.checksum, '')`.as('checksum'));
}

function isWhole({ text }: { readonly text: string | undefined }): boolean {
  return text !== undefined;
}

/** Whether bodies are in another store. */
export async function hasExternalBodies(session: Session): Promise<boolean> {
  const rows = await session.run(
    queries.selectFrom('memory_body').select('sequence').where(BODY_KEY, 'is not', null).limit(1),
  );
  return rows.length > 0;
}

/** Moves all bodies from another store into their rows, in short steps; resolves to their number. Lost ones stay lost. */
export async function moveAllBack(read: Read): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await read((session) => session.run(bodiesAfter(after)));
    const last = rows.at(-1)?.body_key;
    if (!last) return count;
    after = last;
    for (const { body_key, text, media_type, content } of rows.filter(isWhole)) {
      const body = {
        text,
        ...(media_type !== null && content && { content: { mediaType: media_type, data: content } }),
      };
      await read((session) => session.run(inRow(body_key ?? '', body)));
      count++;
    }
  }
}

function bodiesAfter(key: string) {
  return ownedBodies().where('b.body_key', '>', key).orderBy('b.body_key').limit(ROWS_AT_ONCE);
}

/** Puts a body into the row that names it. A write that has replaced the body meanwhile has given it another key. */
export function inRow(key: string, { text, content }: Body) {
  const data = content ? Buffer.from(content.data) : null;
  return queries
    .updateTable('memory_body')
    .set({ text, media_type: content?.mediaType ?? null, content: data, body_key: null, body_bytes: null })
    .where(BODY_KEY, '=', key);
}
