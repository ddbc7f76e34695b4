/** What a memory has lost for good. */
export interface CompactionRecord {
  /** Of the memory as it was given. */
  readonly checksum: string;
  /** Bytes of the content as it was given. */
  readonly contentBytes: number;
  /** Keys that were found and dropped, by name. */
  readonly droppedKeys: readonly string[];
  /** Decimals that fractions were rounded to; absent where none was changed. */
  readonly decimals?: number;
}
