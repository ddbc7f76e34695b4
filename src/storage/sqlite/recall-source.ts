import type { Filter } from '../../memory/filter.ts';
import type { Memory, Tier } from '../../memory/memory.ts';
import type { NearPlace, NearTime } from '../../memory/place.ts';
import type {
  ColumnRow,
  LogEntry,
  NamespaceEntry,
  NamespaceSource,
  RecallText,
} from '../../recall/namespace-source.ts';
import { readCompactedRevision } from './change-log.ts';
import type { SqliteDatabase } from './database.ts';
import { LateChanges } from './late-changes.ts';
import { nearestMoments } from './nearest-moments.ts';
import { nearestNames } from './nearest-names.ts';
import { nearestPlaces } from './nearest-places.ts';
import { recallText } from './packed-text.ts';
import {
  columnQuery,
  columnRow,
  columnsQuery,
  identityQuery,
  keyQuery,
  markQuery,
  namespaceQuery,
  packedQuery,
  recentQuery,
  revisionQuery,
  textQuery,
  textsQuery,
  tierQuery,
  vectorsQuery,
} from './recall-queries.ts';
import { recallVector } from './recall-vector.ts';
import { tierOf } from './rows.ts';
import { rowKeyRange } from './schema.ts';
import { vectorKeyRange, vectorSpace } from './vector-spaces.ts';

/** The store as recall reads it, on a read-only connection of its own. */
export class SqliteRecallSource implements NamespaceSource {
  private readonly db: SqliteDatabase;
  private readonly readers: MemoryReaders;
  /** `begin`s that have not been ended. */
  private depth = 0;
  /** What was read in the state that is seen. */
  private readonly known = new Map<string, number>();
  private readonly late: LateChanges;

  constructor(db: SqliteDatabase, readers: MemoryReaders) {
    this.db = db;
    this.readers = readers;
    this.late = new LateChanges(db);
  }

  begin(): void {
    if (this.depth === 0) this.db.exec('BEGIN');
    this.depth++;
  }

  end(): void {
    this.depth--;
    if (this.depth > 0) return;
    this.known.clear();
    this.late.forget();
    if (this.db.inTransaction) this.db.exec('COMMIT');
  }

  revision(): number {
    return this.once('revision', () => Number(revisionQuery(this.db).get({})?.value ?? 0));
  }

  compactedRevision(): number {
    return this.once('compactedRevision', () => readCompactedRevision(this.db));
  }

  private once(name: string, read: () => number): number {
    const value = this.known.get(name) ?? read();
    if (this.depth > 0) this.known.set(name, value);
    return value;
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
    return this.late.changes(afterRevision, limit, this.depth > 0);
  }

  *columns(namespace: NamespaceEntry): Iterable<ColumnRow> {
    for (const row of columnsQuery(this.db).iterate(rowKeyRange(namespace.key))) yield columnRow(row);
  }

  texts(namespace: NamespaceEntry, fromKey: number, limit: number): ({ key: number } & RecallText)[] {
    const rows = textsQuery(this.db).all({ from: fromKey, last: rowKeyRange(namespace.key).last, limit });
    return rows.map((row) => ({ key: row.key, ...recallText(row) }));
  }

  text(pk: number): RecallText | undefined {
    const row = textQuery(this.db).get({ pk });
    return row && recallText(row);
  }

  column(pk: number): ColumnRow | undefined {
    const row = columnQuery(this.db).get({ pk });
    return row && columnRow(row);
  }

  vectors(
    namespace: NamespaceEntry,
    from: number,
    limit: number,
  ): { vectors: { key: number; values: Float32Array }[]; next?: number } {
    const { first, last } = vectorKeyRange(namespace.key, vectorSpace(this.db, namespace.key).sign);
    const rows = vectorsQuery(this.db).all({ first: Math.max(first, from), last, limit });
    const vectors = rows.flatMap((row) => {
      const values = recallVector(row, namespace.embeddingDimension);
      return values ? [{ key: Math.abs(row.pk), values }] : [];
    });
    const end = rows.at(-1);
    return end && rows.length === limit ? { vectors, next: end.pk + 1 } : { vectors };
  }

  vector(pk: number): Float32Array | undefined {
    return this.late.vector(pk, this.depth > 0);
  }

  narrow(namespace: NamespaceEntry, filter: Filter, limit: number): number[] | undefined {
    return this.readers.narrow(namespace, filter, limit);
  }

  nearestMoments(namespace: NamespaceEntry, near: NearTime, limit: number): number[] {
    return nearestMoments(this.db, namespace.key, near, limit);
  }

  nearestPlaces(namespace: NamespaceEntry, near: NearPlace, limit: number): number[] {
    if (near.kind === 'named') return nearestNames(this.db, namespace.key, near.names, limit);
    return nearestPlaces(this.db, namespace.key, near, limit);
  }

  read(namespace: NamespaceEntry, key: number): Memory | undefined {
    return this.readers.read(namespace, key);
  }

  keyOf(namespace: NamespaceEntry, id: string): number | undefined {
    return keyQuery(this.db).get({ namespaceKey: namespace.key, id })?.pk;
  }

  tierOf(pk: number): Tier {
    return tierOf(tierQuery(this.db).get({ pk })?.tier ?? 0);
  }

  isPacked(pk: number): boolean {
    return packedQuery(this.db).get({ pk }) !== undefined;
  }

  identityOf(pk: number): { id: string; revision: number } {
    return identityQuery(this.db).get({ pk }) ?? { id: '', revision: 0 };
  }
}

/** What recall reads in the same way as the rest of the store. */
export interface MemoryReaders {
  narrow(namespace: NamespaceEntry, filter: Filter, limit: number): number[] | undefined;
  read(namespace: NamespaceEntry, key: number): Memory | undefined;
}
