import type { LogStretch, MeasureRead } from '../../../change-log/change-log.ts';
import { readCompactedRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { prepared, queries } from '../prepared.ts';

/** What an entry takes beside its id and its former state, about. */
const ENTRY_BYTES = 40;

const stretch = prepared((p: { after: number; limit: number }) =>
  queries
    .selectFrom((eb) =>
      eb
        .selectFrom('change_log')
        .select(['revision', 'at_us', (e) => e.fn<number>('length', ['id']).as('id_length')])
        .select((e) => e.fn.coalesce(e.fn<number>('length', ['former']), e.val(0)).as('former_length'))
        .where('revision', '>', p.after)
        .orderBy('revision')
        .limit(p.limit)
        .as('stretch'),
    )
    .select((eb) => [
      eb.fn.max('revision').as('revision'),
      eb.fn.countAll<number>().as('count'),
      eb.fn.max('at_us').as('at_us'),
      eb.fn.sum<number>('id_length').as('id_bytes'),
      eb.fn.sum<number>('former_length').as('former_bytes'),
    ]),
);

export function measureLog(
  database: SqliteDatabase,
  { afterRevision, limit, orFewer = false }: MeasureRead,
): LogStretch | undefined {
  const sum = stretch(database).get({ after: afterRevision, limit });
  if (!sum || sum.count === 0 || (sum.count < limit && !orFewer)) return undefined;
  const bytes = Number(sum.id_bytes) + Number(sum.former_bytes) + ENTRY_BYTES * sum.count;
  return { throughRevision: Number(sum.revision), count: sum.count, bytes, newestAtUs: Number(sum.at_us) };
}

const changedRows = prepared((p: { after: number; limit: number }) =>
  queries
    .selectFrom((eb) =>
      eb.selectFrom('change_log').select('namespace_key').where('revision', '>', p.after).limit(p.limit).as('stretch'),
    )
    .leftJoin('namespace', 'namespace.key', 'stretch.namespace_key')
    .select(['namespace.name', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('stretch.namespace_key'),
);

export function changedNamespaces(
  database: SqliteDatabase,
  { afterRevision, limit }: { afterRevision: number; limit: number },
): string[] | undefined {
  if (afterRevision < readCompactedRevision(database)) return undefined;
  const rows = changedRows(database).all({ after: afterRevision, limit });
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  // One that was deleted has no name any more.
  const names = rows.flatMap(({ name }) => (name === null ? [] : [name]));
  return count < limit && names.length === rows.length ? names : undefined;
}
