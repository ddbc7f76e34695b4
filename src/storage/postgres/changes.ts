import { TIERS } from '../../memory/memory.ts';
import type { RecordChanges, RecordEntry, RecordPosition } from '../record-log.ts';
import type { PostgresAccess } from './core.ts';
import { queries, type Session } from './database.ts';
import { namespaceOf } from './namespace-rows.ts';
import { copiesOf, readNamespace, sizesOf } from './reads.ts';
import type { ChangeLogTable, NamespaceTable } from './schema.ts';
import { LOGGED_KINDS } from './write-draft.ts';

/** Maximum log entries of one step, and the bytes of their memories; at least some entries, however large. */
const STEP = 500;
const STEP_BYTES = 16_777_216;
const STEP_LEAST = 8;

type ChangesRead = { readonly namespace: string; readonly since?: RecordPosition };

/** The changes of a namespace since a position, which is a revision of its log. */
export async function changesOf(
  access: Pick<PostgresAccess, 'read' | 'snapshot'>,
  read: ChangesRead,
): Promise<RecordChanges> {
  const none = await access.read(async (session) => noChanges(await readNamespace(session, read.namespace), read));
  // Entries and memories of one state: of a memory that is erased meanwhile, the view would have no end.
  return none ?? access.snapshot((session) => newChanges(session, read));
}

function positionIn(row: NamespaceTable, { since }: ChangesRead) {
  const epoch = String(row.key);
  const after = since?.epoch === epoch ? Number(since.position) : 0;
  return { after, common: { namespace: namespaceOf(row), revision: row.log_revision, epoch } };
}

/** `undefined` where there are entries behind the position. */
function noChanges(row: NamespaceTable, read: ChangesRead): RecordChanges | undefined {
  const { after, common } = positionIn(row, read);
  const none = { ...common, position: String(after), entries: [], memories: [] };
  if (after < row.log_start) return { ...none, hasMore: true, cut: row.log_start };
  return row.log_revision <= after ? { ...none, hasMore: false } : undefined;
}

async function newChanges(session: Session, read: ChangesRead): Promise<RecordChanges> {
  const { namespace: name } = read;
  const row = await readNamespace(session, name);
  const none = noChanges(row, read);
  if (none) return none;
  const { after, common } = positionIn(row, read);
  const found = await session.run(entriesAfter(row.key, after));
  const rows = found.slice(0, await countWithin(session, row, found, after));
  const hasMore = found.length === STEP || rows.length < found.length;
  const entries = rows.flatMap(entryIn);
  const ids = [...new Set(entries.map(({ id }) => id))];
  const copies = ids.length === 0 ? [] : await copiesOf(session, { namespace: name, ids, after });
  return {
    ...common,
    // Behind the last entry, the log may have come to a revision without one.
    position: String(Math.max(rows.at(-1)?.revision ?? after, hasMore ? 0 : row.log_revision)),
    entries,
    ...(hasKind(rows, 'vectors_replaced') && { replacesVectors: true }),
    ...(hasKind(rows, 'namespace_updated') && { updatesNamespace: true }),
    memories: copies,
    hasMore,
  };
}

function hasKind(rows: readonly ChangeLogTable[], wanted: OfNamespace): boolean {
  return rows.some(({ kind }) => LOGGED_KINDS[kind] === wanted);
}

function entriesAfter(key: number, after: number) {
  return queries
    .selectFrom('change_log')
    .selectAll()
    .where('namespace_key', '=', key)
    .where('revision', '>', after)
    .orderBy('revision')
    .limit(STEP);
}

type Kind = (typeof LOGGED_KINDS)[number];
type OfNamespace = 'namespace_created' | 'namespace_updated' | 'vectors_replaced';

function isOfNamespace(kind: Kind): kind is OfNamespace {
  return kind === 'namespace_created' || kind === 'namespace_updated' || kind === 'vectors_replaced';
}

/** Nothing for a change of the namespace itself. */
function entryIn({ id, revision, kind: number, tier_from, tier_to }: ChangeLogTable): RecordEntry[] {
  const kind = LOGGED_KINDS[number];
  if (kind === undefined || isOfNamespace(kind)) return [];
  const [from, to] = [tier_from, tier_to].map((tier) => (tier === null ? undefined : TIERS[tier]));
  return [{ id, kind, revision, ...(from && to && { step: { from, to } }) }];
}

/** Number of entries whose memories, with their new former states, have about `STEP_BYTES`. */
async function countWithin(
  session: Session,
  row: NamespaceTable,
  entries: readonly ChangeLogTable[],
  after: number,
): Promise<number> {
  if (entries.length <= STEP_LEAST) return entries.length;
  const ids = [...new Set(entries.map(({ id }) => id))];
  const sizes = new Map(await sizesOf(session, row, ids, after));
  let sum = 0;
  for (const [at, { id }] of entries.entries()) {
    sum += sizes.get(id) ?? 0;
    sizes.delete(id);
    if (sum > STEP_BYTES && at >= STEP_LEAST) return at;
  }
  return entries.length;
}
