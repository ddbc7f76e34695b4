import type { ConflictPolicy } from '../enums.ts';
import type { MnemeError } from '../errors.ts';
import type { Memory, NewMemory } from '../memory.ts';
import type { WriteReceipt } from '../memory-calls.ts';
import type { StreamOptions } from './resuming.ts';

export interface IngestOptions extends StreamOptions {
  /** Handling of a memory whose id exists. Default `keep`. */
  readonly conflictPolicy?: ConflictPolicy;
  /**
   * Names the stream. To go on in another process after a crash, give the same name, the `acknowledgedSequence` of the last
   * progress as `after`, and the memories behind it. Default: a new UUID.
   */
  readonly streamId?: string;
  readonly acknowledgedSequence?: number;
  /** Also reports the receipts of stored memories. Default false. */
  readonly receipts?: boolean;
}

export interface IngestProgress {
  /** Number of the last memory that is settled: on disk, or refused. The first memory has the number 1. */
  readonly acknowledgedSequence: number;
  readonly storedCount: number;
  /** Memories whose id existed and was kept, or that were stored before an interruption. */
  readonly existingCount: number;
  readonly refusedCount: number;
  /** Memories refused since the previous progress, and why. */
  readonly refused: readonly { readonly sequence: number; readonly error: MnemeError }[];
  /** Memories stored since the previous progress, when `receipts` is set. */
  readonly receipts: readonly (WriteReceipt & { readonly sequence: number })[];
  /** Newest revision of this stream. */
  readonly revision: number;
}

export interface IngestCalls {
  /**
   * Stores memories as they arrive, read no faster than the server stores them, and reports durable ones. A broken
   * stream is resumed: nothing is lost and nothing is stored twice. Ends when everything is acknowledged.
   */
  ingest(
    memories: AsyncIterable<NewMemory | Memory> | Iterable<NewMemory | Memory>,
    options?: IngestOptions,
  ): AsyncGenerator<IngestProgress, void, undefined>;
}
