import type { Micros } from '../memory/memory.ts';

/**
 * Vectors of a namespace made anew beside those that are in use: memories are read in batches from a cursor that is
 * stored with the vectors, and the new vectors come into use all at once. Whatever happens to memories meanwhile, none
 * is left out and none keeps a vector of a former text.
 */
export interface ReembeddingStore {
  /**
   * Begins anew when another model was under way, or vectors of another dimension; goes on when the same is. Answers false,
   * and does nothing, where every text has a vector of the model and dimension already. A dimension of 0 is not known,
   * and taken for the same. Fails with NAMESPACE_NOT_FOUND.
   */
  beginReembedding(write: { namespace: string; model: string; dimension: number; atUs: Micros }): Promise<boolean>;
  /** What is under way, by namespace. */
  reembeddings(): Promise<Reembedding[]>;
  /** Texts to embed next; none when all are done. */
  reembeddingBatch(read: { namespace: string; limit: number }): Promise<ReembeddingText[]>;
  /**
   * Keeps the vectors and moves on behind the last text. What changed since it was read is left for later; nothing is
   * done when the model is not under way any more. Fails with DIMENSION_MISMATCH.
   */
  setReembedded(write: { namespace: string; model: string; vectors: readonly ReembeddedVector[] }): Promise<void>;
  /** Puts the new vectors in the place of the old ones; false when there are texts to embed still. */
  finishReembedding(write: { namespace: string; model: string; atUs: Micros }): Promise<boolean>;
}

export interface Reembedding {
  readonly namespace: string;
  /** Empty where the namespace has no vectors in use. */
  readonly fromModel: string;
  readonly toModel: string;
  readonly doneCount: number;
  /** As of the beginning. */
  readonly totalCount: number;
  readonly startedAtUs: Micros;
}

export interface ReembeddingText {
  /** Row key. */
  readonly key: number;
  readonly checksum: string;
  readonly text: string;
}

export interface ReembeddedVector {
  readonly key: number;
  readonly checksum: string;
  /** Absent when the text has none. */
  readonly values?: Float32Array;
}
