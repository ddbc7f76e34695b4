import type { HotEntry, MirroredMemory } from '../../hot-log.ts';
import type { PastState } from '../../memory-store.ts';
import type { MirrorWrite } from '../../mirror-store.ts';
import { changeMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { eraseMemory } from '../erase-memory.ts';
import { currentRow, readWholeRow, updateMemoryRow } from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { memoryOrRest, stateOf, tierOf } from '../rows.ts';
import { rowKey } from '../schema.ts';
import { bringTo, settle } from './copy-states.ts';
import { followMove } from './follow-move.ts';
import { untoldStep } from './untold-step.ts';

type Replayed = Pick<MirrorWrite, 'entries' | 'memories' | 'moves' | 'atUs'>;

/**
 * Does what the entries of another log tell, one after the other; where there are none, brings the copies to the state that
 * is given. An entry that was followed before changes nothing. Gives the ids of moves that could not be followed.
 */
export function replay(
  changes: Changes,
  namespace: NamespaceRow,
  { entries, memories, moves = [], atUs }: Replayed,
): readonly string[] {
  const { log } = changes;
  const copies = new Map(memories.map((copy) => [copy.memory.id, copy]));
  const moved = new Map(moves.map((move) => [move.id, move]));
  const lackingIds: string[] = [];
  const ghosts = new Map<string, number>();
  for (const entry of entries) {
    // Who follows the log from a revision that the other store gave is told of everything that came after it.
    log.revision = Math.max(log.revision, entry.revision - 1);
    log.origin = entry.revision;
    const move = moved.get(entry.id);
    if (!move) followEntry({ changes, namespace, ghosts, atUs }, entry, copies.get(entry.id));
    else if (!followMove(changes, namespace, move, atUs, entry.step)) lackingIds.push(entry.id);
  }
  log.origin = 0;
  if (entries.length > 0) return lackingIds;
  for (const copy of copies.values()) {
    const { memory } = copy;
    log.origin = -memory.revision;
    const isNew = bringTo(changes, namespace, copy, { memory, change: 'stored' }, atUs);
    settle(changes, namespace, copy, atUs, { isNew, isTold: false });
  }
  log.origin = 0;
  return lackingIds;
}

interface Following {
  readonly changes: Changes;
  readonly namespace: NamespaceRow;
  /** Memories that were gone before they could be copied, by the keys that their entries get. */
  readonly ghosts: Map<string, number>;
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
        settle(changes, namespace, copy, atUs, { isNew, isTold: false });
      } else noteLost(following, entry);
      return;
    }
    case 'deleted':
    case 'expired':
      eraseCopy(following, entry, entry.kind);
      return;
    case 'rewritten':
      rewrite(following, entry);
      return;
    case 'released':
    case 'namespace_deleted':
    case 'namespace_emptied':
      return;
    default:
      noteTouch(following, entry, copy);
  }
}

/** The state that an entry left, unless it was erased since. */
function stateAt({ memory, past }: MirroredMemory, revision: number): PastState | undefined {
  if (memory.revision === revision) return { memory, change: past.length > 0 ? 'updated' : 'stored' };
  return past.find((state) => state.memory.revision === revision);
}

/** Readers of the log are told of a state that nobody has any more, as of one that was erased here. */
function noteLost(following: Following, { id, kind, revision }: HotEntry): void {
  const { changes, namespace, ghosts, atUs } = following;
  const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
  if (row) {
    if (row.revision < revision && kind === 'updated') {
      changes.log.append('touched', { namespaceKey: namespace.key, pk: row.pk, id, atUs });
    }
    return;
  }
  const pk = ghosts.get(id) ?? rowKey(namespace.key, changes.takeSequences(namespace, 1));
  ghosts.set(id, pk);
  changes.log.append('stored', { namespaceKey: namespace.key, pk, id, atUs });
}

function eraseCopy(
  { changes, namespace, ghosts, atUs }: Following,
  { id, revision }: HotEntry,
  kind: 'deleted' | 'expired',
): void {
  const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
  // One that came after it is another memory.
  if (row && row.revision > revision) return;
  if (row) eraseMemory(changes, namespace.key, row.pk);
  const pk = row?.pk ?? ghosts.get(id);
  ghosts.delete(id);
  if (pk !== undefined) changes.log.append(kind, { namespaceKey: namespace.key, pk, id, atUs });
}

/** What is at home here becomes what another server has made of its own; one that is not there was never here. */
function rewrite({ changes, namespace, atUs }: Following, { id, revision, state }: HotEntry): void {
  const { database } = changes;
  const known = currentRow(database).get({ namespace_key: namespace.key, id });
  const row = known && state && known.revision < revision ? readWholeRow(database, known.pk) : undefined;
  if (!row || !state) return;
  const { pk } = row;
  const { memory: before, isDamaged: dropsFormer } = memoryOrRest(namespace.name, row);
  const { tier, retrievalCount, lastAccessedAtUs: _, ...rest } = before;
  const { lastAccessedAtUs: __, ...made } = state.memory;
  const { lastAccessedAtUs } = before;
  const used = { tier, retrievalCount, ...(lastAccessedAtUs !== undefined && { lastAccessedAtUs }) };
  const vector = { embedding: made.embedding ?? null, embeddingPending: state.embeddingPending };
  const after = { ...made, namespace: rest.namespace, ...used };
  const change = { pk, before, after, state: stateOf(row.embedding_state), vector, dropsFormer, atUs };
  changeMemory(changes, namespace, change);
  updateMemoryRow(database, pk, { revision });
}

/** A change of what no state of the memory tells: its tier, its vector, how often it was read. */
function noteTouch({ changes, namespace, atUs }: Following, entry: HotEntry, copy: MirroredMemory | undefined): void {
  const { id, kind } = entry;
  const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
  if (!row && copy && kind === 'moved') {
    // From long-term memory of another server: nothing tells of it before.
    const { memory } = copy;
    const isNew = bringTo(changes, namespace, copy, { memory, change: 'stored' }, atUs);
    settle(changes, namespace, copy, atUs, { isNew, isTold: false });
  }
  if (!row) return;
  const step = kind === 'moved' ? untoldStep(changes, namespace, entry, tierOf(row.tier), copy) : undefined;
  if (copy && row.revision === copy.memory.revision)
    settle(changes, namespace, copy, atUs, { isNew: false, isTold: true, step });
  else {
    const note = { namespaceKey: namespace.key, pk: row.pk, id, atUs, step };
    changes.log.append(step ? 'moved' : 'touched', note);
  }
}
