import type { Idempotency } from '../memory/call.ts';
import type { Micros } from '../memory/memory.ts';
import type { ScopePolicy } from '../memory/scope.ts';

/**
 * Policies of the scopes of each namespace, in the store of their memories: the owner of a memory checks its writes.
 */
export interface ScopePolicies {
  /** Deletes a policy that allows everything. Fails with SCOPES_FULL, NAMESPACE_NOT_FOUND. */
  set(write: { namespace: string; policy: ScopePolicy; atUs: Micros; idempotency?: Idempotency }): Promise<ScopePolicy>;
  /** In the order of the parts of their scopes. A missing namespace has none. */
  list(namespace: string): Promise<readonly ScopePolicy[]>;
  /** Result of `list` if it is cached, as every call needs it. */
  atHand(namespace: string): readonly ScopePolicy[] | undefined;
  /**
   * Calls back with the namespace when a policy may have changed, before `set` resolves. Returns a function that stops
   * it.
   */
  onChange(listener: (namespace: string) => void): () => void;
}

export const SCOPE_POLICIES_MAX = 1000;

/**
 * Epochs of the keyspaces that this server has seen in a store that others can empty, recorded outside that store. A
 * keyspace with another epoch than the recorded one is a different keyspace.
 */
export interface SeenKeyspaces {
  epochOf(keyspace: string): Promise<string | undefined>;
  /** Resolves when it is durable. */
  see(write: { readonly keyspace: string; readonly epoch: string }): Promise<void>;
}
