import { TIERS } from '../../memory/memory.ts';
import type { HotEntry, MirrorPosition } from '../hot-log.ts';
import type { RecordChanges } from '../record-log.ts';
import { queries, type Session } from './database.ts';
import { namespaceOf } from './namespace-rows.ts';
import { copiesOf, readNamespace } from './reads.ts';
import type { ChangeLogTable } from './schema.ts';
import { LOGGED_KINDS } from './write-draft.ts';

/** Maximum log entries of one step; the bytes of their memories have no limit of their own. */
const STEP = 500;

/** The changes of a namespace since a position, which is a revision of its log. */
export async function changesOf(
  session: Session,
  { namespace: name, since }: { readonly namespace: string; readonly since?: MirrorPosition },
): Promise<RecordChanges> {
  const row = await readNamespace(session, name);
  const epoch = String(row.key);
  const after = since?.epoch === epoch ? Number(since.position) : 0;
  const common = { namespace: namespaceOf(row), revision: row.log_revision, epoch };
  if (row.log_revision <= after)
    return { ...common, position: String(after), entries: [], memories: [], hasMore: false };
  const rows = await session.run(entriesAfter(row.key, after));
  const entries = rows.flatMap(entryIn);
  const ids = [...new Set(entries.map(({ id }) => id))];
  const copies = ids.length === 0 ? [] : await copiesOf(session, { namespace: name, ids });
  return {
    ...common,
    position: String(rows.at(-1)?.revision ?? after),
    entries,
    memories: copies.filter(({ isDamaged }) => !isDamaged),
    hasMore: rows.length === STEP,
  };
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

/** Nothing for a change of the namespace itself. */
function entryIn({ id, revision, kind: number, tier_from, tier_to }: ChangeLogTable): HotEntry[] {
  const kind = LOGGED_KINDS[number];
  if (kind === undefined || kind === 'namespace_created' || kind === 'namespace_updated') return [];
  const [from, to] = [tier_from, tier_to].map((tier) => (tier === null ? undefined : TIERS[tier]));
  return [{ id, kind, revision, ...(from && to && { step: { from, to } }) }];
}
