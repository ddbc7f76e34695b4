import { statSync } from 'node:fs';
import { type RawBuilder, sql } from '#kysely';
import type { MemoryAccess, StoreStatistics } from '../../store-statistics.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { prepareOnce } from '../prepared.ts';
import { stateNumber, tierOf } from '../rows.ts';

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
      ? sql`namespace_key IN (SELECT key FROM namespace)`
      : sql`namespace_key = ${namespaceOf(database, namespace).key}`;
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
