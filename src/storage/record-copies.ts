import type { Micros } from '../memory/memory.ts';
import type { BodyCopies } from './body-store.ts';
import type { MemoryCopy, RecordEntry, RecordPosition } from './record-log.ts';

/** Copies of the memories of a record store, in a view. */
export interface RecordCopies extends Omit<BodyCopies, 'renew'> {
  /**
   * Applies the entries to the copies, in order, in one transaction with the position; without entries, brings the copies
   * to the states in the write. Applying an entry twice changes nothing. A copy without its body is kept, and reported
   * as damaged, until it comes with its body.
   */
  apply(write: CopiesWrite): Promise<{ revision: number }>;
  /** `undefined` before the first write. */
  position(namespace: string): Promise<RecordPosition | undefined>;
  /** Whether the log of the view has the deletion of a namespace of the name. */
  hadNamespace(name: string): Promise<boolean>;
}

export interface CopiesWrite extends RecordPosition {
  readonly namespace: string;
  readonly entries: readonly RecordEntry[];
  readonly memories: readonly MemoryCopy[];
  /** Present when the entries up to this revision are incomplete. */
  readonly completeFrom?: number;
  /**
   * Entries from this revision on are missing: readers of the log of the view get a notice before the changes of this
   * write.
   */
  readonly gapFrom?: number;
  /** Lower limit of the revision of the view after the write. */
  readonly revision: number;
  /** Lower limit of the revisions that the entries get in the log of the view. Absent: none. */
  readonly revisionFloor?: number;
  /** The namespace itself was changed in the records: the log of the view gets an entry of it, before the others. */
  readonly updatesNamespace?: boolean;
  readonly atUs: Micros;
}
