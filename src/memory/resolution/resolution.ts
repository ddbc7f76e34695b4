/** How much of a memory a tier keeps ready for scanning and ranking. The remainder is stored compressed. */
export interface Resolution {
  /** Most bytes of the text that words and ranking go by; 0: the whole text. */
  readonly abstractBytesMax: number;
  /** Level of zstd for contents and for texts that have an abstract, 1 to 19; 0: they are left as they are. */
  readonly compressionLevel: number;
  readonly vector: VectorForm;
  /** Leading values of the vector that are kept; 0: all. */
  readonly vectorDimension: number;
  /** What may be removed permanently. Absent: nothing. */
  readonly lossy?: Compaction;
}

export type VectorForm = 'f32' | 'bf16' | 'i8';

export interface Compaction {
  /** Keys of the content's objects, at any depth, that are dropped with their values. */
  readonly dropKeys: readonly string[];
  /** Decimals that fractions are rounded to. Absent: they are left alone. */
  readonly decimals?: number;
}

export const FULL_RESOLUTION: Resolution = {
  abstractBytesMax: 0,
  compressionLevel: 0,
  vector: 'f32',
  vectorDimension: 0,
};

export function isFull(resolution: Resolution): boolean {
  const { abstractBytesMax, compressionLevel, vector, vectorDimension, lossy } = resolution;
  return abstractBytesMax === 0 && compressionLevel === 0 && vector === 'f32' && vectorDimension === 0 && !lossy;
}

/** Record of what a memory has lost permanently. */
export interface CompactionRecord {
  /** Checksum of the original memory. */
  readonly checksum: string;
  /** Size of the original content in bytes. */
  readonly contentBytes: number;
  /** Keys that were found and dropped, by name. */
  readonly droppedKeys: readonly string[];
  /** Decimals that fractions were rounded to; absent where none was changed. */
  readonly decimals?: number;
}
