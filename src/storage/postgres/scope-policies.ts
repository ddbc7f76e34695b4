import type { ScopePolicy } from '../../memory/scope.ts';
import { changedPolicies } from '../rules/changed-policies.ts';
import type { ScopePolicies, SeenKeyspaces } from '../scope-policies.ts';
import type { PostgresAccess } from './core.ts';
import { queries } from './database.ts';
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

/** Epochs of the keyspaces of sessions in Redis, one for all servers: each notices what Redis lost while it was off. */
export class PostgresSeenKeyspaces implements SeenKeyspaces {
  private readonly access: Pick<PostgresAccess, 'read' | 'transaction'>;

  constructor(access: Pick<PostgresAccess, 'read' | 'transaction'>) {
    this.access = access;
  }

  async epochOf(keyspace: string): Promise<string | undefined> {
    const query = queries.selectFrom('session_keyspace').select('epoch').where('namespace', '=', keyspace);
    const [row] = await this.access.read((session) => session.run(query));
    return row?.epoch;
  }

  async see({ keyspace: namespace, epoch }: Parameters<SeenKeyspaces['see']>[0]): Promise<void> {
    const query = queries
      .insertInto('session_keyspace')
      .values({ namespace, epoch })
      .onConflict((conflict) => conflict.column('namespace').doUpdateSet({ epoch }));
    await this.access.transaction((session) => session.run(query));
  }
}
