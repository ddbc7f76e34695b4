import { slotOf } from '../../src/storage/redis/keys.ts';
import type { RedisCluster } from './redis-cluster.ts';
import type { RedisServer } from './redis-server.ts';

const KEYS_MAX = 10_000;
const MIGRATE_MS = 30_000;

/** The slot of a key on its way from its master to another one, key by key, as `redis-cli --cluster reshard` moves it. */
export class SlotMove {
  private readonly masters: readonly RedisServer[];
  private readonly slot: string;
  private readonly source: RedisServer;
  private readonly target: RedisServer;

  private constructor(masters: readonly RedisServer[], key: string, source: RedisServer, target: RedisServer) {
    this.masters = masters;
    this.slot = String(slotOf(key));
    this.source = source;
    this.target = target;
  }

  static async begun(cluster: RedisCluster, key: string): Promise<SlotMove> {
    const masters: RedisServer[] = [];
    for (const server of cluster.servers) {
      const [role] = (await server.command('ROLE')) as string[];
      if (role === 'master') masters.push(server);
    }
    const source = await cluster.masterOf(key);
    const target = masters.find((server) => server !== source);
    if (!target) throw new Error('the cluster has one master');
    const move = new SlotMove(masters, key, source, target);
    await target.command('CLUSTER', 'SETSLOT', move.slot, 'IMPORTING', await idOf(source));
    await source.command('CLUSTER', 'SETSLOT', move.slot, 'MIGRATING', await idOf(target));
    return move;
  }

  /** Keys of the slot that are still at the source. */
  async keys(): Promise<string[]> {
    const found = await this.source.command('CLUSTER', 'GETKEYSINSLOT', this.slot, `${KEYS_MAX}`);
    return (found as string[]).toSorted();
  }

  async moveKey(key: string): Promise<void> {
    await this.source.command('MIGRATE', '127.0.0.1', `${this.target.port}`, key, '0', `${MIGRATE_MS}`);
  }

  /** Moves the other keys, then the slot. */
  async finish(): Promise<void> {
    for (let keys = await this.keys(); keys.length > 0; keys = await this.keys()) {
      for (const key of keys) await this.moveKey(key);
    }
    const to = await idOf(this.target);
    const others = this.masters.filter((server) => server !== this.target && server !== this.source);
    for (const server of [this.target, this.source, ...others]) {
      await server.command('CLUSTER', 'SETSLOT', this.slot, 'NODE', to);
    }
  }
}

const idOf = async (server: RedisServer) => String(await server.command('CLUSTER', 'MYID'));
