import { createClient } from 'redis';
import type { NewMemory } from '../../../src/storage/memory-store.ts';
import type { RedisServer } from '../../support/redis-server.ts';

/** What a program would do by hand: the memory, its places in two orders, and an entry of a log, as one step. */
const BY_HAND = `redis.call('HSET', KEYS[1] .. ARGV[1], 'd', ARGV[2], 'content', ARGV[3])
redis.call('ZADD', KEYS[1] .. 'o', ARGV[4], ARGV[1])
redis.call('ZADD', KEYS[1] .. 't', ARGV[4], ARGV[1])
redis.call('XADD', KEYS[1] .. 'log', 'MAXLEN', '~', '10000', '*', 'k', 'stored', 'i', ARGV[1])
return 1`;

/** The same with all that Mneme keeps in Redis of such a memory: its orders, sets, sums, the state of the namespace. */
const WITH_INDEXES = `local room, member = KEYS[1], ARGV[1]
redis.call('HSET', room .. 'm:' .. member, 'd', ARGV[2], 'content', ARGV[3])
redis.call('HSET', room .. 'ids', 'id-' .. member, member)
for _, order in ipairs({ 'created', 'event', 'importance', 'stepless', 'tier', 'tier-type' }) do
  redis.call('ZADD', room .. 'o:' .. order, ARGV[4], member)
end
for _, set in ipairs({ 't:type:fact', 'v:reward', 'v:note' }) do redis.call('SADD', room .. set, member) end
for _, sum in ipairs({ 'count', 'bytes', 'scope', 'importance' }) do redis.call('HINCRBY', room .. 'sums', sum, 1) end
redis.call('HSET', room .. 'room', 'version', member, 'room', ARGV[5])
redis.call('XADD', room .. 'log', 'MAXLEN', '~', '10000', '*', 'k', 'stored', 'i', member)
return 1`;
const ROOM = JSON.stringify({
  epoch: 'e'.repeat(36),
  namespace: { name: 'bench', settings: {} },
  revision: 1,
  count: 1,
});

/** The driver with scripts of its own, and the bytes of one memory. */
export class BareDriver {
  written = 0;
  private readonly client: ReturnType<typeof createClient>;
  private readonly memory: NewMemory;
  private readonly json: string;
  private readonly sha1: { readonly byHand: string; readonly withIndexes: string };

  private constructor(client: ReturnType<typeof createClient>, memory: NewMemory, byHand: string, withIndexes: string) {
    this.client = client;
    this.memory = memory;
    this.json = JSON.stringify({ ...memory, content: undefined });
    this.sha1 = { byHand, withIndexes };
  }

  static async connected(server: RedisServer, memory: NewMemory): Promise<BareDriver> {
    const client = createClient({ url: server.url, RESP: 2, commandOptions: { timeout: 0 } });
    client.on('error', (error) => {
      throw error;
    });
    await client.connect();
    const scripts = [await client.scriptLoad(BY_HAND), await client.scriptLoad(WITH_INDEXES)] as const;
    return new BareDriver(client as never, memory, ...scripts);
  }

  write(): Promise<unknown> {
    return this.run(this.sha1.byHand, `b${this.written++}`);
  }
  writeWithIndexes(): Promise<unknown> {
    return this.run(this.sha1.withIndexes, `${this.written++}`);
  }
  /** Of those that `write` has written. */
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
