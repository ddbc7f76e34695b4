import { createClient } from 'redis';
import type { NewMemory } from '../../../src/storage/memory-store.ts';
import type { RedisServer } from '../../support/redis-server.ts';

/** The same work written by hand: the memory, its positions in two orders, and an entry of a log, as one step. */
const BY_HAND = `redis.call('HSET', KEYS[1] .. ARGV[1], 'd', ARGV[2], 'content', ARGV[3])
redis.call('ZADD', KEYS[1] .. 'o', ARGV[4], ARGV[1])
redis.call('ZADD', KEYS[1] .. 't', ARGV[4], ARGV[1])
redis.call('XADD', KEYS[1] .. 'log', 'MAXLEN', '~', '10000', '*', 'k', 'stored', 'i', ARGV[1])
return 1`;

/** The keys that Mneme writes for such a memory: itself, its number by id, the state of the namespace, an entry of the log. */
const SAME_KEYS = `local room, member = KEYS[1], ARGV[1]
redis.call('SET', room .. 'e:' .. member, ARGV[2] .. ARGV[3])
redis.call('HSET', room .. 'ids', 'id-' .. member, member)
redis.call('HSET', room .. 'room', 'version', member, 'room', ARGV[5])
redis.call('XADD', room .. 'log', 'MAXLEN', '~', '10000', '*', 'k', 'stored', 'i', member)
return 1`;
const ROOM = JSON.stringify({
  epoch: 'e'.repeat(36),
  namespace: { name: 'bench', settings: {} },
  revision: 1,
  count: 1,
});

/** The driver with its own scripts, and the bytes of one memory. */
export class BareDriver {
  written = 0;
  private readonly client: ReturnType<typeof createClient>;
  private readonly memory: NewMemory;
  private readonly json: string;
  private readonly sha1: { readonly byHand: string; readonly sameKeys: string };

  private constructor(client: ReturnType<typeof createClient>, memory: NewMemory, byHand: string, sameKeys: string) {
    this.client = client;
    this.memory = memory;
    this.json = JSON.stringify({ ...memory, content: undefined });
    this.sha1 = { byHand, sameKeys };
  }

  static async connected(server: RedisServer, memory: NewMemory): Promise<BareDriver> {
    const client = createClient({ url: server.url, RESP: 2, commandOptions: { timeout: 0 } });
    client.on('error', (error) => {
      throw error;
    });
    await client.connect();
    const scripts = [await client.scriptLoad(BY_HAND), await client.scriptLoad(SAME_KEYS)] as const;
    return new BareDriver(client as never, memory, ...scripts);
  }

  write(): Promise<unknown> {
    return this.run(this.sha1.byHand, `b${this.written++}`);
  }
  writeSameKeys(): Promise<unknown> {
    return this.run(this.sha1.sameKeys, `${this.written++}`);
  }
  /** Of the memories written by `write`. */
  read(at: number): Promise<unknown> {
    return this.client.sendCommand(['HGETALL', `bare:b${at}`]);
  }
  close(): void {
    this.client.destroy();
  }

  private run(sha1: string, name: string): Promise<unknown> {
    const data = Buffer.from(this.memory.content?.data ?? []);
    return this.client.sendCommand(['EVALSHA', sha1, '1', 'bare:', name, this.json, data, `${this.written}`, ROOM]);
  }
}
