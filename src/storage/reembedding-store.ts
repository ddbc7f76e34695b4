import type { Micros } from '../memory/memory.ts';

/**
 * Recomputes the vectors of a namespace in a second space: memories are read in batches from a cursor that is stored
 * with the vectors, and the new vectors come into use all at once. Concurrent changes neither skip a memory nor leave a
 * vector of a former text.
 */
export interface ReembeddingStore {
  /**
   * Starts again when another model or dimension was under way; continues when the same one is. Returns false, without
   * changes, where every text already has a vector of the model and dimension. A dimension of 0 is unknown, and counts
   * as equal. Fails with NAMESPACE_NOT_FOUND.
   */
  beginReembedding(write: { namespace: string; model: string; dimension: number; atUs: Micros }): Promise<boolean>;
  /** Recomputations under way, by namespace. */
  reembeddings(): Promise<Reembedding[]>;
  /** Texts to embed next; none when all are done. */
  reembeddingBatch(read: { namespace: string; limit: number }): Promise<ReembeddingText[]>;
  /**
   * Stores the vectors and moves the cursor after the last text. Texts that have changed since the read are left for
   * later; nothing happens when the model is no longer under way. Fails with DIMENSION_MISMATCH.
   */
  setReembedded(write: { namespace: string; model: string; vectors: readonly ReembeddedVector[] }): Promise<void>;
  /** Replaces the old vectors by the new ones; false while there are texts to embed. */
  finishReembedding(write: { namespace: string; model: string; atUs: Micros }): Promise<boolean>;
}

export interface Reembedding {
  readonly namespace: string;
  /** Empty where the namespace has no vectors in use. */
  readonly fromModel: string;
  readonly toModel: string;
  readonly doneCount: number;
  /** At the start. */
  readonly totalCount: number;
  readonly startedAtUs: Micros;
}

export interface ReembeddingText {
  /** Row key. */
  readonly key: number;
  /** Of the memory. */
  readonly id: string;
  readonly checksum: string;
  readonly text: string;
}

export interface ReembeddedVector {
  readonly key: number;
  readonly checksum: string;
  /** Absent when the text has none. */
  readonly values?: Float32Array;
}
