import type { ScopePolicy } from '../../../memory/scope-policy.ts';
import type { ScopePolicies } from '../../scope-policies.ts';
import type { SqliteMemoryStore } from '../memory-store.ts';
import { policiesByName } from './policy-rows.ts';

/** Policies in the database of the memories. */
export class SqliteScopePolicies implements ScopePolicies {
  private readonly store: Pick<SqliteMemoryStore, 'write' | 'read'>;

  constructor(store: Pick<SqliteMemoryStore, 'write' | 'read'>) {
    this.store = store;
  }

  set(write: Parameters<ScopePolicies['set']>[0]): Promise<ScopePolicy> {
    return this.store.write('setScopePolicy', write);
  }
  list(namespace: string): Promise<readonly ScopePolicy[]> {
    return this.store.read((database) => policiesByName(database, namespace));
  }
}
