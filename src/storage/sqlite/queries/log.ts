import { sql } from '#kysely';
import { compactedFor, historyLost, isDamage, revisionAhead } from '../../../memory/errors.ts';
import type { Memory } from '../../../memory/memory.ts';
import { bytesOfChange } from '../../change-log/change-feed.ts';
import type {
  Change,
  ChangeKind,
  ChangeLog,
  ChangePage,
  ChangeRead,
  LogPlace,
  LogStretch,
  MeasureRead,
  WatchedNamespace,
} from '../../change-log/change-log.ts';
import { memoryOfFormerState } from '../../rules/former-state.ts';
import type { TierStep } from '../../tiers.ts';
import { CHANGE, endOfTerm, readCompactedRevision, readRevision, termOf } from '../change-log.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { rowByKey } from '../memory-rows.ts';
import { type MemoryRow, memoryOrRest, tierOf } from '../rows.ts';

/** Maximum entries of other namespaces that one read skips. */
const PASSED_MAX = 20_000;

const KINDS = new Map<number, ChangeKind>([
  [CHANGE.stored, 'stored'],
  [CHANGE.updated, 'updated'],
  [CHANGE.deleted, 'deleted'],
  [CHANGE.expired, 'expired'],
  [CHANGE.embedded, 'embedded'],
  [CHANGE.touched, 'touched'],
  [CHANGE.namespaceCreated, 'namespace_created'],
  [CHANGE.namespaceUpdated, 'namespace_updated'],
  [CHANGE.namespaceDeleted, 'namespace_deleted'],
  [CHANGE.vectorsReplaced, 'vectors_replaced'],
  [CHANGE.gap, 'gap'],
]);

const COLUMNS = [
  'revision',
  'kind',
  'namespace_key',
  'pk',
  'id',
  'at_us',
  'former',
  'origin',
  'copied_revision',
] as const;
const ENTRY = [...COLUMNS, 'tier_from', 'tier_to'] as const;
const entriesOf = prepared((p: { key: number; after: number; through: number; limit: number }) =>
  queries
    .selectFrom('change_log')
    .select(ENTRY)
    .where('revision', '>', p.after)
    .where('revision', '<=', p.through)
    .where('namespace_key', '=', p.key)
    .orderBy('revision')
    .limit(p.limit),
);
const entries = prepared((p: { after: number; limit: number }) =>
  queries.selectFrom('change_log').select(ENTRY).where('revision', '>', p.after).orderBy('revision').limit(p.limit),
);
const laterFormer = prepared((p: { pk: number; revision: number }) =>
  queries
    .selectFrom('change_log')
    .select('former')
    .where('pk', '=', p.pk)
    .where('revision', '>', p.revision)
    .where('former', 'is not', null)
    .orderBy('revision')
    .limit(1),
);

type Entry = ReturnType<ReturnType<typeof entries>['all']>[number];

export function readChanges(
  database: SqliteDatabase,
  { namespace, afterRevision, limit, bytesMax }: ChangeRead,
): ChangePage {
  checkKept(database, afterRevision);
  const through = Math.min(readRevision(database), afterRevision + PASSED_MAX);
  const changes: Change[] = [];
  let bytes = 0;
  for (const entry of entriesOf(database).iterate({ key: namespace.key, after: afterRevision, through, limit })) {
    const change = changeOf(database, namespace.name, entry);
    changes.push(change);
    bytes += bytesOfChange(change);
    if (changes.length === limit || bytes >= bytesMax) return { changes, throughRevision: entry.revision };
  }
  return { changes, throughRevision: Math.max(through, afterRevision) };
}

export function readTail(
  database: SqliteDatabase,
  { namespaces, afterRevision, limit, bytesMax }: Parameters<ChangeLog['readTail']>[0],
): { changes: Map<number, Change[]>; throughRevision: number } {
  const changes = new Map<number, Change[]>();
  // Read first: this skips revisions without an entry, but no entries that are added meanwhile.
  const through = readRevision(database);
  let last = afterRevision;
  let count = 0;
  let bytes = 0;
  for (const entry of entries(database).iterate({ after: afterRevision, limit })) {
    last = entry.revision;
    count++;
    const name = namespaces.get(entry.namespace_key);
    if (name === undefined) continue;
    const ofNamespace = changes.get(entry.namespace_key) ?? [];
    if (ofNamespace.length === 0) changes.set(entry.namespace_key, ofNamespace);
    const change = changeOf(database, name, entry);
    ofNamespace.push(change);
    bytes += bytesOfChange(change);
    if (bytes >= bytesMax) return { changes, throughRevision: last };
  }
  return { changes, throughRevision: count === limit ? last : Math.max(last, through) };
}

function checkKept(database: SqliteDatabase, afterRevision: number): void {
  const compacted = readCompactedRevision(database);
  if (afterRevision >= compacted) return;
  throw compactedFor(afterRevision, compacted);
}

function changeOf(database: SqliteDatabase, namespace: string, entry: Entry): Change {
  const { revision, pk, id, at_us: atUs, former, origin, copied_revision } = entry;
  const step = stepOf(entry);
  // A changed resolution within a tier, and a move without recorded tiers, are only for readers of every change.
  const kind = KINDS.get(entry.kind) ?? (step ? 'moved' : 'touched');
  const state = pk === 0 || kind === 'deleted' || kind === 'expired' ? undefined : stateAt(database, namespace, entry);
  const memory = state && step ? { ...state, tier: step.to } : state;
  return {
    revision,
    kind,
    id,
    atUs,
    memory,
    origin: origin ?? undefined,
    copiedRevision: copied_revision ?? undefined,
    ...(former === null ? {} : readableFormer(namespace, id, former)),
    formerTier: step?.from,
  };
}

function stepOf({ tier_from, tier_to }: Entry): TierStep | undefined {
  if (tier_from === null || tier_to === null) return undefined;
  return { from: tierOf(tier_from), to: tierOf(tier_to) };
}

/** The state after an entry is the former state of the next update; without a later update it is the current one. */
function stateAt(
  database: SqliteDatabase,
  namespace: string,
  { pk, id, kind, revision, origin, former }: Entry,
): Memory | undefined {
  const row = rowByKey(database).get({ pk });
  // An update that could not be copied any more: the memory was erased at the other store, which a later entry says.
  if (row && origin !== null && origin > row.revision && kind === CHANGE.updated && former === null) return undefined;
  // A copy has the revision of its origin.
  if (!row || row.revision <= (origin ?? revision)) return row && readable(namespace, row);
  const later = laterFormer(database).get({ pk, revision })?.former;
  return later ? readableFormer(namespace, id, later).former : readable(namespace, row);
}

/** One damaged memory must not block readers of the log. */
function readableFormer(namespace: string, id: string, json: string): Pick<Change, 'former'> {
  try {
    return { former: memoryOfFormerState(namespace, id, json) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return {};
  }
}

function readable(namespace: string, row: MemoryRow): Memory | undefined {
  const { memory, isDamaged } = memoryOrRest(namespace, row);
  return isDamaged ? undefined : memory;
}

const logId = prepared((_: object) => queries.selectFrom('meta').select('value').where('key', '=', 'log_id'));
const followed = prepared((p: { key: number }) =>
  queries.selectFrom('mirror').select(['epoch', 'position', 'complete_from']).where('namespace_key', '=', p.key),
);
const nextCopied = prepared((p: { key: number; after: number }) =>
  queries
    .selectFrom('change_log')
    .select((eb) => eb.ref('origin').$notNull().as('origin'))
    .where('revision', '>', p.after)
    .where('namespace_key', '=', p.key)
    .where('origin', 'is not', null)
    .orderBy('revision')
    .limit(1),
);
const firstBehind = prepared((p: { key: number; origin: number }) =>
  queries
    .selectFrom('change_log')
    .select((eb) => eb.fn.min('revision').as('revision'))
    .where('namespace_key', '=', p.key)
    .where('origin', '>', p.origin),
);

export function placeAt(database: SqliteDatabase, { key }: WatchedNamespace, revision: number): LogPlace {
  const log = readLogId(database);
  const term = termOf(database, revision);
  const mirror = followed(database).get({ key });
  if (!mirror) return { log, revision, epoch: '', origin: 0, term };
  const next = nextCopied(database).get({ key, after: revision });
  const origin = next ? next.origin - 1 : Number.parseInt(mirror.position, 10);
  return { log, revision, epoch: mirror.epoch, origin, term };
}

/** The last revision of this log before all entries that follow the place, and after all entries up to the place. */
export function revisionAt(database: SqliteDatabase, { key }: WatchedNamespace, place: LogPlace): number {
  if (place.log === readLogId(database)) return ownRevision(database, place);
  const mirror = followed(database).get({ key });
  const compacted = readCompactedRevision(database);
  if (!mirror || place.epoch === '' || mirror.epoch !== place.epoch) throw compactedFor(place.revision, compacted);
  const reached = Number.parseInt(mirror.position, 10);
  if (reached < place.origin) throw revisionAhead(place.origin, reached);
  const isForgotten = () => {
    const kept = nextCopied(database).get({ key, after: compacted });
    return place.origin < (kept ? kept.origin - 1 : reached);
  };
  // The revision of an entry here is never below its origin, and may be far above it where other namespaces have more.
  if (place.origin < mirror.complete_from || (place.origin < compacted && isForgotten())) {
    throw compactedFor(place.revision, compacted);
  }
  const first = firstBehind(database).get({ key, origin: place.origin })?.revision;
  return first ? Number(first) - 1 : readRevision(database);
}

/** A place of this folder's log: the history before it must be the same as when the place was returned. */
function ownRevision(database: SqliteDatabase, { revision, term }: LogPlace): number {
  // A place before all entries.
  if (term === '') return revision;
  const newest = readRevision(database);
  const end = endOfTerm(database, term, newest);
  if (end !== undefined && revision <= end) return revision;
  const compacted = readCompactedRevision(database);
  // Compaction deletes terms; a reader that continues there gets REVISION_COMPACTED.
  if (end === undefined && revision < compacted) return revision;
  throw historyLost(revision, compacted, newest);
}

export function readLogId(database: SqliteDatabase): string {
  return Number(logId(database).get({})?.value ?? 0).toString(36);
}

/** Approximate bytes of an entry without its id and its former state. */
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

const changedRows = prepared((p: { after: number; limit: number; deleted: number }) =>
  queries
    .selectFrom((eb) =>
      eb
        .selectFrom('change_log')
        .select('namespace_key')
        .select((e) => e.case().when('kind', '=', p.deleted).then(e.ref('id')).end().as('deleted_name'))
        .where('revision', '>', p.after)
        .limit(p.limit)
        .as('stretch'),
    )
    .leftJoin('namespace', 'namespace.key', 'stretch.namespace_key')
    .select((eb) => eb.fn.coalesce('namespace.name', eb.fn.max('stretch.deleted_name')).as('name'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy('stretch.namespace_key'),
);

export function changedNamespaces(
  database: SqliteDatabase,
  { afterRevision, limit }: { afterRevision: number; limit: number },
): string[] | undefined {
  if (afterRevision < readCompactedRevision(database)) return undefined;
  const rows = changedRows(database).all({ after: afterRevision, limit, deleted: CHANGE.namespaceDeleted });
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  // The entry of a deletion has the name of the namespace; one that came again under its name has two keys.
  const names = rows.flatMap(({ name }) => (name === null ? [] : [name]));
  return count < limit && names.length === rows.length ? [...new Set(names)] : undefined;
}

/** The kind is part of the query, so that the index of a view (`view-folder.ts`) can be used. */
const deletionOf = prepared((p: { id: string }) =>
  queries
    .selectFrom('change_log')
    .select('revision')
    .where('kind', '=', sql.lit(CHANGE.namespaceDeleted))
    .where('id', '=', p.id)
    .limit(1),
);

/** Whether the log has the deletion of a namespace of the name. */
export function hadNamespace(database: SqliteDatabase, name: string): boolean {
  return deletionOf(database).get({ id: name }) !== undefined;
}
