import { sql } from '#kysely';
import { parseJson } from '../../memory/json.ts';
import type { ScopePolicy } from '../../memory/scope.ts';
import type { SessionRecord } from '../../memory/session.ts';
import { queries, type Session } from '../postgres/database.ts';
import type { ChangeLogTable, NamespaceTable, SubscriptionCursorTable, SubscriptionRow } from '../postgres/schema.ts';
import { LOGGED_KINDS } from '../postgres/write-draft.ts';
import type { Offsets } from './offsets.ts';
import type { PlainValue } from './plain-tables.ts';
import {
  type ChangeRecord,
  type Kind,
  type NamespaceRecord,
  PAGE_BYTES,
  PAGE_RECORDS,
  type PortableSession,
  type RecordOf,
  type SubscriptionRecord,
} from './portable.ts';

export interface Found<K extends Kind> {
  readonly records: readonly RecordOf<K>[];
  readonly place: readonly PlainValue[];
}

/** The next page; `undefined` behind the last one. */
export type ReadPage<K extends Kind> = (
  session: Session,
  after: readonly PlainValue[],
  offsets: Offsets,
) => Promise<Found<K> | undefined>;

/** Number of rows that have about the bytes of a page together; at least one. */
export function countWithin(sizes: readonly number[]): number {
  let sum = 0;
  for (const [at, size] of sizes.entries()) {
    sum += size;
    if (sum >= PAGE_BYTES) return at + 1;
  }
  return sizes.length;
}

type NamespaceColumns = NamespaceTable & { readonly model: string | null; readonly started_at_us: number | null };

export const readNamespaces: ReadPage<'namespace'> = async (session, [after = 0], { revisions }) => {
  const rows = await session.run(
    sql<NamespaceColumns>`SELECT n.*, r.model, r.started_at_us FROM namespace n
      LEFT JOIN reembedding r ON r.namespace_key = n.key WHERE n.key > ${after} ORDER BY n.key LIMIT ${PAGE_RECORDS}`,
  );
  const last = rows.at(-1);
  if (!last) return undefined;
  const records = rows.map((row): NamespaceRecord => {
    const offset = revisions.get(row.name) ?? 0;
    return {
      namespace: row.name,
      description: row.description,
      memoryLimit: row.memory_limit,
      embeddingModel: row.embedding_model,
      embeddingDimension: row.embedding_dimension,
      settings: JSON.parse(row.settings) as NamespaceRecord['settings'],
      policies: JSON.parse(row.policies) as ScopePolicy[],
      createdAtUs: row.created_at_us,
      updatedAtUs: row.updated_at_us,
      revision: row.revision + offset,
      logStart: row.log_start === 0 ? 0 : row.log_start + offset,
      maintainedAtUs: row.maintained_at_us,
      reembedding:
        row.model === null || row.started_at_us === null ? null : { model: row.model, startedAtUs: row.started_at_us },
    };
  });
  return { records, place: [last.key] };
};

type ChangeColumns = ChangeLogTable & { readonly name: string | null; readonly sequence: number | null };

/** An entry from before the first state of a memory is of an earlier memory with the same id. */
export const readChanges: ReadPage<'change'> = async (session, [key = 0, revision = 0], { revisions }) => {
  const rows = await session.run(
    sql<ChangeColumns>`SELECT c.*, n.name, m.sequence FROM (
        SELECT * FROM change_log WHERE (namespace_key, revision) > (${key}, ${revision})
        ORDER BY namespace_key, revision LIMIT ${PAGE_RECORDS}) c
      LEFT JOIN namespace n ON n.key = c.namespace_key
      LEFT JOIN memory m ON m.namespace_key = c.namespace_key AND m.id = c.id AND c.id <> '' AND c.revision >= coalesce(
        (SELECT min(r.revision) FROM memory_revision r
          WHERE r.namespace_key = m.namespace_key AND r.sequence = m.sequence), m.revision)
      ORDER BY c.namespace_key, c.revision`,
  );
  const last = rows.at(-1);
  if (!last) return undefined;
  const records = rows.flatMap(({ name, tier_from: from, tier_to: to, ...row }): ChangeRecord[] => {
    const kind = LOGGED_KINDS[row.kind];
    if (name === null || kind === undefined) return [];
    const step = from === null || to === null ? null : { from, to };
    const { id, at_us: atUs, sequence } = row;
    return [{ namespace: name, revision: row.revision + (revisions.get(name) ?? 0), kind, id, atUs, step, sequence }];
  });
  return { records, place: [last.namespace_key, last.revision] };
};

type NamedSubscription = SubscriptionRow & { readonly name: string };

export const readSubscriptions: ReadPage<'subscription'> = async (session, [after = 0], { revisions }) => {
  const rows = await session.run(
    sql<NamedSubscription>`SELECT s.*, n.name FROM subscription s JOIN namespace n ON n.key = s.namespace_key
      WHERE s.key > ${after} ORDER BY s.key LIMIT ${PAGE_RECORDS}`,
  );
  const last = rows.at(-1);
  if (!last) return undefined;
  const keys = rows.map(({ key }) => key);
  const cursors: SubscriptionCursorTable[] = await session.run(
    queries
      .selectFrom('subscription_cursor')
      .selectAll()
      .where('subscription_key', '=', sql<number>`any(${keys}::bigint[])`)
      .orderBy('subscription_key')
      .orderBy('consumer'),
  );
  const byKey = Map.groupBy(cursors, (cursor) => cursor.subscription_key);
  const records = rows.map((row): SubscriptionRecord => {
    const { key, id, name: namespace, record } = row;
    const offset = revisions.get(namespace) ?? 0;
    const values = parseJson(record) as Omit<SubscriptionRecord['subscription'], 'id' | 'startRevision'>;
    return {
      namespace,
      subscription: { ...values, id, startRevision: row.start_revision + offset },
      cursors: (byKey.get(key) ?? []).map(({ consumer, revision, seen_at_us: seenAtUs }) => ({
        consumer,
        acknowledgedRevision: revision + offset,
        seenAtUs,
      })),
    };
  });
  return { records, place: [last.key] };
};

export const readSessions: ReadPage<'session'> = async (session, [after = 0]) => {
  const rows = await session.run(
    queries
      .selectFrom('session')
      .select(['key', 'namespace', 'record'])
      .where('key', '>', Number(after))
      .orderBy('key')
      .limit(PAGE_RECORDS),
  );
  const last = rows.at(-1);
  if (!last) return undefined;
  const records = rows.map(
    ({ key, namespace, record }): PortableSession => ({ namespace, key, record: JSON.parse(record) as SessionRecord }),
  );
  return { records, place: [last.key] };
};
