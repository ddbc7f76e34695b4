import { isUnavailable, MnemeError } from '../../memory/errors.ts';
import { infoOf, type RedisConnection, type RedisReply } from './connection.ts';

/** The kind of a Redis, and the durability of the sessions and texts in it. */
export interface RedisDurability {
  readonly technology: string;
  readonly durability: string;
  /** Without a failure of the machine, no acknowledged write is lost; a power loss loses at most the last second. */
  readonly isReliable: boolean;
  /** Warnings for the log; empty if there are none. */
  readonly weaknesses: readonly string[];
}

/**
 * Reads the persistence settings of Redis; of several nodes the weakest counts. A service that hides its settings
 * counts as weak.
 */
export async function readDurability(connection: RedisConnection): Promise<RedisDurability> {
  const [server, persistence, memory, fsync] = await Promise.all([
    connection.askAll(['INFO', 'server']),
    connection.askAll(['INFO', 'persistence']),
    connection.askAll(['INFO', 'memory']),
    fsyncOf(connection),
  ]);
  const [first] = server;
  const version = infoOf(first?.reply).get('redis_version') ?? '';
  const technology = `redis ${version}${connection.isCluster ? `, cluster of ${server.length}` : ''}`;
  const isLogged = persistence.every(({ reply }) => infoOf(reply).get('aof_enabled') === '1');
  const evicting = memory.map(({ reply }) => infoOf(reply)).filter((info) => isEvicting(info));
  const survival = isLogged ? OF_FSYNC[fsync] : WITHOUT_LOG;
  const policy = evicting[0]?.get('maxmemory_policy') ?? '';
  const eviction = `maxmemory-policy is ${policy}: Redis throws sessions away when its memory is used up; set noeviction`;
  const isReliable = isLogged && evicting.length === 0 && (fsync === 'always' || fsync === 'everysec');
  return {
    technology,
    durability: survival.durability,
    isReliable,
    weaknesses: [...survival.weaknesses, ...(evicting.length === 0 ? [] : [eviction])],
  };
}

type Fsync = 'always' | 'everysec' | 'no' | 'unknown';
type Survival = Pick<RedisDurability, 'durability' | 'weaknesses'>;

const OF_FSYNC: Readonly<Record<Fsync, Survival>> = {
  always: { durability: 'power loss', weaknesses: [] },
  everysec: {
    durability: 'end of the process; power loss may take the last second',
    weaknesses: ['appendfsync is everysec: a power loss may take writes of the last second; set always'],
  },
  no: {
    durability: 'end of the process; power loss may take the last half minute',
    weaknesses: ['appendfsync is no: a power loss may take writes of the last half minute; set always or everysec'],
  },
  unknown: {
    durability: 'end of the process; whether it survives power loss is unknown',
    weaknesses: ['appendfsync cannot be read: whether writes survive a power loss is not known'],
  },
};
const WITHOUT_LOG: Survival = {
  durability: 'nothing: sessions are lost when Redis ends',
  weaknesses: ['appendonly is no: when Redis ends all sessions are lost; set yes'],
};

async function fsyncOf(connection: RedisConnection): Promise<Fsync> {
  try {
    const answers = await connection.askAll(['CONFIG', 'GET', 'appendfsync']);
    const values = answers.map(({ reply }) => String((reply as readonly RedisReply[])[1] ?? ''));
    for (const weakest of ['no', 'everysec', 'always'] as const) if (values.includes(weakest)) return weakest;
    return 'unknown';
  } catch (error) {
    // Renamed or forbidden, as at some providers of Redis; a lost connection is another error.
    if (error instanceof MnemeError && error.metadata['fault'] !== 'credentials') throw error;
    return 'unknown';
  }
}

function isEvicting(info: ReadonlyMap<string, string>): boolean {
  return info.get('maxmemory') !== '0' && info.get('maxmemory_policy') !== 'noeviction';
}

export interface WatchedDurabilityOptions {
  readonly connection: RedisConnection;
  /** Interval of retries while Redis does not answer. */
  readonly retryAfterMs: number;
  /** Called when the durability has changed. */
  readonly onChange?: (now: RedisDurability) => void;
  /** Called when the durability is unreadable although Redis answers. */
  readonly onFault?: (error: unknown) => void;
}

const UNREAD: RedisDurability = {
  technology: 'redis',
  durability: 'not known: Redis has not answered since the start of the server',
  isReliable: false,
  weaknesses: [],
};

/** The durability of a Redis, as last read: a restarted Redis may have other settings. */
export class WatchedDurability {
  /** The last value read. */
  current: RedisDurability;
  private readonly options: WatchedDurabilityOptions;
  private isStale = false;
  private reading: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  /** Without `current`, nothing has been read yet. */
  constructor(options: WatchedDurabilityOptions, current: RedisDurability = UNREAD) {
    this.options = options;
    this.current = current;
  }

  static async read(options: WatchedDurabilityOptions): Promise<WatchedDurability> {
    return new WatchedDurability(options, await readDurability(options.connection));
  }

  /** To be called when Redis was restarted or has lost data. Retries until the read succeeds. */
  readAgain(): void {
    this.isStale = true;
    if (this.isStopped || this.reading) return;
    clearTimeout(this.timer);
    this.reading = this.readNow();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.reading;
  }

  private async readNow(): Promise<void> {
    try {
      while (this.isStale && !this.isStopped) {
        this.isStale = false;
        this.note(await readDurability(this.options.connection));
      }
    } catch (error) {
      this.isStale = true;
      if (!isUnavailable(error)) this.options.onFault?.(error);
      else if (!this.isStopped) this.timer = setTimeout(() => this.readAgain(), this.options.retryAfterMs).unref();
    } finally {
      // Synchronously after the last check for staleness.
      this.reading = undefined;
    }
  }

  private note(now: RedisDurability): void {
    const isSame = JSON.stringify(now) === JSON.stringify(this.current);
    this.current = now;
    if (!isSame) this.options.onChange?.(now);
  }
}
