import type { Memory, Micros, Tier } from '../../../memory/memory.ts';
import { FULL_RESOLUTION } from '../../../memory/resolution/resolution.ts';
import type { HotEntry, MirroredMemory, MirroredMove, MirrorPosition } from '../../hot-log.ts';
import type { PastState } from '../../memory-store.ts';
import type { MirrorOutcome, MirrorWrite } from '../../mirror-store.ts';
import { formerStateOf } from '../../rules/former-state.ts';
import type { TierStep } from '../../tier-store.ts';
import { eraseMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { currentRow, readWholeRow, updateMemoryRow } from '../memory-rows.ts';
import { type NamespaceRow, readNamespace } from '../namespace-rows.ts';
import { revisionsOf } from '../queries/get.ts';
import { resize, sizedById } from '../resize-memory.ts';
import { memoryOrRest, stateNumber, tierNumber, tierOf } from '../rows.ts';
import { rowKey } from '../schema.ts';
import { bringTo, settle } from './copy-states.ts';

type Replayed = Pick<MirrorWrite, 'entries' | 'memories' | 'moves' | 'ownsAllTiers' | 'atUs'>;

/** In a view, of memories that were erased before they could be copied: no memory has it, so copies keep their sequences. */
const ERASED_SEQUENCE = 0;

/**
 * Applies the entries of another log in order; without entries, brings the copies to the state in the write. Applying
 * an entry twice changes nothing. Returns the ids of moves that could not be applied.
 */
function replay(
  changes: Changes,
  namespace: NamespaceRow,
  { entries, memories, moves = [], ownsAllTiers = false, atUs }: Replayed,
): readonly string[] {
  const { log } = changes;
  const copies = new Map(memories.map((copy) => [copy.memory.id, copy]));
  const moved = new Map(moves.map((move) => [move.id, move]));
  const lackingIds: string[] = [];
  const ghosts = new Map<string, number>();
  for (const entry of entries) {
    // A reader that follows the log from a revision of the other store receives everything after that revision.
    log.revision = Math.max(log.revision, entry.revision - 1);
    log.origin = entry.revision;
    const move = moved.get(entry.id);
    // A copy may be made long after the write.
    const writtenAtUs = entry.atUs ?? atUs;
    const following = { changes, namespace, ghosts, ownsAllTiers, atUs: writtenAtUs };
    if (!move) followEntry(following, entry, copies.get(entry.id));
    else if (!followMove(changes, namespace, move, writtenAtUs, entry.step)) lackingIds.push(entry.id);
  }
  log.origin = 0;
  if (entries.length > 0) return lackingIds;
  for (const copy of copies.values()) {
    const { memory } = copy;
    log.origin = -memory.revision;
    const before = log.revision;
    const isNew = bringTo(changes, namespace, copy, { memory, change: 'stored' }, atUs);
    settle(changes, namespace, copy, atUs, { isNew, hasEntry: false, isSilent: log.revision === before });
  }
  log.origin = 0;
  return lackingIds;
}

interface Following {
  readonly changes: Changes;
  readonly namespace: NamespaceRow;
  /** Memories that were erased before they could be copied, by the row keys of their entries. */
  readonly ghosts: Map<string, number>;
  readonly ownsAllTiers: boolean;
  readonly atUs: number;
}

function followEntry(following: Following, entry: HotEntry, copy: MirroredMemory | undefined): void {
  const { changes, namespace, atUs } = following;
  switch (entry.kind) {
    case 'stored':
    case 'updated': {
      const state = copy && stateAt(copy, entry.revision);
      if (copy && state) {
        const isNew = bringTo(changes, namespace, copy, { ...state, change: entry.kind }, atUs);
        settle(changes, namespace, copy, atUs, { isNew, hasEntry: false });
      } else noteLost(following, { ...entry, kind: entry.kind });
      return;
    }
    case 'deleted':
    case 'expired':
      eraseCopy(following, entry, entry.kind);
      return;
    case 'released':
    case 'namespace_deleted':
    case 'namespace_emptied':
      return;
    default:
      noteTouch(following, entry, copy);
  }
}

/** The state after an entry, unless it was erased since. */
function stateAt({ memory, past }: MirroredMemory, revision: number): PastState | undefined {
  if (memory.revision === revision) return { memory, change: past.length > 0 ? 'updated' : 'stored' };
  return past.find((state) => state.memory.revision === revision);
}

/** Readers of the log get the change whose state no store holds any more, as one of a memory that was erased since. */
function noteLost(
  following: Following,
  { id, kind, revision }: HotEntry & { readonly kind: 'stored' | 'updated' },
): void {
  const { changes, namespace, ghosts, atUs } = following;
  const { database, log } = changes;
  const row = currentRow(database).get({ namespace_key: namespace.key, id });
  if (row && (kind === 'stored' || row.revision >= revision)) return;
  if (isInLog(changes, namespace)) return;
  const pk = row?.pk ?? ghosts.get(id) ?? keyOfErased(following);
  if (!row) ghosts.set(id, pk);
  log.append(kind, { namespaceKey: namespace.key, pk, id, atUs });
}

function keyOfErased({ changes, namespace, ownsAllTiers }: Following): number {
  return rowKey(namespace.key, ownsAllTiers ? ERASED_SEQUENCE : changes.takeSequences(namespace, 1));
}

function eraseCopy(following: Following, { id, revision }: HotEntry, kind: 'deleted' | 'expired'): void {
  const { changes, namespace, ghosts, ownsAllTiers, atUs } = following;
  const { database, log } = changes;
  const row = currentRow(database).get({ namespace_key: namespace.key, id });
  // A newer memory has taken the id.
  if (row && row.revision > revision) return;
  if (row) eraseMemory(changes, namespace.key, row.pk);
  // The other entries of the memory may be on a former page, or cut from the log: readers that have seen it need this one.
  const isUnknown = !row && ownsAllTiers && !isInLog(changes, namespace);
  const pk = row?.pk ?? ghosts.get(id) ?? (isUnknown ? keyOfErased(following) : undefined);
  ghosts.delete(id);
  if (pk !== undefined) log.append(kind, { namespaceKey: namespace.key, pk, id, atUs });
}

/** Applies a change outside the state of the memory: of its tier, its vector or its number of reads. */
function noteTouch({ changes, namespace, atUs }: Following, entry: HotEntry, copy: MirroredMemory | undefined): void {
  const { id, kind } = entry;
  const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
  if (!row && copy && kind === 'moved') {
    // The memory was long-term at another server: the log has no earlier entry of it.
    const { memory } = copy;
    const isNew = bringTo(changes, namespace, copy, { memory, change: 'stored' }, atUs);
    settle(changes, namespace, copy, atUs, { isNew, hasEntry: false });
  }
  if (!row) return;
  const step = kind === 'moved' ? unloggedStep(changes, namespace, entry, tierOf(row.tier), copy) : undefined;
  if (copy && row.revision === copy.memory.revision)
    settle(changes, namespace, copy, atUs, { isNew: false, hasEntry: true, step });
  else {
    const note = { namespaceKey: namespace.key, pk: row.pk, id, atUs, step };
    changes.log.append(step ? 'moved' : 'touched', note);
  }
}

/** Entries are replayed when a batch fails. */
const loggedEntry = prepared((p: { key: number; origin: number }) =>
  queries
    .selectFrom('change_log')
    .select('revision')
    .where('namespace_key', '=', p.key)
    .where('origin', '=', p.origin)
    .where('origin', '>', 0)
    .limit(1),
);

/** Whether the log has the entry that is followed. */
function isInLog({ database, log }: Changes, { key }: NamespaceRow): boolean {
  return loggedEntry(database).get({ key, origin: log.origin }) !== undefined;
}

const loggedMove = prepared((p: { key: number; origin: number }) =>
  queries
    .selectFrom('change_log')
    .select('revision')
    .where('namespace_key', '=', p.key)
    .where('origin', '=', p.origin)
    .where('origin', '>', 0)
    .where('tier_to', 'is not', null)
    .limit(1),
);

/**
 * The tier step of a followed move that the log of this store lacks. `undefined` where the log has its entry, since
 * entries are replayed when a batch fails, and where only the owner of the memory changes.
 */
function unloggedStep(
  { database, log }: Changes,
  { key }: NamespaceRow,
  { step }: HotEntry,
  from: Tier,
  copy: MirroredMemory | undefined,
): TierStep | undefined {
  if (loggedMove(database).get({ key, origin: log.origin })) return undefined;
  const to = copy?.memory.tier ?? from;
  return step ?? (from === to ? undefined : { from, to });
}

/**
 * Brings the copy of a memory to the tier of a move. Returns false, without changes, where the copy is not the moved
 * memory: it is missing, of another state, owned here, damaged or already in the tier. `step`: the tiers of the move,
 * where the entry has them.
 */
function followMove(
  changes: Changes,
  namespace: NamespaceRow,
  { id, revision, embedding, tier, resolution = FULL_RESOLUTION, ...move }: MirroredMove,
  atUs: Micros,
  step?: TierStep,
): boolean {
  const { database, log, totals } = changes;
  const row = sizedById(database).get({ namespace_key: namespace.key, id });
  const isCopy = row?.revision === revision && row.embedding_state === stateNumber(embedding);
  if (!isCopy || row.tier === tierNumber(tier) || row.tier === tierNumber('long_term')) return false;
  const kind = resize(database, row, resolution);
  if (kind === 'damaged') return false;
  const { pk } = row;
  totals.replace(row, { ...row, tier: tierNumber(tier) });
  updateMemoryRow(database, pk, {
    tier: tierNumber(tier),
    tier_since_us: move.tierSinceUs,
    retrieval_count: move.retrievalCount,
    last_accessed_at_us: move.lastAccessedAtUs ?? null,
  });
  log.append(kind, { namespaceKey: namespace.key, pk, id, atUs, step: step ?? { from: tierOf(row.tier), to: tier } });
  return true;
}

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

/** Applies the log of another store to the copies of its memories. */
export function mirror(changes: Changes, write: MirrorWrite): MirrorOutcome {
  const { database, log } = changes;
  const { epoch, position, memories, entries, atUs, revisionFloor = 0 } = write;
  log.revision = Math.max(log.revision, revisionFloor);
  const namespace = changes.namespace(write.namespace);
  const ownIds = (write.ownsAllTiers ? [] : memories)
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
  if (write.updatesNamespace) {
    log.append('namespaceUpdated', { namespaceKey: namespace.key, id: namespace.name, atUs });
  }
  // The hot store has to release the memories that this store owns first; then the entries are replayed.
  const lackingIds = ownIds.length === 0 ? replay(changes, namespace, write) : [];
  const isDone = ownIds.length === 0 && lackingIds.length === 0;
  if (ownIds.length > 0 && entries.length === 0) {
    const copies = memories.filter(({ memory }) => !ownIds.includes(memory.id));
    replay(changes, namespace, { memories: copies, entries, atUs });
  }
  // Callers know the revision of the other store.
  log.revision = Math.max(log.revision, write.revision);
  if (isDone) {
    const known = completeRow(database).get({ namespace_key: namespace.key })?.complete_from ?? 0;
    const complete_from = write.completeFrom ?? known;
    setPosition(database).run({ namespace_key: namespace.key, epoch, position, complete_from });
  }
  return { revision: log.revision, ownIds, lackingIds };
}

const STATES_MAX = 10_000;

/**
 * Whether this store owns the memory of the id: copies are never long-term. A memory of the other store from the same
 * write, repeated here after it had failed there, is the same memory; any other memory of the id there becomes a former
 * state.
 */
function isOwn(
  { database, log }: Changes,
  namespace: NamespaceRow,
  known: { readonly pk: number; readonly tier: number },
  copy: MirroredMemory,
  atUs: Micros,
): boolean {
  const { memory, past } = copy;
  const { id } = memory;
  const row = known.tier === tierNumber('long_term') ? readWholeRow(database, known.pk) : undefined;
  if (!row) return false;
  const own = memoryOrRest(namespace.name, row).memory;
  const former = revisionsOf(database, { namespace: namespace.name, id, limit: STATES_MAX, nowUs: 0 });
  const isSame = [own, ...former.map((state) => state.memory)].some((state) => isSameWrite(state, memory));
  if (!isSame) {
    const change = 'stored' as const;
    appendFormer({ log }, namespace.key, row.pk, [{ memory, change }, ...past], atUs);
  }
  return true;
}

function isSameWrite(one: Memory, other: Memory): boolean {
  return one.createdAtUs === other.createdAtUs && (one.checksum === other.checksum || one.revision === other.revision);
}

/** Appends states that a memory had at another store, newest first, as if it had been updated here. */
function appendFormer(
  { log }: Pick<Changes, 'log'>,
  namespaceKey: number,
  pk: number,
  past: MirroredMemory['past'],
  atUs: Micros,
): void {
  for (const { memory } of past.toReversed()) {
    log.append('updated', { namespaceKey, pk, id: memory.id, atUs, former: formerStateOf(memory) });
  }
}
