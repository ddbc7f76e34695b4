/**
 * Nearest vectors of one namespace by cosine. Keys are the store's row keys: whole numbers from 1 to 2^53 - 1. An index
 * is a cache: its results are checked against the store. Every implementation passes
 * `test/storage/conformance/vector-index.suite.ts`, with `exact.ts` as the oracle.
 */
export interface VectorIndex {
  readonly dimension: number;
  readonly size: number;
  /** Adds a vector or replaces the one of the same key. `vector` is copied. */
  set(key: number, vector: Float32Array): void;
  /** False when the key is not there. */
  delete(key: number): boolean;
  /** At most `limit` nearest, nearest first, ties by key. */
  search(query: Float32Array, limit: number, options?: VectorSearchOptions): Neighbor[];
}

export interface VectorSearchOptions {
  /**
   * Only keys that it admits count: the index looks further until it has `limit` of them or has seen all. May be asked
   * of the same key again.
   */
  readonly admits?: (key: number) => boolean;
  /** How many keys it admits, if that is known: a graph is asked for as many more. */
  readonly admittedCount?: number;
  /**
   * Restricts the search to these keys, without duplicates; keys that are not in the index are ignored. They are
   * searched exactly at some 0.03 µs a key; use it for scopes that are small compared with the index.
   */
  readonly candidates?: ArrayLike<number>;
  /** Switches approximation off. */
  readonly exact?: boolean;
}

export interface Neighbor {
  readonly key: number;
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number;
}

/** The first of the nearest. */
export interface FirstNeighbors {
  /** Nearest first, ties by key. */
  readonly neighbors: readonly Neighbor[];
  /** How many the whole search finds. */
  readonly count: number;
}

/** A vector index that accepts vectors immediately and optimizes itself in slices of time. */
export interface GrowingIndex extends VectorIndex {
  /** The first `first` neighbors that `search` finds for the same limit, without the work for the others. */
  searchFirst(query: Float32Array, limit: number, first: number, options?: VectorSearchOptions): FirstNeighbors;
  /** Works for about `budgetMs`; false when no work remains. */
  advance(budgetMs: number): boolean;
  has(key: number): boolean;
  /** Keys whose exact vectors could not be read since the last call: they are to be set again. */
  takeDamaged(): number[];
  /** Lets go of files and memory; it is not used again. */
  close(): void;
  /** Vectors that are still compared with by every search. */
  readonly exactCount: number;
  readonly bytes: number;
}

/** Approximate nearest neighbors without exact vectors: the owner has these, and orders what is found. */
export interface VectorGraph {
  readonly bytes: number;
  readonly dimension: number;
  /** Number of vectors. */
  readonly size: number;
  /** `units` has the vectors of the keys, each of length 1, one after the other; no key may be in the graph. */
  add(keys: readonly number[], units: Float32Array): void;
  remove(key: number): void;
  /** Keys of about the `count` nearest, roughly nearest first. */
  nearest(unit: Float32Array, count: number): number[];
}

/** The namespace that an index belongs to, and the kind of its vectors. */
export interface IndexOwner {
  readonly key: number;
  readonly name: string;
  readonly embeddingModel: string;
  readonly embeddingDimension: number;
}

/** The state of the store that an index has applied. */
export interface StoreState {
  readonly revision: number;
  /** Identifies the store's history at that revision, to tell it from another one, such as a restored copy. */
  readonly mark: string;
}

/** Creates vector indexes and persists them. Files are verified on load; damaged files are not loaded. */
export interface IndexFiles {
  create(owner: IndexOwner): GrowingIndex;
  /** An empty graph for vectors of bytes; `undefined` where a comparison with `count` of them takes as little time. */
  newGraph(dimension: number, count: number): VectorGraph | undefined;
  load(owner: IndexOwner): ({ readonly index: GrowingIndex } & StoreState) | undefined;
  /** Keeps the index as it is at the moment of the call; it may go on changing meanwhile. One call at a time. */
  save(owner: IndexOwner, index: GrowingIndex, state: StoreState): Promise<void>;
  forget(ownerKey: number): void;
}
