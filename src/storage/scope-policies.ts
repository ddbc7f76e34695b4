import type { Idempotency } from '../memory/call.ts';
import type { Micros } from '../memory/memory.ts';
import type { ScopePolicy } from '../memory/scope.ts';

/** Policies of the scopes of each namespace, beside the memories that they are about: writes are checked where they are made. */
export interface ScopePolicies {
  /** Takes a policy that allows everything away. Fails with SCOPES_FULL, NAMESPACE_NOT_FOUND. */
  set(write: { namespace: string; policy: ScopePolicy; atUs: Micros; idempotency?: Idempotency }): Promise<ScopePolicy>;
  /** In the order of the parts of their scopes. Of a namespace that is not there: none. */
  list(namespace: string): Promise<readonly ScopePolicy[]>;
  /** What `list` would give, where that is known without waiting: every call asks. */
  atHand(namespace: string): readonly ScopePolicy[] | undefined;
  /** Calls back with its namespace when a policy may have changed, before `set` answers. Returns what ends that. */
  onChange(listener: (namespace: string) => void): () => void;
}

export const SCOPE_POLICIES_MAX = 1000;

/**
 * Which keyspaces of a store that others can empty this server has seen, kept where they cannot. A keyspace that has another
 * epoch than the one that was seen is not the same keyspace any more.
 */
export interface SeenKeyspaces {
  epochOf(room: string): Promise<string | undefined>;
  /** Resolves when it is durable. */
  see(write: { readonly room: string; readonly epoch: string }): Promise<void>;
}
