import { sql } from '#kysely';
import { isDamage } from '../../memory/errors.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Content, Memory, MemoryView, Micros, Tier } from '../../memory/memory.ts';
import { type NearPlace, type NearTime, PLACE_NAMES, type PlaceNames } from '../../memory/place.ts';
import { expandVector, restoreVector } from '../../memory/resolution/lower-vector.ts';
import { vectorFromBytes } from '../../memory/resolution/plain-vector.ts';
import type {
  ColumnRow,
  LogEntry,
  NamespaceEntry,
  NamespaceSource,
  RecallText,
} from '../../recall/namespace-source.ts';
import { readCompactedRevision, readRevision } from './change-log.ts';
import { prepared, prepareOnce, queries, type SqliteDatabase } from './database.ts';
import { SqliteFilterRows } from './filter-rows.ts';
import { rowByKey } from './memory-rows.ts';
import { narrowKeys } from './narrow-filter.ts';
import { nearestPlaces } from './nearest-places.ts';
import { readOwned } from './queries/owned.ts';
import {
  changesQuery,
  columnQuery,
  columnRow,
  columnsQuery,
  contentQuery,
  contentsQuery,
  ENTRY_KINDS,
  identityQuery,
  keyQuery,
  markQuery,
  namespaceQuery,
  packedQuery,
  recentQuery,
  textQuery,
  textsQuery,
  tierQuery,
  vectorQuery,
  vectorsQuery,
} from './recall-queries.ts';
import { isSettled, memoryOrRest, recallContent, recallText, tierOf, vectorKeyRange, vectorSpace } from './rows.ts';
import { namespaceKeyOf, rowKeyRange } from './schema.ts';

/** The reads of recall, on a read-only connection. */
export class SqliteRecallSource implements NamespaceSource {
  readonly filterRows: SqliteFilterRows;
  private readonly db: SqliteDatabase;
  private readonly readers: MemoryReaders;
  /** Number of open `begin`s. */
  private depth = 0;
  /** Cache of reads in the current state. */
  private readonly known = new Map<string, number>();
  private readonly late: LateChanges;

  constructor(db: SqliteDatabase, readers: MemoryReaders) {
    this.db = db;
    this.readers = readers;
    this.late = new LateChanges(db);
    this.filterRows = new SqliteFilterRows(db);
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
    return this.once('revision', () => readRevision(this.db));
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

  contents(namespace: NamespaceEntry, fromKey: number, limit: number): { key: number; content?: Content }[] {
    const rows = contentsQuery(this.db).all({ from: fromKey, last: rowKeyRange(namespace.key).last, limit });
    return rows.map((row) => {
      const content = recallContent(row);
      return { key: row.key, ...(content && { content }) };
    });
  }

  content(pk: number): Content | undefined {
    const row = contentQuery(this.db).get({ pk });
    return row && recallContent(row);
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

  readOwned(namespace: NamespaceEntry, key: number, view: MemoryView, nowUs: Micros): Memory | undefined {
    return this.readers.readOwned(namespace, key, view, nowUs);
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

/** Reads that recall shares with the rest of the store. */
interface MemoryReaders {
  narrow(namespace: NamespaceEntry, filter: Filter, limit: number): number[] | undefined;
  read(namespace: NamespaceEntry, key: number): Memory | undefined;
  readOwned(namespace: NamespaceEntry, key: number, view: MemoryView, nowUs: Micros): Memory | undefined;
}

interface Around {
  namespaceKey: number;
  origin: number;
  limit: number;
}

/** The index gives each side in the order of distance. */
const sidesOf = (column: 'event_at_us' | 'step') => {
  const rows = (p: Around) =>
    queries
      .selectFrom('memory')
      .select(['pk', `${column} as value`])
      .where('namespace_key', '=', p.namespaceKey)
      .where(isSettled)
      .limit(p.limit);
  return {
    before: prepared((p: Around) => rows(p).where(column, '<', p.origin).orderBy(column, 'desc')),
    after: prepared((p: Around) => rows(p).where(column, '>=', p.origin).orderBy(column)),
  };
};
const byTime = sidesOf('event_at_us');
const byStep = sidesOf('step');

/** Row keys of the memories nearest to an instant or a step, nearest first, at most `limit`. */
export function nearestMoments(
  database: SqliteDatabase,
  namespaceKey: number,
  near: NearTime,
  limit: number,
): number[] {
  const sides = near.kind === 'time' ? byTime : byStep;
  const origin = near.kind === 'time' ? near.atUs : near.step;
  const around = { namespaceKey, origin, limit };
  const rows = [...sides.before(database).all(around), ...sides.after(database).all(around)];
  return rows
    .map(({ pk, value }) => ({ pk, distance: Math.abs((value ?? 0) - origin) }))
    .sort((a, b) => a.distance - b.distance || a.pk - b.pk)
    .slice(0, limit)
    .map(({ pk }) => pk);
}

type Part = (typeof PLACE_NAMES)[number];

/**
 * Row keys of the memories whose places have most of the names, at most `limit`; equal numbers in the order newest
 * first. Each set of names is searched by the index of one of them, the largest sets first.
 */
export function nearestNames(
  database: SqliteDatabase,
  namespaceKey: number,
  names: PlaceNames,
  limit: number,
): number[] {
  const provided = PLACE_NAMES.filter((part) => names[part] !== '');
  const found = new Set<number>();
  for (let size = provided.length; size > 0 && found.size < limit; size--) {
    const keys = new Set<number>();
    for (const parts of setsOf(provided, size)) {
      for (const { pk } of having(database, namespaceKey, names, parts, limit)) if (!found.has(pk)) keys.add(pk);
    }
    for (const key of [...keys].sort((a, b) => b - a)) found.add(key);
  }
  return [...found].slice(0, limit);
}

function having(
  database: SqliteDatabase,
  namespaceKey: number,
  names: PlaceNames,
  parts: readonly Part[],
  limit: number,
): { pk: number }[] {
  let rows = queries.selectFrom('memory').select('pk').where('namespace_key', '=', namespaceKey);
  // The index leaves out memories without the name.
  for (const part of parts) rows = rows.where(part, '=', names[part]).where(part, '<>', sql<string>`''`);
  return prepareOnce<{ pk: number }>(database, rows.orderBy('pk', 'desc').limit(limit)).all({});
}

/** All subsets of this size. */
function setsOf(parts: readonly Part[], size: number): Part[][] {
  if (size === 0) return [[]];
  return parts.flatMap((part, at) => setsOf(parts.slice(at + 1), size - 1).map((rest) => [part, ...rest]));
}

const VECTORS_MAX = 256;

/** Recent entries of the change log and the vectors of their memories, which standing queries and indexes both read. */
class LateChanges {
  private readonly db: SqliteDatabase;
  private readonly vectors = new Map<number, Float32Array | undefined>();
  private readonly spaces = new Map<number, ReturnType<typeof vectorSpace>>();
  private last: { readonly afterRevision: number; readonly entries: LogEntry[] } | undefined;

  constructor(db: SqliteDatabase) {
    this.db = db;
  }

  /** With `keeps`, reads are cached until `forget`: for use while one state of the store is read. */
  changes(afterRevision: number, limit: number, keeps: boolean): LogEntry[] {
    const { last } = this;
    if (last?.afterRevision === afterRevision && last.entries.length < limit) return last.entries;
    const rows = changesQuery(this.db).all({ afterRevision, limit });
    const entries = rows.map(({ revision, kind, namespace_key: namespaceKey, pk, id }): LogEntry => {
      return { revision, kind: ENTRY_KINDS[kind] ?? 'other', namespaceKey, key: pk, id };
    });
    if (keeps && entries.length < limit) this.last = { afterRevision, entries };
    return entries;
  }

  vector(pk: number, keeps: boolean): Float32Array | undefined {
    if (this.vectors.has(pk)) return this.vectors.get(pk);
    const { sign, dimension } = this.space(namespaceKeyOf(pk), keeps);
    const row = vectorQuery(this.db).get({ pk: pk * sign });
    const vector = row && recallVector(row, dimension);
    if (keeps && this.vectors.size < VECTORS_MAX) this.vectors.set(pk, vector);
    return vector;
  }

  private space(namespaceKey: number, keeps: boolean): ReturnType<typeof vectorSpace> {
    const known = this.spaces.get(namespaceKey);
    if (known) return known;
    const space = vectorSpace(this.db, namespaceKey);
    if (keeps) this.spaces.set(namespaceKey, space);
    return space;
  }

  forget(): void {
    this.vectors.clear();
    this.spaces.clear();
    this.last = undefined;
  }
}

interface VectorRow {
  readonly small: Uint8Array | null;
  readonly data: Uint8Array;
}

/**
 * The exact vector, in whatever form its tier stores it: the form does not change the order of hits. Where the rest of a
 * reduced vector is damaged, the reduced one. Vectors that cannot be read at all are skipped: a read of the memory with
 * its vector reports the damage.
 */
function recallVector({ small, data }: VectorRow, dimension: number): Float32Array | undefined {
  if (!small) return unlessDamaged(() => vectorFromBytes(data));
  return (
    unlessDamaged(() => restoreVector({ small, rest: data })) ?? unlessDamaged(() => expandVector(small, dimension))
  );
}

function unlessDamaged(read: () => Float32Array): Float32Array | undefined {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/**
 * Reads that recall shares with the rest of the store. `read` returns memories without vectors, and damaged memories as
 * far as they are readable: a read of the hit reports the damage.
 */
export function memoryReaders(database: SqliteDatabase): MemoryReaders {
  return {
    narrow: (namespace, filter, limit) => narrowKeys(database, namespace.key, filter, limit),
    read: (namespace, pk) => {
      const row = rowByKey(database).get({ pk });
      return row && memoryOrRest(namespace.name, row).memory;
    },
    readOwned: ({ name }, pk, view, nowUs) => readOwned(database, name, { pk, view, nowUs }),
  };
}
