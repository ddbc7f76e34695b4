import type { RedisConnection } from '../connection.ts';

/** The mark of the servers whose sessions are under a key prefix, where their memories are in another store. */
export class SessionMark {
  private readonly redis: RedisConnection;
  private readonly key: string;

  constructor(redis: RedisConnection, prefix: string) {
    this.redis = redis;
    this.key = `${prefix}:session-home`;
  }

  async read(): Promise<string | undefined> {
    const found = await this.redis.send(this.key, ['GET', this.key]);
    return found === null ? undefined : String(found);
  }

  /** Sets it where there is none; resolves to the mark that is there. */
  async put(mark: string): Promise<string> {
    const before = await this.redis.send(this.key, ['SET', this.key, mark, 'NX', 'GET']);
    return before === null ? mark : String(before);
  }
}
