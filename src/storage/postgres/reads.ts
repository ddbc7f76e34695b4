import { sql } from '#kysely';
import { isDamage, memoryDamaged, memoryNotFound, namespaceNotFound } from '../../memory/errors.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import type { LoggedRecords, MemoryCopy } from '../record-log.ts';
import type { Namespace, PastState, PendingEmbedding } from '../records.ts';
import { copyOf, type Entry, inView } from '../rules/draft.ts';
import { memoryOfFormerState } from '../rules/former-state.ts';
import { isExpired } from '../rules/memory-rules.ts';
import { wholeOf } from '../rules/unreadable-entry.ts';
import type { Asked } from '../view.ts';
import { queries, type Session } from './database.ts';
import { CHANGES, entryOf, type LoadedRow, selectMemories, spaceOf } from './memory-rows.ts';
import { findNamespace, namespaceOf } from './namespace-rows.ts';
import type { MemoryRevisionTable, NamespaceTable } from './schema.ts';
import { postpone } from './upkeep.ts';

/** Fails with NAMESPACE_NOT_FOUND. */
export async function readNamespace(session: Session, name: string): Promise<NamespaceTable> {
  const row = await findNamespace(session, name);
  if (!row) throw namespaceNotFound(name);
  return row;
}

export async function listNamespaces(
  session: Session,
  { limit, afterName = '' }: Asked<'listNamespaces'>,
): Promise<Namespace[]> {
  const query = queries.selectFrom('namespace').selectAll().where('name', '>', afterName).orderBy('name').limit(limit);
  return (await session.run(query)).map(namespaceOf);
}

export async function getMemories(
  session: Session,
  { namespace, ids, view, nowUs }: Asked<'get'>,
): Promise<(Memory | undefined)[]> {
  const row = await readNamespace(session, namespace);
  const rows: LoadedRow[] = await session.run(
    selectMemories(row, view).where('m.id', '=', sql<string>`any(${[...new Set(ids)]})`),
  );
  const byId = new Map(rows.map((each) => [each.id, each]));
  return ids.map((id) => {
    const found = byId.get(id);
    if (!found || isExpired({ expiresAtUs: found.expires_at_us ?? undefined }, nowUs)) return undefined;
    const memory = wholeOf(entryOf(namespaceOf(row), found, view), view);
    return memory && inView(memory, view);
  });
}

export async function revisionsOf(
  session: Session,
  { namespace, id, limit, beforeRevision = Number.MAX_SAFE_INTEGER, nowUs }: Asked<'revisions'>,
): Promise<PastState[]> {
  const row = await readNamespace(session, namespace);
  const [found]: LoadedRow[] = await session.run(selectMemories(row, 'basic').where('m.id', '=', id));
  if (!found || isExpired({ expiresAtUs: found.expires_at_us ?? undefined }, nowUs))
    throw memoryNotFound(namespace, id);
  const entry = entryOf(namespaceOf(row), found, 'basic');
  if (entry.isUnreadable) throw memoryDamaged(namespace, id);
  const present: PastState = {
    memory: entry.memory,
    change: entry.change,
    ...(entry.isDamaged && { isDamaged: true }),
  };
  const states = found.revision < beforeRevision ? [present] : [];
  if (states.length === limit) return states;
  const former = await session.run(formerStates(row.key, found.sequence, beforeRevision, limit - states.length));
  for (const state of former) states.push(stateOf(namespace, entry, state));
  return states;
}

function formerStates(key: number, sequence: number, beforeRevision: number, limit: number) {
  return queries
    .selectFrom('memory_revision')
    .selectAll()
    .where('namespace_key', '=', key)
    .where('sequence', '=', sequence)
    .where('revision', '<', beforeRevision)
    .orderBy('revision', 'desc')
    .limit(limit);
}

/** A state with damaged bytes has the present metadata. */
function stateOf(namespace: string, { memory }: Entry, row: MemoryRevisionTable): PastState {
  const change = CHANGES[row.change] ?? 'stored';
  try {
    return { memory: memoryOfFormerState(namespace, memory.id, row.state), change };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const { content: _, embedding: __, ...rest } = memory;
    return { memory: { ...rest, text: '', revision: row.revision }, change, isDamaged: true };
  }
}

/** Wait before a text that is lost is looked for again: it may be put back. */
const LOST_WAIT_US = 60_000_000;

/** Texts that are lost return to the end of the queue. */
export async function pendingEmbeddings(
  session: Session,
  { limit, nowUs }: Asked<'pendingEmbeddings'>,
): Promise<PendingEmbedding[]> {
  const rows = await session.run(
    queries
      .selectFrom('memory as m')
      .innerJoin('namespace as n', 'n.key', 'm.namespace_key')
      .leftJoin('memory_body as b', (join) =>
        join.onRef('b.namespace_key', '=', 'm.namespace_key').onRef('b.sequence', '=', 'm.sequence'),
      )
      .select(['n.name as namespace', 'm.namespace_key', 'm.sequence', 'm.id', 'm.checksum', 'm.attempts'])
      .select(['b.text', 'b.body_key'])
      .where('m.embedding_state', '=', sql<number>`1`)
      .where('m.not_before_us', '<=', nowUs)
      .where((eb) => eb.or([eb('m.expires_at_us', 'is', null), eb('m.expires_at_us', '>', nowUs)]))
      .orderBy('m.not_before_us')
      .orderBy('m.namespace_key')
      .orderBy('m.sequence')
      .limit(limit),
  );
  const found = rows.map(({ namespace, id, checksum, text, attempts, body_key }) => {
    const isLost = body_key !== null && typeof text !== 'string';
    return { isLost, item: { namespace, id, checksum, text: textOf(text), attempts } };
  });
  const items = (isLost: boolean) => found.filter((each) => each.isLost === isLost).map(({ item }) => item);
  const lost = items(true);
  if (lost.length > 0) await postpone(session, lost, nowUs + LOST_WAIT_US);
  return items(false);
}

/** A text that is lost in its row is embedded as an empty one: its memory is damaged in any case. */
export function textOf(text: string | null | undefined): string {
  return text ?? '';
}

export async function expiredMemories(
  session: Session,
  { limit, nowUs }: { readonly limit: number; readonly nowUs: Micros },
): Promise<{ namespace: string; ids: string[] }[]> {
  const rows = await session.run(
    queries
      .selectFrom('memory as m')
      .innerJoin('namespace as n', 'n.key', 'm.namespace_key')
      .select(['n.name', 'm.id'])
      .where('m.expires_at_us', '<=', nowUs)
      .orderBy('m.expires_at_us')
      .limit(limit),
  );
  const byNamespace = Map.groupBy(rows, ({ name }) => name);
  return [...byNamespace].map(([namespace, found]) => ({ namespace, ids: found.map(({ id }) => id) }));
}

const IDS_AT_ONCE = 1000;

/** Every id that is in the namespace throughout, in the order of storing. */
export async function* idsOf(
  read: <T>(work: (session: Session) => Promise<T>) => Promise<T>,
  namespace: string,
): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const rows = await read(async (session) => {
      const { key } = await readNamespace(session, namespace);
      return session.run(idsAfter(key, after));
    });
    for (const { id } of rows) yield id;
    const last = rows.at(-1);
    if (!last || rows.length < IDS_AT_ONCE) return;
    after = last.sequence;
  }
}

function idsAfter(key: number, after: number) {
  return queries
    .selectFrom('memory')
    .select(['id', 'sequence'])
    .where('namespace_key', '=', key)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(IDS_AT_ONCE);
}

/**
 * Complete copies, with former states, of the existing memories among the ids, in the order of storing, without
 * unreadable ones; a lost body is left out. Readers that have the states up to the revision `after` need only the newest
 * of these.
 */
export async function copiesOf(
  session: Session,
  {
    namespace,
    ids,
    after = 0,
  }: { readonly namespace: string; readonly ids: readonly string[]; readonly after?: number },
): Promise<MemoryCopy[]> {
  const row = await readNamespace(session, namespace);
  const distinct = [...new Set(ids)];
  const rows: LoadedRow[] = await session.run(
    selectMemories(row, 'full').where('m.id', '=', sql<string>`any(${distinct})`).orderBy('m.sequence'),
    { mayLack: true },
  );
  // A memory that was never changed has no former states.
  const changed = rows.filter(({ change }) => CHANGES[change] === 'updated').map(({ sequence }) => sequence);
  const former = changed.length === 0 ? [] : await session.run(formerStatesSince(row.key, changed, after));
  const bySequence = Map.groupBy(former, ({ sequence }) => sequence);
  return rows.flatMap((each) => {
    const entry = entryOf(namespaceOf(row), each, 'full');
    if (entry.isUnreadable) return [];
    const past = (bySequence.get(entry.sequence) ?? []).map((state) => stateOf(namespace, entry, state));
    const sound = past.filter(({ isDamaged }) => !isDamaged);
    return { ...copyOf(entry, sound), damagedStateCount: past.length - sound.length };
  });
}

/** States after a revision, and the newest up to it. */
function formerStatesSince(key: number, sequences: readonly number[], after: number) {
  const newestBefore = sql<number>`coalesce((SELECT max(f.revision) FROM memory_revision f
    WHERE f.namespace_key = r.namespace_key AND f.sequence = r.sequence AND f.revision <= ${after}::bigint), 0)`;
  return queries
    .selectFrom('memory_revision as r')
    .selectAll('r')
    .where('r.namespace_key', '=', key)
    .where('r.sequence', '=', sql<number>`any(${sequences})`)
    .where('r.revision', '>=', newestBefore)
    .orderBy('r.sequence')
    .orderBy('r.revision', 'desc');
}

/** The ids with an entry in the log after a revision. */
export async function loggedIds(
  session: Session,
  { namespace, ids, afterRevision }: Parameters<LoggedRecords['loggedIds']>[0],
): Promise<string[]> {
  const { key } = await readNamespace(session, namespace);
  const rows = await session.run(
    queries
      .selectFrom('change_log')
      .select('id')
      .distinct()
      .where('namespace_key', '=', key)
      .where('revision', '>', afterRevision)
      .where('id', '=', sql<string>`any(${ids}::text[])`),
  );
  return rows.map(({ id }) => id);
}

/** Of all namespaces, also of deleted ones. */
export async function newestRevision(session: Session): Promise<number> {
  const [row] = await session.run(
    queries.selectFrom('meta').select((eb) => [
      'revision_floor',
      eb
        .selectFrom('namespace')
        .select((inner) => inner.fn.max('log_revision').as('newest'))
        .as('newest'),
    ]),
  );
  return Math.max(row?.revision_floor ?? 0, row?.newest ?? 0);
}

/**
 * Bytes of texts, contents, vectors and former states of the memories among the ids. Readers that have the states up to
 * the revision `after` need no older ones.
 */
export async function sizesOf(
  session: Session,
  row: Pick<NamespaceTable, 'key' | 'vector_sign'>,
  ids: readonly string[],
  after = 0,
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.run(
    sql<{ id: string; bytes: number }>`SELECT m.id, (coalesce(b.body_bytes, 0) + coalesce(octet_length(b.text), 0)
        + coalesce(octet_length(b.content), 0) + coalesce(octet_length(v.data), 0)
        + coalesce((SELECT sum(octet_length(r.state)) FROM memory_revision r
          WHERE r.namespace_key = m.namespace_key AND r.sequence = m.sequence AND r.revision > ${after}::bigint), 0))::bigint AS bytes
      FROM memory m
      LEFT JOIN memory_body b ON b.namespace_key = m.namespace_key AND b.sequence = m.sequence
      LEFT JOIN memory_vector v ON v.namespace_key = ${spaceOf(row)} AND v.sequence = m.sequence
      WHERE m.namespace_key = ${row.key} AND m.id = ANY(${ids}::text[])`,
  );
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}
