import type { Call } from '../../memory/call.ts';
import type { DeleteOutcome } from '../../storage/memory-store.ts';
import { expectedRevision } from './expected-revision.ts';
import { type MemoryDeps, onceFor } from './operation-deps.ts';

export interface DeleteRequest {
  readonly namespace: string;
  readonly id: string;
  /** Empty: whatever the memory's is. */
  readonly ifVersion?: number | undefined;
  /** A memory that is not there counts as deleted. */
  readonly allowMissing: boolean;
}

/** Erases a memory with its revisions. */
export function deleteMemory(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { namespace, id, ifVersion, allowMissing }: DeleteRequest,
  call: Call,
): Promise<DeleteOutcome> {
  return store.delete({
    namespace,
    ids: [id],
    cause: 'deleted',
    mustExist: !allowMissing,
    atUs: clock.nowUs(),
    ...expectedRevision(ifVersion),
    ...onceFor(call),
  });
}
