import type { Change } from '../../change-log/change-log.ts';
import { bytesOfChange } from '../../change-log/namespace-tail.ts';
import { admits } from '../../memory/evaluate-filter.ts';
import type { Filter } from '../../memory/filter.ts';
import { compactedFor } from '../../memory/log-errors.ts';

export interface ToldChange {
  readonly change: Change;
  /** The filter does not admit the memory any more. */
  readonly leaves: boolean;
}

export interface Telling {
  readonly filter?: Filter;
  readonly includeTouched: boolean;
  /** Of moves between tiers only those are told otherwise that bring a memory into the filter or out of it. */
  readonly includeMoved: boolean;
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
  telling: Telling,
): { readonly changes: ToldChange[]; readonly revision: number; readonly origin: number } {
  const { batchBytesMax, passedOrigin = 0 } = telling;
  const changes: ToldChange[] = [];
  let bytes = 0;
  let revision = 0;
  let origin = 0;
  for (const change of page) {
    if (change.kind === 'gap' && (change.origin ?? 0) > passedOrigin) {
      if (changes.length > 0) return { changes, revision, origin };
      throw compactedFor(change.revision - 1, change.revision);
    }
    const told = toldChange(change, telling);
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
function toldChange(change: Change, { filter, includeTouched, includeMoved }: Telling): ToldChange | undefined {
  const { kind, memory, former, formerTier } = change;
  if (kind === 'gap' || (kind === 'touched' && !includeTouched)) return undefined;
  const isMove = kind === 'moved';
  const isOfMemory = isMove || kind === 'stored' || kind === 'updated' || kind === 'embedded' || kind === 'touched';
  if (!filter) return isMove && !includeMoved ? undefined : { change, leaves: false };
  if (!isOfMemory) return { change, leaves: false };
  const before = memory && formerTier ? { ...memory, tier: formerTier } : former;
  const wasAdmitted = () => before !== undefined && admits(filter, before);
  if (memory && admits(filter, memory)) {
    return isMove && !includeMoved && wasAdmitted() ? undefined : { change, leaves: false };
  }
  return memory && wasAdmitted() ? { change, leaves: true } : undefined;
}
