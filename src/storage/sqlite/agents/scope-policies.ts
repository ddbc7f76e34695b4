import type { ScopePolicy } from '../../../memory/scope.ts';
import type { ScopePolicies } from '../../scope-policies.ts';
import type { SqliteMemoryStore } from '../memory-store.ts';

/** Policies in the database of the memories. */
export class SqliteScopePolicies implements ScopePolicies {
  private readonly store: Pick<SqliteMemoryStore, 'write' | 'scopePolicies' | 'policies'>;

  constructor(store: Pick<SqliteMemoryStore, 'write' | 'scopePolicies' | 'policies'>) {
    this.store = store;
  }

  set(write: Parameters<ScopePolicies['set']>[0]): Promise<ScopePolicy> {
    return this.store.write({ kind: 'setScopePolicy', ...write });
  }
  atHand(namespace: string): readonly ScopePolicy[] | undefined {
    return this.store.policies.atHand(namespace);
  }
  onChange(listener: (namespace: string) => void): () => void {
    return this.store.policies.onChange(listener);
  }
  list(namespace: string): Promise<readonly ScopePolicy[]> {
    return this.store.scopePolicies(namespace);
  }
}
