import { type RawBuilder, sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import type { MembersRead, NamespaceSize, TierMember, TierTotal } from '../../tiers.ts';
import { ALL_NAMESPACES } from '../commands/namespaces.ts';
import { prepared, prepareOnce, queries, type SqliteDatabase } from '../database.ts';
import { namespaceOf, readNamespace } from '../namespace-rows.ts';
import { isSettled, tierNumber, tierOf } from '../rows.ts';
import { type MemoryTable, rowKey, sequenceOf } from '../schema.ts';

const COLUMNS = [
  'pk',
  'id',
  'tier',
  'tier_since_us',
  'type',
  'agent',
  'importance',
  'priority',
  'retrieval_count',
  'created_at_us',
  'last_accessed_at_us',
  'step',
  'content_bytes',
  'reward',
  'surprise',
] as const satisfies readonly (keyof MemoryTable)[];

type MemberRow = Pick<MemoryTable, (typeof COLUMNS)[number]>;

const settingRows = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('tier_setting').select(['key', 'value']).where('namespace_key', '=', p.namespace_key),
);
const maintainedRow = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('tier_maintenance').select('at_us').where('namespace_key', '=', p.namespace_key),
);

/** Members of a tier, oldest in the tier first. Fails with NAMESPACE_NOT_FOUND. */
export function tierMembers(database: SqliteDatabase, read: MembersRead): TierMember[] {
  const { key } = namespaceOf(database, read.namespace);
  const { agent, type, untilUs, after } = read;
  const conditions: RawBuilder<unknown>[] = [
    sql`namespace_key = ${key} AND tier = ${tierNumber(read.tier)} AND ${isSettled}`,
  ];
  if (agent !== undefined) conditions.push(agent === '' ? sql`agent = ''` : sql`agent = ${agent} AND agent <> ''`);
  if (type !== undefined) conditions.push(sql`type = ${type}`);
  if (untilUs !== undefined) conditions.push(sql`tier_since_us <= ${untilUs}`);
  if (after) conditions.push(sql`(tier_since_us, pk) > (${after.tierSinceUs}, ${rowKey(key, after.tie)})`);
  const query = sql<MemberRow>`
    SELECT ${sql.join(COLUMNS.map((name) => sql.ref(name)))}
    FROM memory INDEXED BY ${sql.id(indexFor(read))} WHERE ${sql.join(conditions, sql` AND `)}
    ORDER BY tier_since_us, pk LIMIT ${read.limit}`;
  return prepareOnce(database, query).all({}).map(memberOf);
}

function indexFor({ agent, type }: MembersRead): string {
  if (agent !== undefined && agent !== '') return 'memory_agent';
  return type === undefined ? 'memory_tier' : 'memory_type';
}

function memberOf(row: MemberRow): TierMember {
  const { reward, surprise } = row;
  return {
    id: row.id,
    tier: tierOf(row.tier),
    tierSinceUs: row.tier_since_us,
    type: row.type,
    agent: row.agent,
    importance: row.importance,
    priority: row.priority,
    retrievalCount: row.retrieval_count,
    createdAtUs: row.created_at_us,
    ...(row.last_accessed_at_us !== null && { lastAccessedAtUs: row.last_accessed_at_us }),
    ...(row.step !== null && { step: row.step }),
    contentBytes: row.content_bytes,
    ...(reward !== 0 && { reward }),
    ...(surprise !== 0 && { surprise }),
    tie: sequenceOf(row.pk),
  };
}

/** Totals of the tiers of one namespace, or of all. Fails with NAMESPACE_NOT_FOUND. */
export function tierTotals(database: SqliteDatabase, namespace: string | undefined): TierTotal[] {
  const within = namespace === undefined ? sql`1` : sql`namespace.key = ${namespaceOf(database, namespace).key}`;
  const query = sql<Omit<TierTotal, 'tier'> & { readonly tier: number }>`
    SELECT namespace.name AS namespace, tier, agent, type, count, content_bytes AS contentBytes
    FROM namespace CROSS JOIN tier_total ON tier_total.namespace_key = namespace.key
    WHERE ${within} ORDER BY namespace.name, tier, agent, type`;
  return prepareOnce(database, query)
    .all({})
    .map((row) => ({ ...row, tier: tierOf(row.tier) }));
}

/** All memories of a namespace. Fails with NAMESPACE_NOT_FOUND. */
export function namespaceSize(database: SqliteDatabase, namespace: string): NamespaceSize {
  const { key } = namespaceOf(database, namespace);
  const query = sql<NamespaceSize>`
    SELECT coalesce(sum(count), 0) AS count, coalesce(sum(content_bytes), 0) AS contentBytes
    FROM tier_total WHERE namespace_key = ${key}`;
  return prepareOnce(database, query).all({})[0] ?? { count: 0, contentBytes: 0 };
}

export function tierSettings(database: SqliteDatabase, namespace: string): ReadonlyMap<string, string> {
  const namespace_key = namespace === '' ? ALL_NAMESPACES : readNamespace(database, namespace)?.key;
  if (namespace_key === undefined) return new Map();
  return new Map(
    settingRows(database)
      .all({ namespace_key })
      .map(({ key, value }) => [key, value]),
  );
}

export function maintainedAtUs(database: SqliteDatabase, namespace: string): Micros | undefined {
  return maintainedRow(database).get({ namespace_key: namespaceOf(database, namespace).key })?.at_us;
}
