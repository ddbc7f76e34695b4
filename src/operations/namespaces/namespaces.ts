import type { Call } from '../../memory/call.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { SettingChange } from '../../memory/tier-settings.ts';
import type { DeleteOutcome, NamespaceOutcome } from '../../storage/memory-store.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import { expectedRevision } from '../memories/expected-revision.ts';
import { type MemoryDeps, onceFor } from '../memories/operation-deps.ts';
import { checkSettings } from './check-settings.ts';

type NamespaceDeps = Pick<MemoryDeps, 'store' | 'tiers' | 'clock'>;

export interface NamespaceDraft {
  readonly name: string;
  readonly description: string;
  /** 0: none. */
  readonly memoryLimit: number;
  readonly settings: readonly SettingChange[];
}

export interface NamespaceChange extends Partial<NamespaceDraft> {
  readonly name: string;
  readonly ifVersion?: number | undefined;
  /** Accepts limits below what the tiers hold. */
  readonly allowDemotion: boolean;
}

/** Fails with FIELD_INVALID on settings that are wrong. */
export async function createNamespace(
  deps: NamespaceDeps,
  draft: NamespaceDraft,
  call: Call,
): Promise<NamespaceOutcome> {
  const { store, clock } = deps;
  await checkSettings(deps, { name: draft.name, settings: draft.settings, allowDemotion: true });
  return store.createNamespace({ ...draft, atUs: clock.nowUs(), ...onceFor(call) });
}

/** Changes the fields that are given; `ifVersion` must be the namespace's version. Settings are checked as a whole first. */
export async function updateNamespace(
  deps: NamespaceDeps,
  { ifVersion, allowDemotion, ...changes }: NamespaceChange,
  call: Call,
): Promise<NamespaceOutcome> {
  const { store, clock } = deps;
  const { name, settings } = changes;
  const earlier = call.idempotency && (await store.outcomeOf(name, call.idempotency));
  if (earlier) return earlier as NamespaceOutcome;
  // Another server may have made it in the store that both share: from now on it is here as well.
  await store.getNamespace(name);
  if (settings) await checkSettings(deps, { name, settings, allowDemotion });
  return store.updateNamespace({ ...changes, atUs: clock.nowUs(), ...expectedRevision(ifVersion), ...onceFor(call) });
}

/** With `force` the namespace's memories are erased with it, and its sessions. */
export async function deleteNamespace(
  { store, clock, sessions }: Pick<NamespaceDeps, 'store' | 'clock'> & { readonly sessions?: SessionStore },
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
