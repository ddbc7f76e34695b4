import type { MirrorPosition } from '../../hot-log.ts';
import type { MirrorOutcome, MirrorWrite } from '../../mirror-store.ts';
import type { Changes } from '../changes.ts';
import type { SqliteDatabase } from '../database.ts';
import { currentRow } from '../memory-rows.ts';
import { readNamespace } from '../namespace-rows.ts';
import { prepared, queries } from '../prepared.ts';
import { isOwn } from './own-memory.ts';
import { replay } from './replay-entries.ts';

const positionRow = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('mirror').select(['epoch', 'position']).where('namespace_key', '=', p.namespace_key),
);
const completeRow = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('mirror').select('complete_from').where('namespace_key', '=', p.namespace_key),
);
const setPosition = prepared((p: { namespace_key: number; epoch: string; position: string; complete_from: number }) =>
  queries.replaceInto('mirror').values({
    namespace_key: p.namespace_key,
    epoch: p.epoch,
    position: p.position,
    complete_from: p.complete_from,
  }),
);

export function mirrorPosition(database: SqliteDatabase, namespace: string): MirrorPosition | undefined {
  const namespace_key = readNamespace(database, namespace)?.key;
  return namespace_key === undefined ? undefined : positionRow(database).get({ namespace_key });
}

/** Does to copies of memories of another store what its log tells. */
export function mirror(changes: Changes, write: MirrorWrite): MirrorOutcome {
  const { database, log } = changes;
  const { epoch, position, memories, entries, atUs } = write;
  const namespace = changes.namespace(write.namespace);
  const ownIds = memories
    .filter((copy) => {
      const known = currentRow(database).get({ namespace_key: namespace.key, id: copy.memory.id });
      return known && isOwn(changes, namespace, known, copy, atUs);
    })
    .map(({ memory }) => memory.id);
  if (write.gapFrom !== undefined) {
    log.origin = write.gapFrom;
    log.append('gap', { namespaceKey: namespace.key, id: namespace.name, atUs });
    log.origin = 0;
  }
  // What is at home here has to be let go of first: the entries come again then.
  const lackingIds = ownIds.length === 0 ? replay(changes, namespace, write) : [];
  const isDone = ownIds.length === 0 && lackingIds.length === 0;
  if (ownIds.length > 0 && entries.length === 0) {
    const copies = memories.filter(({ memory }) => !ownIds.includes(memory.id));
    replay(changes, namespace, { memories: copies, entries, atUs });
  }
  // Callers know the revision that the other store gave.
  log.revision = Math.max(log.revision, write.revision);
  if (isDone) {
    const known = completeRow(database).get({ namespace_key: namespace.key })?.complete_from ?? 0;
    const complete_from = write.completeFrom ?? known;
    setPosition(database).run({ namespace_key: namespace.key, epoch, position, complete_from });
  }
  return { revision: log.revision, ownIds, lackingIds };
}
