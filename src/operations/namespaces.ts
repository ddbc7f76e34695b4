import type { Call } from '../memory/call.ts';
import type { DeleteOutcome, NamespaceOutcome } from '../storage/memory-store.ts';
import { expectedRevision } from './expected-revision.ts';
import { type MemoryDeps, onceFor } from './operation-deps.ts';

type NamespaceDeps = Pick<MemoryDeps, 'store' | 'clock'>;

export interface NamespaceDraft {
  readonly name: string;
  readonly description: string;
  /** 0: none. */
  readonly memoryLimit: number;
}

export function createNamespace(
  { store, clock }: NamespaceDeps,
  draft: NamespaceDraft,
  call: Call,
): Promise<NamespaceOutcome> {
  return store.createNamespace({ ...draft, atUs: clock.nowUs(), ...onceFor(call) });
}

/** Changes the fields that are given; a non-empty etag must be the namespace's. */
export function updateNamespace(
  { store, clock }: NamespaceDeps,
  { etag, ...changes }: Pick<NamespaceDraft, 'name'> & Partial<NamespaceDraft> & { readonly etag: string },
  call: Call,
): Promise<NamespaceOutcome> {
  return store.updateNamespace({ ...changes, atUs: clock.nowUs(), ...expectedRevision(etag), ...onceFor(call) });
}

/** With `force` the namespace's memories are erased with it. */
export function deleteNamespace(
  { store, clock }: NamespaceDeps,
  request: { readonly name: string; readonly force: boolean },
  call: Call,
): Promise<DeleteOutcome> {
  return store.deleteNamespace({ ...request, atUs: clock.nowUs(), ...onceFor(call) });
}
