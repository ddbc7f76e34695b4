import { sql } from '#kysely';
import type { Memory } from '../../memory/memory.ts';
import { pathKey, pathStem } from '../../memory/values.ts';
import type { ColumnField, FilterRows } from '../../search/recall/filter-rows.ts';
import { type Prepared, prepared, queries, type SqliteDatabase } from './database.ts';
import { MEMORY_COLUMNS, memoryOfFields, tierOf } from './rows.ts';
import { rowKeyRange } from './schema.ts';
import { ANY_VALUE, pathPrefix, valueOfTerm } from './value-terms.ts';

/** The column of each field; unset texts are '' in it. */
const COLUMNS = {
  project: 'project',
  agent_type: 'agent_type',
  agent: 'agent',
  session: 'session',
  type: 'type',
  tier: 'tier',
  speaker: 'speaker',
  location: 'location',
  room: 'room',
  region: 'region',
  superseded_by: 'superseded_by',
  step: 'step',
  importance: 'importance',
  priority: 'priority',
  retrieval_count: 'retrieval_count',
  revision: 'revision',
  event_time: 'event_at_us',
  create_time: 'created_at_us',
  update_time: 'updated_at_us',
  last_access_time: 'last_accessed_at_us',
  expire_time: 'expires_at_us',
  valid_from: 'valid_from_us',
  valid_until: 'valid_until_us',
} as const;
const BODY_COLUMNS = { source_uri: 'source_uri', source_origin: 'source_origin' } as const;

interface ColumnPage {
  readonly from: number;
  readonly last: number;
  readonly limit: number;
}
type ColumnQuery = (
  database: SqliteDatabase,
) => Prepared<ColumnPage, { readonly key: number; readonly value: string | number | null }>;

const columnQueries: ReadonlyMap<ColumnField, ColumnQuery> = new Map<ColumnField, ColumnQuery>([
  ...Object.entries(COLUMNS).map(([field, column]): [ColumnField, ColumnQuery] => [
    field as ColumnField,
    prepared((p: ColumnPage) =>
      queries
        .selectFrom('memory')
        .select(['pk as key', `${column} as value`])
        .where('pk', '>=', p.from)
        .where('pk', '<=', p.last)
        .orderBy('pk')
        .limit(p.limit),
    ),
  ]),
  ...Object.entries(BODY_COLUMNS).map(([field, column]): [ColumnField, ColumnQuery] => [
    field as ColumnField,
    prepared((p: ColumnPage) =>
      queries
        .selectFrom('memory_body')
        .select(['pk as key', `${column} as value`])
        .where('pk', '>=', p.from)
        .where('pk', '<=', p.last)
        .orderBy('pk')
        .limit(p.limit),
    ),
  ]),
]);

const tagsAfter = prepared((p: { namespace_key: number; tag: string; key: number; limit: number }) =>
  queries
    .selectFrom('memory_tag')
    .select(['tag', 'pk as key'])
    .where('namespace_key', '=', p.namespace_key)
    .where(sql<boolean>`(tag, pk) > (${p.tag}, ${p.key})`)
    .orderBy('tag')
    .orderBy('pk')
    .limit(p.limit),
);
const pathRow = prepared((p: { namespace_key: number; path: string }) =>
  queries
    .selectFrom('value_path')
    .select('key')
    .where('namespace_key', '=', p.namespace_key)
    .where('path', '=', p.path),
);
const pathsBetween = prepared((p: { namespace_key: number; low: string; high: string; limit: number }) =>
  queries
    .selectFrom('value_path')
    .select('path')
    .where('namespace_key', '=', p.namespace_key)
    .where('path', '>=', p.low)
    .where('path', '<', p.high)
    .orderBy('path')
    .limit(p.limit),
);
const termsFrom = prepared(
  (p: { term: string; key: number; end: string; limit: number }) => sql<{ term: string; key: number }>`
    SELECT term, doc AS key FROM memory_value_terms
    WHERE term >= ${p.term} AND term < ${p.end} AND (term > ${p.term} OR doc > ${p.key}) LIMIT ${p.limit}`,
);
const partialRows = prepared((p: { namespace_key: number }) =>
  queries
    .selectFrom('memory')
    .select('pk')
    .where('namespace_key', '=', p.namespace_key)
    .where('values_partial', '=', sql.lit(1)),
);
const fieldsRow = prepared((p: { pk: number }) =>
  queries.selectFrom('memory').select(MEMORY_COLUMNS).select('values_partial').where('pk', '=', p.pk),
);

/** The columns of filters, on the connection of recall's reads. */
export class SqliteFilterRows implements FilterRows {
  private readonly db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.db = db;
  }

  fieldColumn({ key }: { readonly key: number }, field: ColumnField, fromKey: number, limit: number) {
    const { first, last } = rowKeyRange(key);
    const rows =
      columnQueries
        .get(field)?.(this.db)
        .all({ from: Math.max(first, fromKey), last, limit }) ?? [];
    if (field === 'tier') return rows.map((row) => ({ key: row.key, value: tierOf(Number(row.value)) }));
    if (field === 'type') return rows;
    return rows.map((row) => ({ key: row.key, value: row.value === '' ? null : row.value }));
  }

  tagColumn(
    { key }: { readonly key: number },
    after: { readonly tag: string; readonly key: number },
    limit: number,
  ): { tag: string; key: number }[] {
    return tagsAfter(this.db).all({ namespace_key: key, tag: after.tag, key: after.key, limit });
  }

  hasPath({ key }: { readonly key: number }, path: string): boolean {
    return pathRow(this.db).get({ namespace_key: key, path }) !== undefined;
  }

  pathsIn({ key }: { readonly key: number }, path: readonly string[], limit: number): string[] {
    const low = pathStem(path);
    // The stem of a path ends in a comma, the next ASCII character is a hyphen; all paths start with a bracket.
    const high = path.length === 0 ? '\\' : `${low.slice(0, -1)}-`;
    const rows = pathsBetween(this.db).all({ namespace_key: key, low, high, limit: limit + 1 });
    const own = pathKey(path);
    return rows
      .map((row) => row.path)
      .filter((other) => other !== own)
      .slice(0, limit);
  }

  pathColumn(
    { key }: { readonly key: number },
    path: string,
    after: { readonly term: string; readonly key: number },
    limit: number,
  ) {
    const pathNumber = pathRow(this.db).get({ namespace_key: key, path })?.key;
    if (pathNumber === undefined) return [];
    const prefix = pathPrefix(key, pathNumber);
    const range = { term: prefix + after.term, key: after.key, end: prefix + ANY_VALUE.high, limit };
    return termsFrom(this.db)
      .all(range)
      .map((row) => {
        const term = row.term.slice(prefix.length);
        return { term, key: row.key, value: valueOfTerm(term) };
      });
  }

  partialKeys({ key }: { readonly key: number }): number[] {
    return partialRows(this.db)
      .all({ namespace_key: key })
      .map(({ pk }) => pk);
  }

  fields({ name }: { readonly name: string }, pk: number): { memory: Memory; isPartial: boolean } | undefined {
    const row = fieldsRow(this.db).get({ pk });
    return row && { memory: memoryOfFields(name, row), isPartial: row.values_partial === 1 };
  }
}
