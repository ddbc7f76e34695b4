import type { Micros } from '../../../memory/memory.ts';
import { FULL_RESOLUTION } from '../../../memory/resolution/resolution.ts';
import type { MirroredMemory, MirrorPosition, MirrorWrite } from '../../mirror-store.ts';
import { changeMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import type { SqliteDatabase } from '../database.ts';
import { eraseMemory } from '../erase-memory.ts';
import { insertMemory } from '../insert-memory.ts';
import {
  currentRow,
  dequeueEmbedding,
  enqueueEmbedding,
  readWholeRow,
  setVectorRow,
  updateMemoryRow,
  type WholeRow,
} from '../memory-rows.ts';
import { type NamespaceRow, readNamespace } from '../namespace-rows.ts';
import { prepared, queries } from '../prepared.ts';
import { resize } from '../resize-memory.ts';
import { memoryOrRest, stateNumber, stateOf, tierNumber, vectorToBytes } from '../rows.ts';
import { rowKey } from '../schema.ts';
import { appendFormer } from './append-former.ts';
import { isOwn } from './own-memory.ts';

const positionRow = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('mirror').select(['epoch', 'position']).where('namespace_key', '=', p.namespace_key),
);
const setPosition = prepared((p: { namespace_key: number; epoch: string; position: string }) =>
  queries.replaceInto('mirror').values({ namespace_key: p.namespace_key, epoch: p.epoch, position: p.position }),
);

export function mirrorPosition(database: SqliteDatabase, namespace: string): MirrorPosition | undefined {
  const namespace_key = readNamespace(database, namespace)?.key;
  return namespace_key === undefined ? undefined : positionRow(database).get({ namespace_key });
}

/** Brings copies of memories of another store to the state that they have there. */
export function mirror(changes: Changes, write: MirrorWrite): { revision: number; ownIds: string[] } {
  const { database, log } = changes;
  const { epoch, position, revisions, atUs } = write;
  const namespace = changes.namespace(write.namespace);
  const copies = new Map(write.memories.map((copy) => [copy.memory.id, copy]));
  const ids = [...write.deletedIds, ...copies.keys()];
  const revisionOf = (id: string): number => revisions.get(id) ?? 0;
  const ownIds: string[] = [];
  for (const id of ids.sort((one, other) => revisionOf(one) - revisionOf(other))) {
    const copy = copies.get(id);
    if (copy && isOwn(changes, namespace, copy, atUs)) {
      ownIds.push(id);
      continue;
    }
    // Who follows the log from a revision that the other store gave is told of everything that came after it.
    log.revision = Math.max(log.revision, revisionOf(id) - 1);
    if (copy) mirrorOne(changes, namespace, copy, atUs);
    else eraseCopy(changes, namespace, id, atUs);
  }
  // Callers know the revision that the other store gave.
  log.revision = Math.max(log.revision, write.revision);
  if (ownIds.length === 0) setPosition(database).run({ namespace_key: namespace.key, epoch, position });
  return { revision: log.revision, ownIds };
}

function eraseCopy(changes: Changes, namespace: NamespaceRow, id: string, atUs: Micros): void {
  const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
  if (!row) return;
  eraseMemory(changes, namespace.key, row.pk);
  changes.log.append('deleted', { namespaceKey: namespace.key, pk: row.pk, id, atUs });
}

function mirrorOne(changes: Changes, namespace: NamespaceRow, copy: MirroredMemory, atUs: Micros): void {
  const { database, log } = changes;
  const { memory, tierSinceUs } = copy;
  const { id, revision } = memory;
  const row = sameLife(changes, namespace, copy, atUs);
  const pk = row ? row.pk : insertCopy(changes, namespace, copy, atUs);
  if (row && row.revision !== revision) changeCopy(changes, namespace, row, copy, atUs);
  else if (row) {
    setVectorOfCopy(changes, namespace, row, copy, atUs);
    const share = { ...row, namespace_key: namespace.key };
    changes.totals.replace(share, { ...share, tier: tierNumber(memory.tier) });
  }
  updateMemoryRow(database, pk, {
    revision,
    tier: tierNumber(memory.tier),
    tier_since_us: tierSinceUs,
    retrieval_count: memory.retrievalCount,
    last_accessed_at_us: memory.lastAccessedAtUs ?? null,
  });
  if (!row && !copy.resolution) return;
  const kind = resize(database, { pk, vectorKey: pk * namespace.vector_sign }, copy.resolution ?? FULL_RESOLUTION);
  if (kind === 'resized' || kind === 'vectorResized') log.append(kind, { namespaceKey: namespace.key, pk, id, atUs });
}

/** The copy that is there; one of a memory that was erased meanwhile, and whose id was given to another, is erased. */
function sameLife(
  changes: Changes,
  namespace: NamespaceRow,
  { memory: { id, revision }, past }: MirroredMemory,
  atUs: Micros,
): WholeRow | undefined {
  const { database, log } = changes;
  const known = currentRow(database).get({ namespace_key: namespace.key, id });
  if (!known) return undefined;
  const isSame = known.revision === revision || past.some(({ memory }) => memory.revision === known.revision);
  if (isSame) return readWholeRow(database, known.pk);
  eraseMemory(changes, namespace.key, known.pk);
  log.append('deleted', { namespaceKey: namespace.key, pk: known.pk, id, atUs });
  return undefined;
}

function insertCopy(
  changes: Changes,
  namespace: NamespaceRow,
  { memory, embeddingPending, notBeforeUs, past }: MirroredMemory,
  atUs: Micros,
): number {
  const { database } = changes;
  const sequence = changes.takeSequences(namespace, 1);
  insertMemory(changes, namespace, sequence, { ...memory, embeddingPending }, atUs);
  const pk = rowKey(namespace.key, sequence);
  if (embeddingPending && !memory.embedding) enqueueEmbedding(database).run({ pk, not_before_us: notBeforeUs });
  appendFormer(changes, namespace.key, pk, past, atUs);
  return pk;
}

function changeCopy(
  changes: Changes,
  namespace: NamespaceRow,
  row: WholeRow,
  { memory, embeddingPending, notBeforeUs, past }: MirroredMemory,
  atUs: Micros,
): void {
  const { pk } = row;
  const { memory: before, isDamaged } = memoryOrRest(namespace.name, row);
  const vector = memory.embedding ? { embedding: memory.embedding } : { embedding: null, embeddingPending };
  const state = stateOf(row.embedding_state);
  changeMemory(changes, namespace, { pk, before, after: memory, state, vector, dropsFormer: isDamaged, atUs });
  if (embeddingPending && !memory.embedding) {
    enqueueEmbedding(changes.database).run({ pk, not_before_us: notBeforeUs });
  }
  // States that it had in between, which the entry of the change does not tell.
  appendFormer(
    changes,
    namespace.key,
    pk,
    past.filter(({ memory: state }) => state.revision > before.revision),
    atUs,
  );
}

/** A vector that came later changes no state of the memory. */
function setVectorOfCopy(
  changes: Changes,
  namespace: NamespaceRow,
  { pk, id, embedding_state }: WholeRow,
  { memory, embeddingPending }: MirroredMemory,
  atUs: Micros,
): void {
  const { database, log } = changes;
  const isNew = memory.embedding !== undefined && stateOf(embedding_state) !== 'there';
  log.append(isNew ? 'embedded' : 'touched', { namespaceKey: namespace.key, pk, id, atUs });
  if (stateOf(embedding_state) === 'pending' && !embeddingPending) dequeueEmbedding(database).run({ pk });
  if (memory.embedding && isNew) {
    changes.admitEmbedding(namespace, memory.embedding);
    setVectorRow(database).run({ pk: pk * namespace.vector_sign, data: vectorToBytes(memory.embedding.values) });
  }
  const state = memory.embedding ? 'there' : embeddingPending ? 'pending' : 'none';
  updateMemoryRow(database, pk, { embedding_state: stateNumber(state) });
}
