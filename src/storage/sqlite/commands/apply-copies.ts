import type { Tier } from '../../../memory/memory.ts';
import type { CopiesWrite } from '../../record-copies.ts';
import type { MemoryCopy, RecordEntry, RecordPosition } from '../../record-log.ts';
import type { TierStep } from '../../tiers.ts';
import { eraseMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { loadFields } from '../load-memories.ts';
import { type NamespaceRow, readNamespace } from '../namespace-rows.ts';
import { rowKey } from '../schema.ts';
import { appendOf, bringRest, bringTo, type CopiesOf, isLateVector, resizeCopy, stateOf } from './bring-copy.ts';

/** Of memories that were erased before they could be copied: no memory has it, as copies keep their sequences. */
const ERASED_SEQUENCE = 0;

interface Following extends CopiesOf {
  /** Sequences in the entries of memories that were erased before they could be copied, by id. */
  readonly ghosts: Map<string, number>;
}

/** Applies the entries of the log of the records in order. Applying an entry twice changes nothing. */
function followAll(of: CopiesOf, { entries, memories, atUs }: CopiesWrite): void {
  const { log } = of.changes;
  const copies = new Map(memories.map((copy) => [copy.memory.id, copy]));
  const ghosts = new Map<string, number>();
  for (const entry of entries) {
    // A reader that follows the log from a revision of the records receives everything after that revision.
    log.revision = Math.max(log.revision, entry.revision - 1);
    // A copy may be made long after the write.
    followEntry({ ...of, ghosts, atUs: entry.atUs ?? atUs }, entry, copies.get(entry.id));
  }
}

function followEntry(of: Following, entry: RecordEntry, copy: MemoryCopy | undefined): void {
  switch (entry.kind) {
    case 'stored':
    case 'updated': {
      const states = copy ? [copy, ...copy.past] : [];
      // The state is lost where the memory was erased since.
      if (copy && states.some(({ memory }) => memory.revision === entry.revision))
        bring(of, entry, copy, entry.revision);
      else noteLost(of, entry, entry.kind);
      return;
    }
    case 'deleted':
    case 'expired':
      eraseCopy(of, entry, entry.kind);
      return;
    default:
      noteTouch(of, entry, copy);
  }
}

/** Brings the copy to a state by the entry. */
function bring(of: CopiesOf, { kind, revision: origin }: RecordEntry, copy: MemoryCopy, revision: number): void {
  // A memory that was erased during the read has lost its former states.
  const isTorn = kind === 'updated' && copy.past.length === 0;
  bringTo(of, copy, { revision, isTorn }, (each) => (each === revision ? { origin } : {}));
}

/** Readers of the log get the change whose state no store holds any more, as one of a memory that was erased since. */
function noteLost(of: Following, { id, revision }: RecordEntry, kind: 'stored' | 'updated'): void {
  const { changes, namespace, ghosts } = of;
  const known = loadFields(changes, namespace, id);
  if (known && (kind === 'stored' || known.memory.revision >= revision)) return;
  if (isInLog(changes, namespace, revision)) return;
  const sequence = known?.sequence ?? ghosts.get(id) ?? ERASED_SEQUENCE;
  if (!known) ghosts.set(id, sequence);
  appendOf(of, kind, { id, sequence }, { origin: revision });
}

function eraseCopy(of: Following, { id, revision }: RecordEntry, kind: 'deleted' | 'expired'): void {
  const { changes, namespace, ghosts } = of;
  const known = loadFields(changes, namespace, id);
  // A newer memory has taken the id.
  if (known && known.memory.revision > revision) return;
  if (known) eraseMemory(changes, namespace.key, rowKey(namespace.key, known.sequence));
  // The other entries of the memory may be on a former page, or cut from the log: readers that have seen it need this one.
  const isUnknown = !known && !isInLog(changes, namespace, revision);
  const sequence = known?.sequence ?? ghosts.get(id) ?? (isUnknown ? ERASED_SEQUENCE : undefined);
  ghosts.delete(id);
  if (sequence !== undefined) appendOf(of, kind, { id, sequence }, { origin: revision });
}

/** Applies a change outside the state of the memory: of its tier, its vector or its number of reads. */
function noteTouch(of: CopiesOf, entry: RecordEntry, copy: MemoryCopy | undefined): void {
  const { changes, namespace } = of;
  const { id } = entry;
  const known = loadFields(changes, namespace, id);
  if (!known) {
    // Its bytes were damaged when its earlier entries were followed.
    if (copy && entry.kind === 'moved') bring(of, entry, copy, copy.memory.revision);
    return;
  }
  const step = entry.kind === 'moved' ? unloggedStep(of, entry, known.memory.tier, copy) : undefined;
  const source = { origin: entry.revision };
  const own = { id, sequence: known.sequence };
  if (!copy || known.memory.revision !== copy.memory.revision) {
    appendOf(of, step ? 'moved' : 'touched', { ...own, step }, source);
    return;
  }
  const [isLate, isMoved] = [isLateVector(known, copy), known.memory.tier !== copy.memory.tier];
  bringRest(of, known, copy, true);
  // The form stays where only read statistics have changed.
  const form = isMoved || known.state !== stateOf(copy) ? resizeCopy(of, copy, known.sequence) : 'moved';
  if (isMoved && !isLate) {
    // A move has one entry, which also says whether recall ranks on other data now.
    appendOf(of, form, { ...own, step }, source);
    return;
  }
  if (isLate) {
    // The entry becomes that of the vector, which arrived meanwhile.
    if (step) appendOf(of, 'moved', { ...own, step });
    appendOf(of, 'embedded', own, source);
    // The copy is in the target tier already, for example after a second move.
  } else appendOf(of, step ? 'moved' : 'touched', { ...own, step }, source);
  if (form !== 'moved') appendOf(of, form, own);
}

/** Brings copies to the states in the write. */
function bringAll(of: CopiesOf, { memories }: Pick<CopiesWrite, 'memories'>): void {
  for (const copy of memories) {
    const { id, revision } = copy.memory;
    if (bringTo(of, copy, { revision }, (each) => ({ copiedRevision: each }))) continue;
    const known = loadFields(of.changes, of.namespace, id);
    if (known?.memory.revision !== revision) continue;
    const own = { id, sequence: known.sequence };
    const isLate = isLateVector(known, copy);
    bringRest(of, known, copy, isLate);
    // A vector that was computed later has no state: without its entry, the copies differ in it alone.
    if (isLate) appendOf(of, 'embedded', own, { copiedRevision: revision });
    if (isOtherwise(known.memory, copy.memory)) appendOf(of, 'touched', own);
    const form = resizeCopy(of, copy, known.sequence);
    if (form !== 'moved') appendOf(of, form, own);
  }
}

/** Readers of the log, such as columns of filters, have tiers and read statistics. */
function isOtherwise(one: MemoryCopy['memory'], other: MemoryCopy['memory']): boolean {
  if (one.tier !== other.tier || one.retrievalCount !== other.retrievalCount) return true;
  return one.lastAccessedAtUs !== other.lastAccessedAtUs;
}

const logged = (p: { key: number; origin: number }) =>
  queries
    .selectFrom('change_log')
    .select('revision')
    .where('namespace_key', '=', p.key)
    .where('origin', '=', p.origin)
    .limit(1);
const loggedEntry = prepared(logged);
const loggedMove = prepared((p: Parameters<typeof logged>[0]) => logged(p).where('tier_to', 'is not', null));

/** Whether the log has the entry of the records: entries are replayed when a batch fails. */
function isInLog({ database }: Changes, { key }: NamespaceRow, origin: number): boolean {
  return loggedEntry(database).get({ key, origin }) !== undefined;
}

/** The tier step of a followed move. `undefined` where the log has its entry already, and where the tier stays. */
function unloggedStep(
  { changes, namespace: { key } }: CopiesOf,
  { step, revision }: RecordEntry,
  from: Tier,
  copy: MemoryCopy | undefined,
): TierStep | undefined {
  if (loggedMove(changes.database).get({ key, origin: revision })) return undefined;
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
  if (gapFrom !== undefined) log.append('gap', { ...ofNamespace, origin: gapFrom });
  if (write.updatesNamespace) log.append('namespaceUpdated', ofNamespace);
  const of = { changes, namespace, atUs };
  if (write.entries.length > 0) followAll(of, write);
  else bringAll(of, write);
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
