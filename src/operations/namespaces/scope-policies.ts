import type { Call } from '../../memory/call.ts';
import type { Clock } from '../../memory/clock.ts';
import type { ScopePolicy } from '../../memory/scope.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';
import type { ScopePolicies } from '../../storage/scope-policies.ts';
import { onceFor } from '../memories/operation-deps.ts';

export interface PolicyDeps {
  readonly store: MemoryStore;
  readonly policies: ScopePolicies;
  readonly clock: Clock;
}

export function setScopePolicy(
  { policies, clock }: PolicyDeps,
  write: { namespace: string; policy: ScopePolicy },
  call: Call,
): Promise<ScopePolicy> {
  return policies.set({ ...write, atUs: clock.nowUs(), ...onceFor(call) });
}

export async function listScopePolicies(
  { store, policies }: PolicyDeps,
  namespace: string,
): Promise<readonly ScopePolicy[]> {
  await store.getNamespace(namespace);
  return policies.list(namespace);
}
