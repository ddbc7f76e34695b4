import type { Filter } from '../../memory/filter.ts';
import type { Memory } from '../../memory/memory.ts';
import type { ColumnRow, LogEntry, NamespaceEntry, NamespaceSource } from '../../recall/namespace-source.ts';
import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';
import { vectorFromBytes } from './rows.ts';
import { type MemoryTable, rowKeyRange } from './schema.ts';

/** `LogEntry.kind` of each kind of the change log; see `schema.ts`. */
const KINDS: Readonly<Record<number, LogEntry['kind']>> = {
  1: 'stored',
  2: 'updated',
  3: 'erased',
  4: 'erased',
  5: 'embedded',
  9: 'namespace_erased',
};

/** The store as recall reads it, on a read-only connection of its own. */
export class SqliteRecallSource implements NamespaceSource {
  private readonly db: SqliteDatabase;
  private readonly readers: MemoryReaders;

  constructor(db: SqliteDatabase, readers: MemoryReaders) {
    this.db = db;
    this.readers = readers;
  }

  begin(): void {
    this.db.exec('BEGIN');
  }

  end(): void {
    if (this.db.inTransaction) this.db.exec('COMMIT');
  }

  revision(): number {
    return Number(revisionQuery(this.db).get({})?.value ?? 0);
  }

  markAt(revision: number): string {
    const entry = markQuery(this.db).get({ revision });
    return entry ? `${entry.at_us}:${entry.pk}` : '';
  }

  namespace(name: string): NamespaceEntry | undefined {
    const row = namespaceQuery(this.db).get({ name });
    return (
      row && {
        key: row.key,
        name,
        firstKey: rowKeyRange(row.key).first,
        embeddingModel: row.embedding_model,
        embeddingDimension: row.embedding_dimension,
      }
    );
  }

  recentNamespaces(limit: number): string[] {
    return recentQuery(this.db)
      .all({ limit })
      .map((row) => row.name);
  }

  changes(afterRevision: number, limit: number): LogEntry[] {
    return changesQuery(this.db)
      .all({ afterRevision, limit })
      .map(({ revision, kind, namespace_key: namespaceKey, pk }) => {
        return { revision, kind: KINDS[kind] ?? 'other', namespaceKey, key: pk };
      });
  }

  *columns(namespace: NamespaceEntry): Iterable<ColumnRow> {
    for (const row of columnsQuery(this.db).iterate(rowKeyRange(namespace.key))) yield columnRow(row);
  }

  column(pk: number): ColumnRow | undefined {
    const row = columnQuery(this.db).get({ pk });
    return row && columnRow(row);
  }

  *vectors(namespace: NamespaceEntry): Iterable<{ key: number; values: Float32Array }> {
    for (const { pk, data } of vectorsQuery(this.db).iterate(rowKeyRange(namespace.key))) {
      yield { key: pk, values: vectorFromBytes(data) };
    }
  }

  vector(pk: number): Float32Array | undefined {
    const row = vectorQuery(this.db).get({ pk });
    return row && vectorFromBytes(row.data);
  }

  narrow(namespace: NamespaceEntry, filter: Filter, limit: number): number[] | undefined {
    return this.readers.narrow(namespace, filter, limit);
  }

  read(namespace: NamespaceEntry, key: number): Memory | undefined {
    return this.readers.read(namespace, key);
  }

  keyOf(namespace: NamespaceEntry, id: string): number | undefined {
    return keyQuery(this.db).get({ namespaceKey: namespace.key, id })?.pk;
  }

  idsOf(keys: readonly number[]): string[] {
    const query = idQuery(this.db);
    return keys.map((pk) => query.get({ pk })?.id ?? '');
  }
}

/** What recall reads in the same way as the rest of the store. */
export interface MemoryReaders {
  narrow(namespace: NamespaceEntry, filter: Filter, limit: number): number[] | undefined;
  read(namespace: NamespaceEntry, key: number): Memory | undefined;
}

const revisionQuery = prepared(() => queries.selectFrom('meta').select('value').where('key', '=', 'revision'));
const markQuery = prepared((p: { revision: number }) =>
  queries.selectFrom('change_log').select(['at_us', 'pk']).where('revision', '=', p.revision),
);
const namespaceQuery = prepared((p: { name: string }) =>
  queries.selectFrom('namespace').select(['key', 'embedding_model', 'embedding_dimension']).where('name', '=', p.name),
);
const recentQuery = prepared((p: { limit: number }) =>
  queries.selectFrom('namespace').select('name').orderBy('next_sequence', 'desc').orderBy('key', 'desc').limit(p.limit),
);
const changesQuery = prepared((p: { afterRevision: number; limit: number }) =>
  queries
    .selectFrom('change_log')
    .select(['revision', 'kind', 'namespace_key', 'pk'])
    .where('revision', '>', p.afterRevision)
    .orderBy('revision')
    .limit(p.limit),
);

const COLUMNS = [
  'pk',
  'project',
  'agent_type',
  'agent',
  'session',
  'speaker',
  'event_at_us',
  'importance',
  'expires_at_us',
  'superseded_by',
] as const;
const columnsQuery = prepared((p: { first: number; last: number }) =>
  queries.selectFrom('memory').select(COLUMNS).where('pk', '>=', p.first).where('pk', '<=', p.last).orderBy('pk'),
);
const columnQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory').select(COLUMNS).where('pk', '=', p.pk),
);
const vectorsQuery = prepared((p: { first: number; last: number }) =>
  queries
    .selectFrom('memory_vector')
    .select(['pk', 'data'])
    .where('pk', '>=', p.first)
    .where('pk', '<=', p.last)
    .orderBy('pk'),
);
const vectorQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory_vector').select('data').where('pk', '=', p.pk),
);
const keyQuery = prepared((p: { namespaceKey: number; id: string }) =>
  queries.selectFrom('memory').select('pk').where('namespace_key', '=', p.namespaceKey).where('id', '=', p.id),
);
const idQuery = prepared((p: { pk: number }) => queries.selectFrom('memory').select('id').where('pk', '=', p.pk));

function columnRow(row: Pick<MemoryTable, (typeof COLUMNS)[number]>): ColumnRow {
  return {
    key: row.pk,
    session: row.session === '' ? '' : [row.project, row.agent_type, row.agent, row.session].join('\u0000'),
    speaker: row.speaker,
    eventAtUs: row.event_at_us,
    importance: row.importance,
    expiresAtUs: row.expires_at_us ?? Number.POSITIVE_INFINITY,
    superseded: row.superseded_by !== '',
  };
}
