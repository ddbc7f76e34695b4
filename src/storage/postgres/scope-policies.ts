import { checkWritable, type ScopePolicy } from '../../memory/scope.ts';
import type { StoreWrite } from '../memory-store.ts';
import { changedPolicies } from '../rules/changed-policies.ts';
import type { Entry } from '../rules/draft.ts';
import type { ScopePolicies } from '../scope-policies.ts';
import type { PostgresAccess } from './access.ts';
import type { NamespaceDraft } from './loaded-namespace.ts';
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

/**
 * Runs a write that changes memories on a draft. Fails with SCOPE_READ_ONLY where a changed memory is, or was, in a
 * read-only scope.
 */
export function runWritable<O>(draft: NamespaceDraft, ids: readonly string[], run: () => O): O {
  if (!draft.policies.some(({ isReadOnly }) => isReadOnly)) return run();
  const before = new Map(ids.map((id) => [id, draft.entries.get(id)]));
  const outcome = run();
  for (const [id, former] of before) {
    const present = draft.entries.get(id);
    if (former !== present) checkEntries(draft.policies, [former, present]);
  }
  return outcome;
}

function checkEntries(policies: readonly ScopePolicy[], entries: readonly (Entry | undefined)[]): void {
  for (const entry of entries) if (entry) checkWritable(policies, entry.memory.scope);
}

/** Fails with SCOPE_READ_ONLY also for memories that equal the stored ones. */
export function checkStored(draft: NamespaceDraft, { memories }: Pick<StoreWrite, 'memories'>): void {
  for (const { scope } of memories) checkWritable(draft.policies, scope);
}
