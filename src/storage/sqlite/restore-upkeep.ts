import { CHANGE, readSettledRevision } from './change-log.ts';
import { addUpkeepOf } from './change-memory.ts';
import type { Changes } from './changes.ts';
import { prepared, queries } from './database.ts';
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

/** Makes the upkeep that transactions have left, of this opening of the folder or of an earlier one. */
export function restoreUpkeep(changes: Changes): void {
  const { database } = changes;
  const written = changes.upkeep.readWritten();
  for (const { revision, pk, request } of unsettled(database).all({ after: readSettledRevision(database) })) {
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
