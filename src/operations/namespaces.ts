import type { Call } from '../memory/call.ts';
import { MnemeError } from '../memory/errors.ts';
import type { DeleteOutcome, NamespaceOutcome } from '../storage/memory-store.ts';
import type { SessionStore } from '../storage/session-store.ts';
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

/** With `force` the namespace's memories are erased with it, and its sessions. */
export async function deleteNamespace(
  { store, clock, sessions }: NamespaceDeps & { readonly sessions?: SessionStore },
  request: { readonly name: string; readonly force: boolean },
  call: Call,
): Promise<DeleteOutcome> {
  // Sessions that lie with the memories go with them; others go first, so that a crash leaves none behind.
  if (sessions && !sessions.storesEpisodes) await eraseSessions({ store, sessions }, request, call);
  return store.deleteNamespace({ ...request, atUs: clock.nowUs(), ...onceFor(call) });
}

async function eraseSessions(
  { store, sessions }: { readonly store: MemoryDeps['store']; readonly sessions: SessionStore },
  { name, force }: { readonly name: string; readonly force: boolean },
  { idempotency }: Call,
): Promise<void> {
  if (idempotency && (await store.outcomeOf(name, idempotency))) return;
  if (force) {
    await store.getNamespace(name);
    await sessions.eraseNamespace(name);
  } else if ((await sessions.sessions({ namespace: name, limit: 1 })).length > 0) {
    const resource = `namespaces/${name}`;
    throw new MnemeError('NAMESPACE_NOT_EMPTY', `${resource} still holds sessions`, {
      metadata: { name: resource, memories: '0' },
    });
  }
}
