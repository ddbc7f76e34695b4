import type { ChangeKind } from '../enums.ts';
import type { FilterLike } from '../filter.ts';
import type { Memory, MemoryView, Scope } from '../memory.ts';
import type { StreamOptions } from './resuming.ts';

export interface WatchQuery {
  /** Selects memories. Default: all. Deletions and expiries are yielded whatever the filter. */
  readonly filter?: FilterLike;
  readonly scope?: Omit<Scope, 'namespace'>;
  /** First revision. Default: the first change after the call. */
  readonly startRevision?: number;
  /** `resumeToken` of an earlier event of the same query: continues after it. */
  readonly resumeToken?: string;
  /** Default `basic`; vectors are never included. */
  readonly view?: MemoryView;
  /** Includes reads with `touch`. */
  readonly includeTouched?: boolean;
  /** Includes moves between tiers that bring a memory neither into the filter nor out of it. */
  readonly includeMoved?: boolean;
  /** Yields `caught_up` as well, whenever everything up to a revision has been yielded. Default false: only changes. */
  readonly progress?: boolean;
  /**
   * Handling of changes that are no longer retained: `list` (default) lists all memories and continues from there,
   * `fail` throws `OutOfRangeError`.
   */
  readonly onCompacted?: 'list' | 'fail';
}

/** The contents of a change, independent of its delivery. */
export interface MemoryChange {
  readonly kind: ChangeKind;
  /** Empty for changes of the namespace. */
  readonly id: string;
  readonly time: Date;
  /** As the change left it; absent when it was erased, then or later, and when it leaves the filter. */
  readonly memory?: Memory;
  /** The filter admitted it before and does not any more. */
  readonly leaves: boolean;
  readonly revision: number;
}

export type WatchEvent =
  | (MemoryChange & { readonly resumeToken: string })
  /** Everything up to the revision has been yielded; with `progress`. */
  | {
      readonly kind: 'caught_up';
      readonly revision: number;
      readonly resumeToken: string;
      readonly memory?: undefined;
    }
  /** Changes are missing: discard the known state; all memories follow as `listed`. */
  | { readonly kind: 'relisting'; readonly revision: number; readonly memory?: undefined }
  | { readonly kind: 'listed'; readonly id: string; readonly memory: Memory; readonly revision: number };

export interface WatchCalls {
  /**
   * Every change of the namespace, in order of revision and each once, for ever: a stream that breaks is opened again
   * where it was. Leaving the loop, or the signal, ends it.
   */
  watch(query?: WatchQuery, options?: StreamOptions): AsyncGenerator<WatchEvent, void, undefined>;
}
