import type { Call } from '../../memory/call.ts';
import type { WriteOutcome } from '../../storage/memory-store.ts';
import { expectedRevision } from './expected-revision.ts';
import { type MemoryDeps, onceFor } from './operation-deps.ts';

export interface SetImportanceRequest {
  readonly namespace: string;
  readonly id: string;
  /** 0 to 1. */
  readonly importance: number;
  /** Empty: whatever the memory's is. */
  readonly ifVersion?: number | undefined;
}

export function setImportance(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { namespace, id, importance, ifVersion }: SetImportanceRequest,
  call: Call,
): Promise<WriteOutcome> {
  return store.update({
    namespace,
    id,
    changes: { importance },
    atUs: clock.nowUs(),
    ...expectedRevision(ifVersion),
    ...onceFor(call),
  });
}
