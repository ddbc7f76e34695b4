import type { VectorIndex } from './vector-index.ts';

/** A vector index that takes vectors in at once and improves itself in slices of time. */
export interface GrowingIndex extends VectorIndex {
  /** Works for about `budgetMs`; false when there is nothing left to do. */
  advance(budgetMs: number): boolean;
  /** Replaces the vector of a key by another form of the same one, such as one of fewer bits. */
  reform(key: number, vector: Float32Array): void;
  /** Vectors that are still searched exactly. */
  readonly exactCount: number;
  readonly bytes: number;
}

/** Whose index it is, and of what vectors. */
export interface IndexOwner {
  readonly key: number;
  readonly name: string;
  readonly embeddingModel: string;
  readonly embeddingDimension: number;
}

/** The state of the store that an index has taken in. */
export interface StoreState {
  readonly revision: number;
  /** Tells that store at that revision from another one, such as a copy that was put back in its place. */
  readonly mark: string;
}

/** Makes vector indexes and keeps them between runs. What is loaded is checked; what is damaged is not loaded. */
export interface IndexFiles {
  create(dimension: number): GrowingIndex;
  load(owner: IndexOwner): ({ readonly index: GrowingIndex } & StoreState) | undefined;
  /** Keeps the index as it is at the moment of the call; it may go on changing meanwhile. One call at a time. */
  save(owner: IndexOwner, index: GrowingIndex, state: StoreState): Promise<void>;
  forget(ownerKey: number): void;
}
