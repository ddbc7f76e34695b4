import { bytesOfChange } from '../../../change-log/change-feed.ts';
import type { Change, ChangeKind, ChangeLog, ChangePage, ChangeRead } from '../../../change-log/change-log.ts';
import { compactedFor, isDamage } from '../../../memory/errors.ts';
import type { Memory } from '../../../memory/memory.ts';
import type { TierStep } from '../../tier-store.ts';
import { CHANGE, readCompactedRevision, readRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { memoryOfFormerState } from '../former-state.ts';
import { rowByKey } from '../memory-rows.ts';
import { prepared, queries } from '../prepared.ts';
import { type MemoryRow, memoryOrRest, tierOf } from '../rows.ts';

/** Entries of other namespaces that one read passes over at most. */
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

const COLUMNS = ['revision', 'kind', 'namespace_key', 'pk', 'id', 'at_us', 'former', 'origin'] as const;
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
  // Read first: revisions that have no entry are passed over, those that come meanwhile are not.
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
  const { revision, pk, id, at_us: atUs, former, origin } = entry;
  const step = stepOf(entry);
  // A memory in another form in the same tier, or moved before its tiers were noted, is for those who are told of everything.
  const kind = KINDS.get(entry.kind) ?? (step ? 'moved' : 'touched');
  const state = pk === 0 || kind === 'deleted' || kind === 'expired' ? undefined : stateAt(database, namespace, entry);
  const memory = state && step ? { ...state, tier: step.to } : state;
  return {
    revision,
    kind,
    id,
    atUs,
    ...(memory ? { memory } : {}),
    ...(origin > 0 ? { origin } : {}),
    ...(origin < 0 ? { copiedRevision: -origin } : {}),
    ...(former === null ? {} : readableFormer(namespace, id, former)),
    ...(step && { formerTier: step.from }),
  };
}

function stepOf({ tier_from, tier_to }: Entry): TierStep | undefined {
  if (tier_from === null || tier_to === null) return undefined;
  return { from: tierOf(tier_from), to: tierOf(tier_to) };
}

/** The state that an entry left is the former one of the next update; without such it is still the current one. */
function stateAt(database: SqliteDatabase, namespace: string, { pk, id, revision, origin }: Entry): Memory | undefined {
  const row = rowByKey(database).get({ pk });
  // A copy has the revision of where it comes from.
  if (!row || row.revision <= (origin > 0 ? origin : revision)) return row && readable(namespace, row);
  const later = laterFormer(database).get({ pk, revision })?.former;
  return later ? readableFormer(namespace, id, later).former : readable(namespace, row);
}

/** One damaged memory must not keep the log from those who follow it. */
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
