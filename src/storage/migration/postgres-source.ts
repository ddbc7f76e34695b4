import { type RawBuilder, sql } from '#kysely';
import type { Session } from '../postgres/database.ts';
import { newestRevision } from '../postgres/reads.ts';
import type { Offsets } from './offsets.ts';
import { isPlain, type PlainKind, type PlainRecord, type PlainValue, plainTable } from './plain-tables.ts';
import { type Kind, type MigrationSource, PAGE_RECORDS, type Page, type RecordOf } from './portable.ts';
import { type OnDamaged, readFormer, readKept, readMemories } from './postgres-memories.ts';
import {
  countWithin,
  type Found,
  type ReadPage,
  readChanges,
  readNamespaces,
  readSessions,
  readSubscriptions,
} from './postgres-records.ts';

export interface PostgresSourceOptions {
  readonly read: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /** Names the tables and their state. */
  readonly identity: string;
  /** Added to the numbers of each namespace. */
  readonly offsets: Offsets;
  /** Absent: a damaged memory is a failure. */
  readonly onDamaged?: OnDamaged;
}

/** Columns of plain tables that may be large. */
const WIDE: ReadonlySet<string> = new Set(['data', 'body', 'outcome']);

/** The records of the tables of one schema. */
export class PostgresSource implements MigrationSource {
  readonly identity: string;
  private readonly options: PostgresSourceOptions;
  private readonly readers: { readonly [K in Exclude<Kind, PlainKind>]: ReadPage<K> };

  constructor(options: PostgresSourceOptions) {
    this.options = options;
    this.identity = options.identity;
    const { onDamaged } = options;
    this.readers = {
      settings: (session, after) => this.settings(session, after),
      namespace: readNamespaces,
      change: readChanges,
      memory: (...page) => readMemories(...page, onDamaged),
      former: (...page) => readFormer(...page, onDamaged),
      kept: (...page) => readKept(...page, onDamaged),
      subscription: readSubscriptions,
      session: readSessions,
    };
  }

  async *pages<K extends Kind>(kind: K, after?: string): AsyncGenerator<Page<K>> {
    const of: Kind = kind;
    const reader = (isPlain(of) ? this.plain(of) : this.readers[of]) as ReadPage<K>;
    let from = after === undefined ? [] : (JSON.parse(after) as PlainValue[]);
    for (;;) {
      const page: Found<K> | undefined = await this.options.read((session) =>
        reader(session, from, this.options.offsets),
      );
      if (!page) return;
      from = [...page.place];
      yield { records: page.records, place: JSON.stringify(from) };
    }
  }

  async count(kind: Kind): Promise<number> {
    if (kind === 'settings') return 1;
    const table = isPlain(kind) ? plainTable(kind).table : TABLES[kind];
    const rows = await this.options.read((session) =>
      session.run(sql<{ count: number }>`SELECT count(*) AS count FROM ${sql.table(table)}`),
    );
    return rows[0]?.count ?? 0;
  }

  private async settings(session: Session, after: readonly PlainValue[]): Promise<Found<'settings'> | undefined> {
    if (after.length > 0) return undefined;
    const [row] = await session.run(sql<{ settings: string }>`SELECT settings FROM meta`);
    const tops = await session.run(sql<{ name: string; top: number }>`SELECT name, log_revision AS top FROM namespace`);
    const { revisions } = this.options.offsets;
    const revision = tops.reduce(
      (newest, { name, top }) => Math.max(newest, top + (revisions.get(name) ?? 0)),
      await newestRevision(session),
    );
    const settings = JSON.parse(row?.settings ?? '{}') as RecordOf<'settings'>['settings'];
    return { records: [{ namespace: '', settings, revision }], place: [''] };
  }

  private plain(kind: PlainKind): ReadPage<PlainKind> {
    return async (session, after, offsets) => {
      const { table, columns, order, of } = plainTable(kind);
      const ordered = sql.join(order.map((column) => sql.ref(column)));
      const behind = after.length === 0 ? sql`true` : sql`(${ordered}) > (${sql.join([...after])})`;
      const limit = await this.fitting(
        session,
        columns,
        sql`FROM ${sql.table(table)} WHERE ${behind} ORDER BY ${ordered}`,
      );
      if (limit === 0) return undefined;
      const [join, name] = {
        session: [sql`LEFT JOIN session o ON o.key = t.session_key`, sql`o.namespace`],
        key: [sql`LEFT JOIN namespace o ON o.key = t.namespace_key`, sql`o.name`],
        name: [sql``, sql`t.namespace`],
      }[of] as [RawBuilder<unknown>, RawBuilder<unknown>];
      const outer = sql.join(order.map((column) => sql.ref(`t.${column}`)));
      const rows = await session.run(
        sql<Record<string, PlainValue>>`SELECT t.*, ${name} AS "of" FROM (
          SELECT * FROM ${sql.table(table)} WHERE ${behind} ORDER BY ${ordered} LIMIT ${limit}) t ${join} ORDER BY ${outer}`,
      );
      const records = rows.flatMap(({ of: namespace, ...row }): PlainRecord[] =>
        // A row without a session or a namespace is not erased yet.
        typeof namespace === 'string' ? [plainRecord(kind, namespace, row, offsets)] : [],
      );
      const last = rows.at(-1);
      return { records, place: order.map((column) => last?.[column] ?? null) };
    };
  }

  /** The number of next rows that have about the bytes of a page. */
  private async fitting(session: Session, columns: readonly string[], from: RawBuilder<unknown>): Promise<number> {
    const wide = columns.filter((column) => WIDE.has(column));
    const sizes = wide.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
    const bytes = sizes.length === 0 ? sql`0` : sql.join(sizes, sql` + `);
    const rows = await session.run(
      sql<{ bytes: number }>`SELECT (${bytes})::bigint AS bytes ${from} LIMIT ${PAGE_RECORDS}`,
    );
    return countWithin(rows.map((row) => row.bytes));
  }
}

function plainRecord(
  kind: PlainKind,
  namespace: string,
  row: Readonly<Record<string, PlainValue>>,
  { revisions, events }: Offsets,
): PlainRecord {
  const { columns, revision, sequences = [] } = plainTable(kind);
  const [byRevision, bySequence] = [revisions.get(namespace) ?? 0, events.get(namespace) ?? 0];
  const values = columns.map((column) => {
    const value = row[column] ?? null;
    if (column === revision) return Number(value) + byRevision;
    return sequences.includes(column) ? Number(value) + bySequence : value;
  });
  return { namespace, values };
}

const TABLES = {
  namespace: 'namespace',
  change: 'change_log',
  memory: 'memory',
  former: 'memory_revision',
  kept: 'erased_memory',
  subscription: 'subscription',
  session: 'session',
} as const;
