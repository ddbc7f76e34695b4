import { sql } from '#kysely';
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
    queries
      .selectFrom('memory_body')
      .selectAll()
      .where('namespace_key', '=', key)
      .where('sequence', '=', sql<number>`any(${sequences}::bigint[])`)
      .where(BODY_KEY, 'is not', null),
  );
  return rows.filter(isWhole).map(inRow);
}

function isWhole({ text }: { readonly text: string | undefined }): boolean {
  return text !== undefined;
}

function inRow(row: MemoryBodyTable): MemoryBodyTable {
  return { ...row, body_key: null, body_bytes: null };
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
    for (const row of rows.filter(isWhole)) {
      await read((session) => session.run(movingBack(row)));
      count++;
    }
  }
}

function bodiesAfter(key: string) {
  return queries.selectFrom('memory_body').selectAll().where(BODY_KEY, '>', key).orderBy(BODY_KEY).limit(ROWS_AT_ONCE);
}

/** A write that has replaced the body meanwhile has given it another key. */
function movingBack(row: MemoryBodyTable) {
  const { text, media_type, content, body_key, body_bytes } = inRow(row);
  return queries
    .updateTable('memory_body')
    .set({ text, media_type, content, body_key, body_bytes })
    .where(BODY_KEY, '=', row.body_key ?? '');
}
