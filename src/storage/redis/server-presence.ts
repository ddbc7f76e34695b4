import { type RedisConnection, scriptOf } from './connection.ts';

export interface ServerPresenceOptions {
  readonly connection: RedisConnection;
  /** What all keys begin with: servers with the same one share what is in Redis. */
  readonly prefix: string;
  /** Names this server; the same when it is started again, so that it never counts itself. */
  readonly server: string;
  /** Time after which a server that has died counts no more. It is renewed thrice in that time. */
  readonly leaseMs: number;
}

/** Keys: sorted set of servers by the end of their lease. Arguments: this server, its lease in ms. Answer: how many there are. */
const hereScript = scriptOf(
  'server-here',
  // Few bytes, and of use above all while memory is used up.
  'erase',
  `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`,
);

/** Counts the servers that use the same prefix in the same Redis. */
export class ServerPresence {
  private readonly options: ServerPresenceOptions;
  private readonly key: string;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Servers beside this one, as of the last time that Redis answered. */
  otherCount = 0;

  constructor(options: ServerPresenceOptions) {
    this.options = options;
    this.key = `${options.prefix}:servers`;
  }

  /** Says that this server is here, once and then over and over. */
  async begin(): Promise<void> {
    try {
      await this.renew();
    } catch {
      // A Redis that does not answer is told by the calls that need it; the others are counted when it does.
    }
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.begin(), this.options.leaseMs / 3).unref();
  }

  async renew(): Promise<void> {
    const { connection, server, leaseMs } = this.options;
    this.otherCount = Number(await connection.run(hereScript, this.key, [server, `${leaseMs}`])) - 1;
  }

  /** For people: what is not shared with the servers that use the same prefix. None: nothing. */
  get told(): readonly string[] {
    if (this.otherCount < 1) return [];
    const others = this.otherCount === 1 ? '1 other server' : `${this.otherCount} other servers`;
    return [
      `shares Redis prefix ${this.options.prefix} with ${others}: settings, scope policies, agent snapshots and long-term ` +
        'memories stored at one server are not known to the others (docs/redis.md)',
    ];
  }

  /** Others count this server no more. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.timer);
    // Where Redis does not answer the lease ends by itself.
    await this.options.connection.send(this.key, ['ZREM', this.key, this.options.server]).catch(() => undefined);
  }
}
