import { isDamage, memoryDamaged } from '../../memory/errors.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Content, Memory, MemoryView, Micros, Tier } from '../../memory/memory.ts';
import type { NearPlace, NearTime } from '../../memory/place.ts';
import { expandVector, restoreVector } from '../../memory/resolution/lower-vector.ts';
import { vectorFromBytes } from '../../memory/resolution/plain-vector.ts';
import type {
  ColumnRow,
  LogEntry,
  NamespaceEntry,
  NamespaceSource,
  RecallText,
} from '../../search/recall/namespace-source.ts';
import { readCompactedRevision, readRevision } from './change-log.ts';
import type { Stretch } from './damage/census.ts';
import { RecallDamage } from './damage/recall-damage.ts';
import { endRead, type SqliteDatabase } from './database.ts';
import { isPageDamage } from './driver-error.ts';
import { SqliteFilterRows } from './filter-rows.ts';
import { rowByKey } from './memory-rows.ts';
import { narrowKeys } from './narrow-filter.ts';
import { nearestMoments, nearestNames } from './nearest-moments.ts';
import { nearestPlaces } from './nearest-places.ts';
import { readHit } from './queries/hit.ts';
import {
  changesQuery,
  columnQuery,
  columnRow,
  columnsPage,
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
import { memoryOrRest, recallContent, recallText, tierOf, vectorKeyRange, vectorSpace } from './rows.ts';
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
  private readonly damage: RecallDamage;

  /** `onDamage`: called at the first damaged page or memory of each namespace. */
  constructor(db: SqliteDatabase, readers: MemoryReaders, onDamage: (error: unknown) => void = () => {}) {
    this.db = db;
    this.damage = new RecallDamage(db, onDamage);
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
    endRead(this.db);
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
    const { first, last } = rowKeyRange(namespace.key);
    let next = first;
    try {
      for (const row of columnsQuery(this.db).iterate({ first, last })) {
        next = row.pk + 1;
        yield columnRow(row);
      }
    } catch (error) {
      if (!isPageDamage(error)) throw error;
      const page = (read: Stretch) => columnsPage(this.db).all(read);
      for (const row of this.damage.around(namespace.key, page, next, ({ pk }) => pk)) yield columnRow(row);
    }
  }

  texts(namespace: NamespaceEntry, fromKey: number, limit: number): ({ key: number } & RecallText)[] {
    const read = (page: Stretch) => textsQuery(this.db).all(page);
    const range = { from: fromKey, last: rowKeyRange(namespace.key).last, limit };
    const rows = this.damage.firstOf(namespace.key, read, range, ({ key }) => key);
    return rows.map((row) => ({ key: row.key, ...recallText(row) }));
  }

  text(pk: number): RecallText | undefined {
    const row = this.damage.unless(pk, () => textQuery(this.db).get({ pk }));
    return row && recallText(row);
  }

  contents(namespace: NamespaceEntry, fromKey: number, limit: number): { key: number; content?: Content }[] {
    const read = (page: Stretch) => contentsQuery(this.db).all(page);
    const range = { from: fromKey, last: rowKeyRange(namespace.key).last, limit };
    const rows = this.damage.firstOf(namespace.key, read, range, ({ key }) => key);
    return rows.map((row) => {
      const content = recallContent(row);
      return { key: row.key, content };
    });
  }

  content(pk: number): Content | undefined {
    const row = this.damage.unless(pk, () => contentQuery(this.db).get({ pk }));
    return row && recallContent(row);
  }

  isDamaged(namespace: NamespaceEntry): boolean {
    const isStill = (pk: number) => this.damage.unless(pk, () => this.readers.read(namespace, pk)?.isDamaged) ?? false;
    return this.damage.misses(namespace.key, isStill);
  }

  column(pk: number): ColumnRow | undefined {
    const row = this.damage.unless(pk, () => columnQuery(this.db).get({ pk }));
    return row && columnRow(row);
  }

  vectors(
    namespace: NamespaceEntry,
    from: number,
    limit: number,
  ): { vectors: { key: number; values: Float32Array }[]; next?: number } {
    const { first, last } = vectorKeyRange(namespace.key, vectorSpace(this.db, namespace.key).sign);
    const read = (page: Stretch) => vectorsQuery(this.db).all({ first: page.from, last: page.last, limit: page.limit });
    const range = { from: Math.max(first, from), last, limit };
    const rows = this.damage.firstOf(namespace.key, read, range, ({ pk }) => pk);
    const vectors = rows.flatMap((row) => {
      const values = recallVector(row, namespace.embeddingDimension);
      return values ? [{ key: Math.abs(row.pk), values }] : [];
    });
    const end = rows.at(-1);
    return end && rows.length === limit ? { vectors, next: end.pk + 1 } : { vectors };
  }

  vector(pk: number): Float32Array | undefined {
    return this.damage.unless(pk, () => this.late.vector(pk, this.depth > 0));
  }

  narrow(namespace: NamespaceEntry, filter: Filter, limit: number): number[] | undefined {
    return this.damage.unless(namespace.firstKey, () => this.readers.narrow(namespace, filter, limit));
  }

  nearestMoments(namespace: NamespaceEntry, near: NearTime, limit: number): number[] {
    return nearestMoments(this.db, namespace.key, near, limit);
  }

  nearestPlaces(namespace: NamespaceEntry, near: NearPlace, limit: number): number[] {
    if (near.kind === 'named') return nearestNames(this.db, namespace.key, near.names, limit);
    return nearestPlaces(this.db, namespace.key, near, limit);
  }

  read(namespace: NamespaceEntry, key: number): Memory | undefined {
    const found = this.damage.unless(key, () => this.readers.read(namespace, key));
    if (found?.isDamaged) this.damage.missIn(namespace.key, key, memoryDamaged(namespace.name, found.memory.id));
    return found?.memory;
  }

  readHit(namespace: NamespaceEntry, key: number, view: MemoryView, nowUs: Micros): Memory | undefined {
    return this.damage.unless(key, () => this.readers.readHit(namespace, key, view, nowUs));
  }

  keyOf(namespace: NamespaceEntry, id: string): number | undefined {
    const find = () => keyQuery(this.db).get({ namespaceKey: namespace.key, id })?.pk;
    return this.damage.unless(namespace.firstKey, find) ?? this.damage.keyOf(namespace.key, id);
  }

  tierOf(pk: number): Tier {
    return tierOf(this.damage.unless(pk, () => tierQuery(this.db).get({ pk })?.tier) ?? 0);
  }

  isPacked(pk: number): boolean {
    return this.damage.unless(pk, () => packedQuery(this.db).get({ pk })) !== undefined;
  }

  identityOf(pk: number): { id: string; revision: number } {
    const found = this.damage.unless(pk, () => identityQuery(this.db).get({ pk }));
    return found ?? { id: this.damage.idOf(pk), revision: 0 };
  }
}

/** Reads that recall shares with the rest of the store. */
interface MemoryReaders {
  narrow(namespace: NamespaceEntry, filter: Filter, limit: number): number[] | undefined;
  read(namespace: NamespaceEntry, key: number): { readonly memory: Memory; readonly isDamaged: boolean } | undefined;
  readHit(namespace: NamespaceEntry, key: number, view: MemoryView, nowUs: Micros): Memory | undefined;
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
      return row && memoryOrRest(namespace.name, row);
    },
    readHit: ({ name }, pk, view, nowUs) => readHit(database, name, { pk, view, nowUs }),
  };
}
