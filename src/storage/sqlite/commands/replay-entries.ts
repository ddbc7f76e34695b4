import type { Tier } from '../../../memory/memory.ts';
import type { PastState } from '../../memory-store.ts';
import type { CopiesWrite } from '../../record-copies.ts';
import type { MemoryCopy, RecordEntry, RecordPosition } from '../../record-log.ts';
import type { TierStep } from '../../tier-store.ts';
import { eraseMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { currentRow } from '../memory-rows.ts';
import { type NamespaceRow, readNamespace } from '../namespace-rows.ts';
import { tierOf } from '../rows.ts';
import { rowKey } from '../schema.ts';
import { bringTo, settle } from './copy-states.ts';

/** Of memories that were erased before they could be copied: no memory has it, as copies keep their sequences. */
const ERASED_SEQUENCE = 0;

/**
 * Applies the entries of the log of the records in order; without entries, brings the copies to the states in the write.
 * Applying an entry twice changes nothing.
 */
function replay(
  changes: Changes,
  namespace: NamespaceRow,
  { entries, memories, atUs }: Pick<CopiesWrite, 'entries' | 'memories' | 'atUs'>,
): void {
  const { log } = changes;
  const copies = new Map(memories.map((copy) => [copy.memory.id, copy]));
  const ghosts = new Map<string, number>();
  for (const entry of entries) {
    // A reader that follows the log from a revision of the records receives everything after that revision.
    log.revision = Math.max(log.revision, entry.revision - 1);
    log.origin = entry.revision;
    // A copy may be made long after the write.
    followEntry({ changes, namespace, ghosts, atUs: entry.atUs ?? atUs }, entry, copies.get(entry.id));
  }
  log.origin = 0;
  if (entries.length > 0) return;
  for (const copy of copies.values()) {
    const { memory } = copy;
    log.origin = -memory.revision;
    const before = log.revision;
    const isNew = bringTo(changes, namespace, copy, { memory, change: 'stored' }, atUs);
    settle(changes, namespace, copy, atUs, { isNew, hasEntry: false, isSilent: log.revision === before });
  }
  log.origin = 0;
}

interface Following {
  readonly changes: Changes;
  readonly namespace: NamespaceRow;
  /** Memories that were erased before they could be copied, by the row keys of their entries. */
  readonly ghosts: Map<string, number>;
  readonly atUs: number;
}

function followEntry(following: Following, entry: RecordEntry, copy: MemoryCopy | undefined): void {
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
    default:
      noteTouch(following, entry, copy);
  }
}

/** The state after an entry, unless it was erased since. */
function stateAt({ memory, past }: MemoryCopy, revision: number): PastState | undefined {
  if (memory.revision === revision) return { memory, change: past.length > 0 ? 'updated' : 'stored' };
  return past.find((state) => state.memory.revision === revision);
}

/** Readers of the log get the change whose state no store holds any more, as one of a memory that was erased since. */
function noteLost(
  following: Following,
  { id, kind, revision }: RecordEntry & { readonly kind: 'stored' | 'updated' },
): void {
  const { changes, namespace, ghosts, atUs } = following;
  const { database, log } = changes;
  const row = currentRow(database).get({ namespace_key: namespace.key, id });
  if (row && (kind === 'stored' || row.revision >= revision)) return;
  if (isInLog(changes, namespace)) return;
  const pk = row?.pk ?? ghosts.get(id) ?? rowKey(namespace.key, ERASED_SEQUENCE);
  if (!row) ghosts.set(id, pk);
  log.append(kind, { namespaceKey: namespace.key, pk, id, atUs });
}

function eraseCopy(following: Following, { id, revision }: RecordEntry, kind: 'deleted' | 'expired'): void {
  const { changes, namespace, ghosts, atUs } = following;
  const { database, log } = changes;
  const row = currentRow(database).get({ namespace_key: namespace.key, id });
  // A newer memory has taken the id.
  if (row && row.revision > revision) return;
  if (row) eraseMemory(changes, namespace.key, row.pk);
  // The other entries of the memory may be on a former page, or cut from the log: readers that have seen it need this one.
  const isUnknown = !row && !isInLog(changes, namespace);
  const pk = row?.pk ?? ghosts.get(id) ?? (isUnknown ? rowKey(namespace.key, ERASED_SEQUENCE) : undefined);
  ghosts.delete(id);
  if (pk !== undefined) log.append(kind, { namespaceKey: namespace.key, pk, id, atUs });
}

/** Applies a change outside the state of the memory: of its tier, its vector or its number of reads. */
function noteTouch({ changes, namespace, atUs }: Following, entry: RecordEntry, copy: MemoryCopy | undefined): void {
  const { id, kind } = entry;
  const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
  if (!row && copy && kind === 'moved') {
    // Its bytes were damaged when its earlier entries were followed.
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
  { step }: RecordEntry,
  from: Tier,
  copy: MemoryCopy | undefined,
): TierStep | undefined {
  if (loggedMove(database).get({ key, origin: log.origin })) return undefined;
  const to = copy?.memory.tier ?? from;
  return step ?? (from === to ? undefined : { from, to });
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

export function copiesPosition(database: SqliteDatabase, namespace: string): RecordPosition | undefined {
  const namespace_key = readNamespace(database, namespace)?.key;
  return namespace_key === undefined ? undefined : positionRow(database).get({ namespace_key });
}

/** Applies the log of records to the copies of their memories. */
export function applyCopies(changes: Changes, write: CopiesWrite): { revision: number } {
  const { database, log } = changes;
  const { epoch, position, gapFrom, atUs, revisionFloor = 0 } = write;
  log.revision = Math.max(log.revision, revisionFloor);
  const namespace = changes.namespace(write.namespace);
  const ofNamespace = { namespaceKey: namespace.key, id: namespace.name, atUs };
  if (gapFrom !== undefined) {
    log.origin = gapFrom;
    log.append('gap', ofNamespace);
    log.origin = 0;
  }
  if (write.updatesNamespace) log.append('namespaceUpdated', ofNamespace);
  replay(changes, namespace, write);
  // Callers know the revision of the records.
  log.revision = Math.max(log.revision, write.revision);
  const known = completeRow(database).get({ namespace_key: namespace.key })?.complete_from ?? 0;
  setPosition(database).run({
    namespace_key: namespace.key,
    epoch,
    position,
    complete_from: write.completeFrom ?? known,
  });
  return { revision: log.revision };
}
