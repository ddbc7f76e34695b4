import { CHANGE, readSettledRevision } from './change-log.ts';
import { addUpkeepOf } from './change-memory.ts';
import type { Changes } from './changes.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import { readWholeRow } from './memory-rows.ts';
import { memoryOrRest } from './rows.ts';
import { namespaceKeyOf, sequenceOf } from './schema.ts';

const unsettled = prepared((p: { after: number }) =>
  queries
    .selectFrom('change_log')
    .select(['revision', 'pk', 'request'])
    .where('revision', '>', p.after)
    .where('kind', '=', CHANGE.stored)
    .orderBy('revision'),
);

const unsettledRows = prepared((_: object) =>
  queries.selectFrom('memory').select(['revision', 'pk']).where('is_settled', '=', 0),
);

/**
 * Makes the upkeep that transactions have left, of this opening of the folder or of an earlier one. `lacksEntries`:
 * entries of the change log are lost, so the rows themselves show which memories wait for it.
 */
export function restoreUpkeep(changes: Changes, lacksEntries = false): void {
  const { database } = changes;
  const written = changes.upkeep.readWritten();
  for (const { revision, pk, request } of unsettledIn(database, lacksEntries)) {
    const namespaceKey = namespaceKeyOf(pk);
    changes.sequenceTaken(namespaceKey, sequenceOf(pk));
    if (request !== null) changes.outcomes.restore(revision, request);
    const row = readWholeRow(database, pk);
    if (!row) continue;
    const { memory } = memoryOrRest(row.namespace, row);
    const share = { namespace_key: namespaceKey, tier: row.tier, agent: row.agent, type: row.type };
    addUpkeepOf(changes, pk, memory, { ...share, content_bytes: row.content_bytes }, written);
  }
  changes.upkeep.restored();
}

/** In the order of their revisions. */
function unsettledIn(
  database: SqliteDatabase,
  lacksEntries: boolean,
): { revision: number; pk: number; request: string | null }[] {
  const entries = unsettled(database).all({ after: readSettledRevision(database) });
  if (!lacksEntries) return entries;
  const known = new Set(entries.map(({ pk }) => pk));
  const others = unsettledRows(database)
    .all({})
    .filter(({ pk }) => !known.has(pk));
  return [...entries, ...others.map((row) => ({ ...row, request: null }))].sort((a, b) => a.revision - b.revision);
}
