import type { Change } from '../change-log/change-log.ts';
import { bytesOfChange } from '../change-log/namespace-tail.ts';
import { admits } from '../memory/evaluate-filter.ts';
import type { Filter } from '../memory/filter.ts';
import { compactedFor } from '../memory/log-errors.ts';

export interface ToldChange {
  readonly change: Change;
  /** The filter does not admit the memory any more. */
  readonly leaves: boolean;
}

export interface Telling {
  readonly filter?: Filter;
  readonly includeTouched: boolean;
  readonly batchBytesMax: number;
  /** Changes of other servers up to this one may be missing. */
  readonly passedOrigin?: number;
}

/**
 * What is to be told of a page, as much as a message may hold. Fails with REVISION_COMPACTED where changes of another server
 * that came next are not here.
 */
export function toldOf(
  page: readonly Change[],
  throughRevision: number,
  { filter, includeTouched, batchBytesMax, passedOrigin = 0 }: Telling,
): { readonly changes: ToldChange[]; readonly revision: number; readonly origin: number } {
  const changes: ToldChange[] = [];
  let bytes = 0;
  let revision = 0;
  let origin = 0;
  for (const change of page) {
    if (change.kind === 'gap' && (change.origin ?? 0) > passedOrigin) {
      if (changes.length > 0) return { changes, revision, origin };
      throw compactedFor(change.revision - 1, change.revision);
    }
    const isPassed = change.kind === 'gap' || (change.kind === 'touched' && !includeTouched);
    const told = isPassed ? undefined : toldChange(change, filter);
    if (told) {
      bytes += bytesOfChange(told.change);
      if (changes.length > 0 && bytes > batchBytesMax) return { changes, revision, origin };
      changes.push(told);
    }
    revision = change.revision;
    origin = Math.max(origin, change.origin ?? 0);
  }
  return { changes, revision: throughRevision, origin };
}

/** Nothing where the filter admits the memory neither before nor after; what was erased is told to all. */
function toldChange(change: Change, filter: Filter | undefined): ToldChange | undefined {
  const { kind, memory, former } = change;
  const isOfMemory = kind === 'stored' || kind === 'updated' || kind === 'embedded' || kind === 'touched';
  if (!filter || !isOfMemory) return { change, leaves: false };
  if (memory && admits(filter, memory)) return { change, leaves: false };
  return memory && former && admits(filter, former) ? { change, leaves: true } : undefined;
}
