import type { SeenKeyspaces } from '../../scope-policies.ts';
import type { PostgresAccess } from '../core.ts';
import { queries } from '../database.ts';

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
