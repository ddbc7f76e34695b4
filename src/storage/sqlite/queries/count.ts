import { statSync } from 'node:fs';
import { type RawBuilder, sql } from '#kysely';
import { MnemeError } from '../../../memory/errors.ts';
import { admits } from '../../../memory/evaluate-filter.ts';
import type { Scope, Tier } from '../../../memory/memory.ts';
import { SEARCH_SLICE_MS, type Steps } from '../../../memory/slices.ts';
import type { CountRead } from '../../records.ts';
import type { MemoryAccess, StoreStatistics } from '../../view.ts';
import { prepared, prepareOnce, type SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { narrowFilter } from '../narrow-filter.ts';
import { ALWAYS, isExact } from '../narrowing.ts';
import {
  BODY_COLUMNS,
  isSettled,
  MEMORY_COLUMNS,
  type MemoryRow,
  memoryFromRow,
  stateNumber,
  tierOf,
  WIDE_COLUMNS,
} from '../rows.ts';
import type { InOneState } from './list.ts';

/** Keys of memories that are read at a time. */
const KEYS_AT_ONCE = 1000;

/** Number of memories that the filter admits, by tier. Fails with NAMESPACE_NOT_FOUND, DEADLINE_EXCEEDED. */
export function countMemories(database: SqliteDatabase, read: CountRead): Map<Tier, number> {
  for (const steps = countSteps(database, read, (work) => work()); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** As `countMemories`, in steps of some milliseconds, each in one state of the store. */
export function* countSteps(
  database: SqliteDatabase,
  { namespace, filter, nowUs, deadlineAtMs = Number.POSITIVE_INFINITY }: CountRead,
  inOneState: InOneState,
  nowMs = () => performance.now(),
): Steps<Map<Tier, number>> {
  const { key } = inOneState(() => namespaceOf(database, namespace));
  const narrowing = filter ? narrowFilter(filter, key) : ALWAYS;
  const where = sql`memory.namespace_key = ${key} AND ${isSettled} AND ${narrowing.may ?? sql`1`}
    AND (memory.expires_at_us IS NULL OR memory.expires_at_us > ${nowUs})`;
  if (!filter || isExact(narrowing)) return inOneState(() => countedByTier(database, where));
  const counts = new Map<Tier, number>();
  for (let after: number | undefined = 0; after !== undefined; ) {
    if (Date.now() >= deadlineAtMs) throw tooMany();
    const from: number = after;
    after = inOneState(() => {
      let last = from;
      const untilMs = nowMs() + SEARCH_SLICE_MS;
      const keys = keysAfter(database, where, from);
      for (const row of rowsByKey(database).iterate({ keys: JSON.stringify(keys) })) {
        const memory = memoryFromRow(namespace, row);
        if (admits(filter, memory)) counts.set(memory.tier, (counts.get(memory.tier) ?? 0) + 1);
        last = row.pk;
        if (nowMs() >= untilMs && last !== keys.at(-1)) return last;
      }
      return keys.length < KEYS_AT_ONCE ? undefined : last;
    });
    yield;
  }
  return counts;
}

function countedByTier(database: SqliteDatabase, where: RawBuilder<unknown>): Map<Tier, number> {
  const query = sql<{ tier: number; count: number }>`
    SELECT memory.tier, count(*) AS count FROM memory WHERE ${where} GROUP BY memory.tier ORDER BY memory.tier`;
  return new Map(
    prepareOnce(database, query)
      .all({})
      .map(({ tier, count }) => [tierOf(tier), count]),
  );
}

/** Row keys of the next memories. */
function keysAfter(database: SqliteDatabase, where: RawBuilder<unknown>, after: number): number[] {
  const query = sql<{ pk: number }>`SELECT memory.pk FROM memory WHERE ${where} AND memory.pk > ${after}
    ORDER BY memory.pk LIMIT ${KEYS_AT_ONCE}`;
  return prepareOnce(database, query)
    .all({})
    .map(({ pk }) => pk);
}

const rowsByKey = prepared((p: { keys: string }) => {
  const columns = [
    ...MEMORY_COLUMNS.map((name) => sql.ref(`memory.${name}`)),
    ...[...BODY_COLUMNS, ...WIDE_COLUMNS].map((name) => sql.ref(`memory_body.${name}`)),
  ];
  return sql<MemoryRow>`SELECT ${sql.join(columns)}
    FROM json_each(${p.keys}) AS chosen CROSS JOIN memory ON memory.pk = chosen.value
    LEFT JOIN memory_body ON memory_body.pk = memory.pk`;
});

function tooMany(): MnemeError {
  return new MnemeError('DEADLINE_EXCEEDED', 'counting did not finish before the deadline: too many memories to scan');
}

const TYPES_MAX = 100;
const ACCESSED_MAX = 5;

interface TierRow {
  readonly tier: number;
  readonly count: number;
  readonly bytes: number;
  readonly stored: number;
  readonly embedded: number;
  readonly pending: number;
  readonly importance: number;
  readonly retrievals: number;
}

/** Counts of one namespace, or of all of them. Fails with NAMESPACE_NOT_FOUND. */
export function statistics(database: SqliteDatabase, namespace: string | undefined): StoreStatistics {
  const within =
    namespace === undefined
      ? sql`namespace_key IN (SELECT key FROM namespace) AND ${isSettled}`
      : sql`namespace_key = ${namespaceOf(database, namespace).key} AND ${isSettled}`;
  const tiers = prepareOnce(database, tierQuery(within)).all({});
  const sum = (of: (row: TierRow) => number) => tiers.reduce((total, row) => total + of(row), 0);
  const memoryCount = sum(({ count }) => count);
  return {
    namespaceCount: namespace === undefined ? countNamespaces(database) : 1,
    memoryCount,
    contentBytes: sum(({ bytes }) => bytes),
    embeddedCount: sum(({ embedded }) => embedded),
    embeddingPendingCount: sum(({ pending }) => pending),
    importanceMean: memoryCount === 0 ? 0 : sum(({ importance }) => importance) / memoryCount,
    retrievalCount: sum(({ retrievals }) => retrievals),
    types: typesWithin(database, within),
    tiers: tiers.map(({ tier, count, bytes, stored, importance }) => ({
      tier: tierOf(tier),
      count,
      contentBytes: bytes,
      storedBytes: stored,
      importanceMean: importance / count,
    })),
    mostAccessed: accessed(
      database,
      within,
      sql`retrieval_count > 0`,
      sql`retrieval_count DESC, memory.created_at_us DESC`,
    ),
    leastAccessed: accessed(database, within, sql`1`, sql`retrieval_count, memory.created_at_us`),
    diskBytes: diskBytes(database.name),
  };
}

function tierQuery(within: RawBuilder<unknown>): RawBuilder<TierRow> {
  return sql<TierRow>`
    SELECT tier, count(*) AS count, sum(content_bytes) AS bytes, sum(stored_bytes) AS stored, sum(importance) AS importance,
      sum(retrieval_count) AS retrievals, sum(embedding_state = ${stateNumber('there')}) AS embedded,
      sum(embedding_state = ${stateNumber('pending')}) AS pending
    FROM memory WHERE ${within} GROUP BY tier ORDER BY tier`;
}

function typesWithin(database: SqliteDatabase, within: RawBuilder<unknown>): { type: string; count: number }[] {
  const query = sql<{ type: string; count: number }>`
    SELECT type, count(*) AS count FROM memory WHERE ${within} GROUP BY type ORDER BY count DESC, type LIMIT ${TYPES_MAX}`;
  return prepareOnce(database, query).all({});
}

function accessed(
  database: SqliteDatabase,
  within: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): MemoryAccess[] {
  const query = sql<{ namespace: string; id: string; retrievals: number; at_us: number | null }>`
    SELECT namespace.name AS namespace, id, retrieval_count AS retrievals, last_accessed_at_us AS at_us
    FROM memory JOIN namespace ON namespace.key = namespace_key
    WHERE ${within} AND ${condition} ORDER BY ${order}, pk LIMIT ${ACCESSED_MAX}`;
  return prepareOnce(database, query)
    .all({})
    .map(({ namespace, id, retrievals, at_us }) => {
      return { namespace, id, retrievalCount: retrievals, ...(at_us !== null && { lastAccessedAtUs: at_us }) };
    });
}

function countNamespaces(database: SqliteDatabase): number {
  return prepareOnce(database, sql<{ count: number }>`SELECT count(*) AS count FROM namespace`).get({})?.count ?? 0;
}

/** The database and its write-ahead log. */
function diskBytes(file: string): number {
  return [file, `${file}-wal`].reduce(
    (bytes, part) => bytes + (statSync(part, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

interface ScopeRow {
  readonly project: string;
  readonly agent_type: string;
  readonly agent: string;
  readonly session: string;
  readonly count: number;
}

/** Scopes of memories, including expired memories that are not erased yet. Fails with NAMESPACE_NOT_FOUND. */
export function listScopes(
  database: SqliteDatabase,
  { namespace, limit, after }: { namespace: string; limit: number; after?: Scope },
): { scope: Scope; count: number }[] {
  const { key } = namespaceOf(database, namespace);
  const parts = sql`project, agent_type, agent, session`;
  const beyond = after
    ? sql`AND (${parts}) > (${after.project}, ${after.agentType}, ${after.agent}, ${after.session})`
    : sql``;
  const query = sql<ScopeRow>`
    SELECT ${parts}, count(*) AS count FROM memory WHERE namespace_key = ${key} AND ${isSettled} ${beyond}
    GROUP BY ${parts} ORDER BY ${parts} LIMIT ${limit}`;
  return prepareOnce(database, query)
    .all({})
    .map(({ project, agent_type: agentType, agent, session, count }) => ({
      scope: { project, agentType, agent, session },
      count,
    }));
}
