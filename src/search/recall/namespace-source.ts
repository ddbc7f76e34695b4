import type { Filter } from '../../memory/filter.ts';
import type { Content, GeoPoint, Memory, MemoryView, Micros, Point, Tier } from '../../memory/memory.ts';
import type { NearPlace, NearTime, PlaceNames } from '../../memory/place.ts';
import type { FilterRows } from './filter-rows.ts';

/**
 * Recall's read access to the store. Every method sees one state of the store between `begin` and `end`; a nested pair
 * sees the state of the outer pair. Keys are the store's row keys; those of a namespace are `firstKey + sequence`,
 * sequences from 1 upwards.
 */
export interface NamespaceSource {
  /** Of the same state. */
  readonly filterRows: FilterRows;
  begin(): void;
  end(): void;
  revision(): number;
  /** Entries of the change log up to this revision are compacted: a reader that is behind it must reload everything. */
  compactedRevision(): number;
  /** Identifies the log's content at a revision, to tell it from another store's; empty where the log has no entry. */
  markAt(revision: number): string;
  namespace(name: string): NamespaceEntry | undefined;
  /** Namespaces, most recently changed first. */
  recentNamespaces(limit: number): string[];
  /** Entries of the change log after a revision, oldest first, at most `limit`. */
  changes(afterRevision: number, limit: number): LogEntry[];
  columns(namespace: NamespaceEntry): Iterable<ColumnRow>;
  texts(namespace: NamespaceEntry, fromKey: number, limit: number): ({ readonly key: number } & RecallText)[];
  text(key: number): RecallText | undefined;
  /** Contents in the order of their keys, those of memories without one absent; damaged contents are absent too. */
  contents(
    namespace: NamespaceEntry,
    fromKey: number,
    limit: number,
  ): { readonly key: number; readonly content?: Content }[];
  content(key: number): Content | undefined;
  column(key: number): ColumnRow | undefined;
  /** Whether memories of the namespace could not be read, since pages of the store's files are damaged. */
  isDamaged(namespace: NamespaceEntry): boolean;
  /** At most `limit` vectors of the space in use, from a place on (`-Infinity`: from the first); `next` is absent with the last. */
  vectors(
    namespace: NamespaceEntry,
    from: number,
    limit: number,
  ): { readonly vectors: { readonly key: number; readonly values: Float32Array }[]; readonly next?: number };
  vector(key: number): Float32Array | undefined;
  /** Keys that the filter may admit, or `undefined` when there are more than `limit` or no index narrows it. */
  narrow(namespace: NamespaceEntry, filter: Filter, limit: number): number[] | undefined;
  /** Keys of the memories nearest to an instant or a step, nearest first, at most `limit`: found by index. */
  nearestMoments(namespace: NamespaceEntry, near: NearTime, limit: number): number[];
  /** Keys of the memories nearest to a point or with most of the names of a place, nearest first, at most `limit`: found by index. */
  nearestPlaces(namespace: NamespaceEntry, near: NearPlace, limit: number): number[];
  read(namespace: NamespaceEntry, key: number): Memory | undefined;
  /** A memory as the store returns it by id. `undefined` for an expired or damaged memory. */
  readHit(namespace: NamespaceEntry, key: number, view: MemoryView, nowUs: Micros): Memory | undefined;
  keyOf(namespace: NamespaceEntry, id: string): number | undefined;
  /** Of a memory that is there. */
  identityOf(key: number): { readonly id: string; readonly revision: number };
  /** Tier of a memory that is there. */
  tierOf(key: number): Tier;
  /** Whether a lower tier keeps text and content compressed. */
  isPacked(key: number): boolean;
}

export interface RecallText {
  /** The text used for ranking: the whole text, or its abstract where a lower tier keeps the rest compressed. */
  readonly text: string;
  /** The text searched for words: the whole text in every tier, unless its bytes are damaged. */
  readonly whole: string;
}

export interface NamespaceEntry {
  readonly key: number;
  readonly name: string;
  readonly firstKey: number;
  readonly embeddingModel: string;
  readonly embeddingDimension: number;
}

export interface LogEntry {
  readonly revision: number;
  readonly kind:
    | 'stored'
    | 'updated'
    | 'moved'
    | 'resized'
    | 'vector_resized'
    | 'erased'
    | 'embedded'
    | 'other'
    | 'namespace_erased'
    | 'vectors_replaced';
  readonly namespaceKey: number;
  readonly key: number;
  /** Id of the memory; for a namespace its name or empty. */
  readonly id: string;
}

/** When a memory is valid: from the one instant on, up to the other. */
export interface ColumnValidity {
  /** Declared start of validity; `-Infinity` where none is declared. */
  readonly fromUs: Micros;
  /** Start of validity where none is declared: when it happened or was stored, whichever was first. */
  readonly knownFromUs: Micros;
  /** Declared end of validity; `Infinity` where none is declared. */
  readonly untilUs: Micros;
}

export interface ColumnRow {
  readonly key: number;
  /** Names the session across agents; empty when the memory has none. */
  readonly session: string;
  readonly speaker: string;
  readonly eventAtUs: Micros;
  readonly importance: number;
  /** `Infinity` when never. */
  readonly expiresAtUs: Micros;
  readonly superseded: boolean;
  /** Sums up a conversation: it has no session, as it is no turn of it. Default false. */
  readonly isSummary?: boolean;
  /** Absent where no validity is declared and the event time is not after the time of storing. */
  readonly validity?: ColumnValidity;
  readonly step?: number;
  readonly point?: Point;
  readonly geo?: GeoPoint;
  /** Absent where the place has none. */
  readonly names?: PlaceNames;
}
