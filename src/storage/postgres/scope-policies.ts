import type { ScopePolicy } from '../../memory/scope.ts';
import { changedPolicies } from '../rules/changed-policies.ts';
import type { ScopePolicies } from '../scope-policies.ts';
import type { PostgresAccess } from './core.ts';
import { findNamespace, policiesIn } from './namespace-rows.ts';
import { BYTES_AROUND } from './write-bytes.ts';

type Access = Pick<PostgresAccess, 'submit' | 'readInCall'>;

/** Policies in the row of their namespace: each write has them when it has locked the row. */
export class PostgresScopePolicies implements ScopePolicies {
  private readonly access: Access;
  private readonly listeners = new Set<(namespace: string) => void>();

  constructor(access: Access) {
    this.access = access;
  }

  async set({ namespace, policy, atUs, idempotency }: Parameters<ScopePolicies['set']>[0]): Promise<ScopePolicy> {
    const outcome = await this.access.submit(namespace, {
      ids: [],
      atUs,
      idempotency,
      bytes: BYTES_AROUND,
      run: (draft) => {
        draft.policies = changedPolicies(namespace, draft.policies, policy);
        return policy;
      },
    });
    for (const listener of [...this.listeners]) listener(namespace);
    return outcome;
  }

  list(namespace: string): Promise<readonly ScopePolicy[]> {
    return this.access.readInCall(async (session) => policiesIn(await findNamespace(session, namespace)));
  }

  /** Other servers set policies too: each read has those of PostgreSQL. */
  atHand(): undefined {
    return undefined;
  }

  onChange(listener: (namespace: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
