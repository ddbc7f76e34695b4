import type { ConflictPolicy } from '../enums.ts';
import type { MnemeError } from '../errors.ts';
import type { NewMemory } from '../memory.ts';
import type { WriteDegradation, WriteReceipt } from '../memory-calls.ts';
import type { StreamOptions } from './resuming.ts';

export interface IngestOptions extends StreamOptions {
  /** What to do with a memory whose id is taken. Default `keep`. */
  readonly conflictPolicy?: ConflictPolicy;
  /**
   * Names the stream. To go on in another process after a crash, give the same name, the `acknowledgedSequence` of the last
   * progress as `after`, and the memories behind it. Default: a new UUID.
   */
  readonly streamId?: string;
  readonly acknowledgedSequence?: number;
  /** Also tells the receipts of what was stored. Default false. */
  readonly receipts?: boolean;
}

export interface IngestProgress {
  /** Number of the last memory that is settled: on disk, or refused. The first memory has the number 1. */
  readonly acknowledgedSequence: number;
  readonly storedCount: number;
  /** Memories whose id was taken and kept, or that a broken connection had stored. */
  readonly existingCount: number;
  readonly refusedCount: number;
  /** Those refused since the progress before, and why. */
  readonly refused: readonly { readonly sequence: number; readonly error: MnemeError }[];
  /** Those stored since the progress before, when `receipts` is set. */
  readonly receipts: readonly (WriteReceipt & { readonly sequence: number })[];
  /** Tiers that could not take some of those stored since the progress before; absent when all is as usual. */
  readonly degraded?: readonly WriteDegradation[];
  /** Newest revision of this stream. */
  readonly revision: number;
}

export interface IngestCalls {
  /**
   * Stores memories as they come, read no faster than the server stores them, and tells what is on disk. A stream that
   * breaks is resumed: nothing is lost and nothing is stored twice. Done when everything is acknowledged.
   */
  ingest(
    memories: AsyncIterable<NewMemory> | Iterable<NewMemory>,
    options?: IngestOptions,
  ): AsyncGenerator<IngestProgress, void, undefined>;
}
