import type { ChangeKind } from '../enums.ts';
import type { FilterLike } from '../filter.ts';
import type { Memory, MemoryView, Scope } from '../memory.ts';
import type { StreamOptions } from './resuming.ts';

export interface WatchQuery {
  /** Which memories to tell of. Default: all. Deletions and expiries are told whatever the filter says. */
  readonly filter?: FilterLike;
  readonly scope?: Omit<Scope, 'namespace'>;
  /** First revision to tell of. Default: the first change after the call. */
  readonly startRevision?: number;
  /** `resumeToken` of an earlier event of the same query: goes on behind it. */
  readonly resumeToken?: string;
  /** Default `basic`; vectors are never told. */
  readonly view?: MemoryView;
  /** Also tells that memories were read with `touch`. */
  readonly includeTouched?: boolean;
  /** Also tells moves between tiers that bring a memory neither into the filter nor out of it. */
  readonly includeMoved?: boolean;
  /**
   * What to do when changes that are still to be told are no longer kept: `list` (default) tells all that is there and
   * goes on from there, `fail` throws `OutOfRangeError`.
   */
  readonly onCompacted?: 'list' | 'fail';
}

/** What a change says, whoever delivers it. */
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
  /** Everything up to the revision has been told. */
  | { readonly kind: 'caught_up'; readonly revision: number; readonly resumeToken: string }
  /** Changes are missing: what was known is to be forgotten; all that is there follows as `listed`. */
  | { readonly kind: 'relisting'; readonly revision: number }
  | { readonly kind: 'listed'; readonly id: string; readonly memory: Memory; readonly revision: number };

export interface WatchCalls {
  /**
   * Every change of the namespace, in order of revision and each once, for ever: a stream that breaks is opened again
   * where it was. Leaving the loop, or the signal, ends it.
   */
  watch(query?: WatchQuery, options?: StreamOptions): AsyncGenerator<WatchEvent, void, undefined>;
}
