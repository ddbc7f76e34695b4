import type { Clock } from '../../memory/clock.ts';
import type { RecordCopies } from '../record-copies.ts';
import type { LoggedRecords } from '../record-log.ts';
import type { Records } from '../records.ts';
import type { ReembeddingStore } from '../reembedding-store.ts';
import type { View } from '../view.ts';

/** Disk space of a view. */
export interface ViewSpace {
  /** Bytes of the database without its free pages, and of the files that are made from it. */
  readonly bytes: number;
  /** Rows of evicted namespaces are still there. */
  readonly isErasing: boolean;
}

export interface ViewedOptions {
  readonly records: LoggedRecords;
  /** Holds copies alone: without it, all of them are made again. */
  readonly view: Records &
    View & {
      readonly copies: RecordCopies;
      readonly reembedding: ReembeddingStore;
      space(): Promise<ViewSpace>;
      /** Erases a part of the rows of deleted namespaces, and gives a part of the free pages back to the disk. */
      eraseLeftovers(): Promise<{ readonly isDone: boolean }>;
      /** Deletes files that are made from deleted namespaces. */
      dropFilesOfDeleted(): Promise<void>;
    };
  readonly clock: Clock;
  /** Called when the view could not follow in the background; the next read tries again. */
  readonly onFailure: (namespace: string, error: unknown) => void;
  /** Longest wait of a call for a view that is built; the build goes on without it. */
  readonly buildWaitMs: number;
  /** Space above which namespaces that nothing uses are evicted; 0 is no limit. */
  readonly diskBytesMax: number;
}

/** Runs a part of a long work when its turn has come. */
export type InTurn = <T>(part: () => Promise<T>) => Promise<T>;
