import type { Micros } from '../../../memory/memory.ts';
import { vectorToBytes } from '../../../memory/resolution/plain-vector.ts';
import { FULL_RESOLUTION } from '../../../memory/resolution/resolution.ts';
import { embeddingStateOf } from '../../embedding-state.ts';
import type { PastState } from '../../memory-store.ts';
import type { MemoryCopy } from '../../record-log.ts';
import type { TierStep } from '../../tier-store.ts';
import type { ChangeLog } from '../change-log.ts';
import { changeMemory, eraseMemory, insertMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries } from '../database.ts';
import {
  currentRow,
  dequeueEmbedding,
  enqueueEmbedding,
  readWholeRow,
  rowByKey,
  setVectorRow,
  updateMemoryRow,
  type WholeRow,
} from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { lacksBody } from '../queries/bodies.ts';
import { repair, resize, sizedByKey } from '../resize-memory.ts';
import { memoryOrRest, stateNumber, stateOf, tierNumber } from '../rows.ts';
import { type MemoryTable, rowKey } from '../schema.ts';

/** Columns that select the total of a memory, whether its vector is stored, and its read statistics. */
const shareRow = prepared((p: { pk: number }) =>
  queries
    .selectFrom('memory')
    .select(['pk', 'namespace_key', 'tier', 'agent', 'type', 'content_bytes', 'embedding_state'])
    .select(['retrieval_count', 'last_accessed_at_us'])
    .where('pk', '=', p.pk),
);

/**
 * Brings a copy to a state of its memory, through the states between that have no entry of their own; true when it is
 * new.
 */
export function bringTo(
  changes: Changes,
  namespace: NamespaceRow,
  copy: MemoryCopy,
  { memory: { revision }, change }: PastState,
  atUs: Micros,
): boolean {
  const { log } = changes;
  const { origin } = log;
  let isNew = false;
  // A memory that was erased during the read has lost its former states.
  const isTorn = change === 'updated' && copy.past.length === 0;
  let row = sameLife(changes, namespace, copy, isTorn ? 0 : revision, atUs);
  const states = [...copy.past.map(({ memory }) => memory).reverse(), copy.memory];
  for (const state of states) {
    const isHere =
      row && (row.revision > state.revision || (row.revision === state.revision && !bringsBody(copy, row)));
    if (state.revision > revision || isHere) continue;
    if (origin < 0) log.origin = -state.revision;
    else log.origin = state.revision === revision ? origin : 0;
    const isCurrent = state === copy.memory;
    const { embeddingPending, notBeforeUs } = copy;
    const isPending = isCurrent && embeddingPending && !state.embedding;
    let pk: number;
    if (row) {
      pk = row.pk;
      const { memory: before, isDamaged: dropsFormer } = memoryOrRest(namespace.name, row);
      const vector = isCurrent ? { embedding: state.embedding ?? null, embeddingPending } : {};
      const known = { pk, before, state: stateOf(row.embedding_state), dropsFormer };
      changeMemory(changes, namespace, { ...known, after: state, vector, atUs });
    } else {
      isNew = true;
      const sequence = sequenceFor(changes, namespace, copy, atUs);
      pk = rowKey(namespace.key, sequence);
      const as = { revision: state.revision, tierSinceUs: copy.tierSinceUs };
      insertMemory(changes, namespace, sequence, { ...state, embeddingPending: isPending }, atUs, as);
    }
    if (isPending) enqueueEmbedding(changes.database).run({ pk, not_before_us: notBeforeUs });
    if (row) updateMemoryRow(changes.database, pk, { revision: state.revision });
    if (!isCurrent) row = readWholeRow(changes.database, pk);
  }
  log.origin = origin;
  return isNew;
}

/** Whether the copy has the body that the row lacks since its store had lost it. */
function bringsBody({ memory, isDamaged }: MemoryCopy, row: RowOfState): boolean {
  return !isDamaged && row.revision === memory.revision && lacksBody(row) && !lacksBody(memory);
}

type RowOfState = Parameters<typeof lacksBody>[0] & Pick<MemoryTable, 'revision'>;

/**
 * The sequence of the memory in its store, so that positions in lists are the same in every copy. A copy that has the
 * sequence is of a state that its store has lost, and is erased.
 */
function sequenceFor(changes: Changes, namespace: NamespaceRow, { sequence }: MemoryCopy, atUs: Micros): number {
  const { database, log } = changes;
  const pk = rowKey(namespace.key, sequence);
  const lost = sequence < namespace.next_sequence ? rowByKey(database).get({ pk }) : undefined;
  if (lost) {
    eraseMemory(changes, namespace.key, pk);
    appendBeside(log, 'deleted', { namespaceKey: namespace.key, pk, id: lost.id, atUs });
  }
  changes.useSequence(namespace, sequence);
  return sequence;
}

/** The existing copy. A copy of an erased memory whose id is in use by a new memory is erased. */
function sameLife(
  changes: Changes,
  namespace: NamespaceRow,
  { memory, past }: MemoryCopy,
  revision: number,
  atUs: Micros,
): WholeRow | undefined {
  const { database, log } = changes;
  const known = currentRow(database).get({ namespace_key: namespace.key, id: memory.id });
  if (!known) return undefined;
  const isSame = [memory, ...past.map((state) => state.memory)].some((state) => state.revision === known.revision);
  // States newer than the requested one are already copied.
  if (isSame || known.revision > revision) return readWholeRow(database, known.pk);
  eraseMemory(changes, namespace.key, known.pk);
  // The followed entry describes the changes after this state.
  appendBeside(log, 'deleted', { namespaceKey: namespace.key, pk: known.pk, id: memory.id, atUs });
  return undefined;
}

/**
 * Copies the values outside a memory's state, once the copy has reached the newest state. `step`: of a move that is to
 * be written. `hasEntry`: an entry of the other log describes the change. `isSilent`: no entry describes it; the
 * readers of this log, such as columns of filters, get one of this server if tier or read statistics change.
 */
export function settle(
  changes: Changes,
  namespace: NamespaceRow,
  copy: MemoryCopy,
  atUs: Micros,
  {
    isNew,
    hasEntry,
    isSilent = false,
    step,
  }: {
    readonly isNew: boolean;
    readonly hasEntry: boolean;
    readonly isSilent?: boolean;
    readonly step?: TierStep | undefined;
  },
): void {
  // The first write of its only state has set all of these values.
  if (isNew && copy.past.length === 0 && !copy.resolution) return;
  const { database, log } = changes;
  const { memory, tierSinceUs } = copy;
  const { id, revision } = memory;
  const known = currentRow(database).get({ namespace_key: namespace.key, id });
  if (known?.revision !== revision) return;
  const { pk } = known;
  const row = isNew ? undefined : shareRow(database).get({ pk });
  // A vector that was computed later has no state: without its entry, the copies differ in it alone.
  const isEmbedded = row !== undefined && isSilent && kindOf(row, copy) === 'embedded';
  const kindOfEntry = row && (hasEntry || isEmbedded) ? kindOf(row, copy) : undefined;
  const entry = { namespaceKey: namespace.key, pk, id, atUs };
  // The entry becomes that of the vector, which arrived meanwhile.
  if (kindOfEntry === 'embedded' && step) appendBeside(log, 'moved', { ...entry, step });
  if (kindOfEntry === 'embedded') log.append(kindOfEntry, entry);
  // The copy is already in the target tier, for example after a second move.
  if (kindOfEntry === 'touched') log.append(step ? 'moved' : kindOfEntry, { ...entry, step });
  if (row && kindOfEntry && !copy.isDamaged) setVectorOfCopy(changes, namespace, row, copy);
  if (row) changes.totals.replace(row, { ...row, tier: tierNumber(memory.tier) });
  updateMemoryRow(database, pk, {
    tier: tierNumber(memory.tier),
    tier_since_us: tierSinceUs,
    retrieval_count: memory.retrievalCount,
    last_accessed_at_us: memory.lastAccessedAtUs ?? null,
  });
  if (isSilent && row && isOtherwise(row, copy)) appendBeside(log, 'touched', entry);
  if (isNew && !copy.resolution) return;
  // Only read statistics have changed: the resolution stays.
  const isOther =
    row?.tier !== tierNumber(memory.tier) ||
    row.embedding_state !== stateNumber(embeddingStateOf(copy.memory.embedding, copy.embeddingPending));
  if (hasEntry && !isOther) return;
  const keys = { pk, vectorKey: pk * namespace.vector_sign };
  const kind = copy.isDamaged ? 'moved' : resizeCopy(changes, namespace, copy, keys, atUs);
  // A move has one entry, which also says whether recall ranks on other data now.
  if (kindOfEntry === 'moved') log.append(kind, { ...entry, step });
  else if (kind !== 'moved') appendBeside(log, kind, entry);
}

/** Gives a whole copy the resolution of its memory; returns the kind of log entry. */
function resizeCopy(
  changes: Changes,
  namespace: NamespaceRow,
  copy: MemoryCopy,
  { pk, vectorKey }: { readonly pk: number; readonly vectorKey: number },
  atUs: Micros,
): 'moved' | 'resized' | 'vectorResized' {
  const { database, log } = changes;
  const { memory, resolution = FULL_RESOLUTION } = copy;
  const read = () => {
    const row = sizedByKey(database).get({ pk });
    if (!row) throw new Error(`memory ${pk} has a row but no body`);
    return row;
  };
  let row = read();
  if (bringsBody(copy, row)) {
    const { origin } = log;
    log.origin = 0;
    bringTo(changes, namespace, copy, { memory, change: 'stored' }, atUs);
    log.origin = origin;
    row = read();
  }
  const resized = resize(database, row, resolution);
  return resized === 'damaged' ? repair(database, { pk, vectorKey }, memory, resolution) : resized;
}

/** Appends an entry that exists at this server only. */
function appendBeside(log: ChangeLog, ...[kind, entry]: Parameters<ChangeLog['append']>): void {
  const { origin } = log;
  log.origin = 0;
  log.append(kind, entry);
  log.origin = origin;
}

function isOtherwise(
  row: Pick<MemoryTable, 'tier' | 'retrieval_count' | 'last_accessed_at_us'>,
  { memory }: MemoryCopy,
): boolean {
  const isMoved = row.tier !== tierNumber(memory.tier);
  const isRead = row.retrieval_count !== memory.retrievalCount;
  return isMoved || isRead || row.last_accessed_at_us !== (memory.lastAccessedAtUs ?? null);
}

type Share = Pick<MemoryTable, 'pk' | 'tier' | 'embedding_state'>;

function kindOf({ tier, embedding_state }: Share, { memory }: MemoryCopy): 'embedded' | 'moved' | 'touched' {
  if (memory.embedding !== undefined && stateOf(embedding_state) !== 'there') return 'embedded';
  return tier === tierNumber(memory.tier) ? 'touched' : 'moved';
}

/** A vector that was computed later changes no state of the memory. */
function setVectorOfCopy(
  changes: Changes,
  namespace: NamespaceRow,
  { pk, embedding_state }: Share,
  copy: MemoryCopy,
): void {
  const { database } = changes;
  const { memory, embeddingPending } = copy;
  const isNew = memory.embedding !== undefined && stateOf(embedding_state) !== 'there';
  if (stateOf(embedding_state) === 'pending' && !embeddingPending) dequeueEmbedding(database).run({ pk });
  if (memory.embedding && isNew) {
    changes.admitEmbedding(namespace, memory.embedding);
    setVectorRow(database).run({ pk: pk * namespace.vector_sign, data: vectorToBytes(memory.embedding.values) });
  }
  const state = stateNumber(embeddingStateOf(copy.memory.embedding, copy.embeddingPending));
  if (state !== embedding_state) updateMemoryRow(database, pk, { embedding_state: state });
}
