import type { Call } from '../../memory/call.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Tier } from '../../memory/memory.ts';
import { type ValidityView, validFilter } from '../../memory/validity.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { waitForRevision } from './wait-for-revision.ts';

export interface CountRequest {
  readonly namespace: string;
  readonly filter?: Filter;
  readonly validity: ValidityView;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

export interface MemoryCount {
  readonly count: number;
  readonly tiers: readonly (readonly [Tier, number])[];
  readonly revision: number;
}

/** The number of memories that listing them would give, exactly, at a revision that it has in full. */
export async function countMemories(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { namespace, filter, validity, minRevision }: CountRequest,
  call: Call,
): Promise<MemoryCount> {
  if (minRevision > store.revision) await waitForRevision(store, minRevision, call);
  const { revision } = store;
  const nowUs = clock.nowUs();
  const counted = validFilter(filter, validity, nowUs);
  const { deadlineAtMs } = call;
  const tiers = [...(await store.count({ namespace, ...(counted ? { filter: counted } : {}), nowUs, deadlineAtMs }))];
  return { count: tiers.reduce((sum, [, count]) => sum + count, 0), tiers, revision };
}
