import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisConnection, type RedisReply, scriptOf } from './connection.ts';
import { redisUnavailable } from './driver-error.ts';

export interface ServerPresenceOptions {
  readonly connection: RedisConnection;
  /** Common prefix of all keys: servers with the same prefix share the data in Redis. */
  readonly prefix: string;
  /** Name of this server, stable over restarts, so that it never counts itself. */
  readonly server: string;
  /** Time after which a dead server is no longer counted. The lease is renewed three times in this time. */
  readonly leaseMs: number;
  /** Other shared servers may use the prefix. */
  readonly isShared: boolean;
  /** Called once, when another server holds the prefix and may be dead. */
  readonly onWait?: (other: string) => void;
  /** Sleeps between two checks of the other server; a timer by default. */
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Called once, when another server has taken the prefix because this server's lease had ended. */
  readonly onSuperseded?: (by: string) => void;
}

/** Before the name of a server that does not share its prefix. */
const ALONE = 'alone ';

/**
 * Takes or renews a lease. KEYS[1]: sorted set of servers by the end of their lease. ARGV: member of this server; its member in the
 * other mode; lease in ms; 1 in shared mode. Returns 1 and the number of servers; or 0, a conflicting server and the end of its lease.
 */
const leaseScript = scriptOf(
  'server-lease',
  // Writes few bytes, and is needed most while memory is used up.
  'erase',
  `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for _, other in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local isOther = other ~= ARGV[1] and other ~= ARGV[2]
  if isOther and (ARGV[4] ~= '1' or string.sub(other, 1, ${ALONE.length}) == '${ALONE}') then
    return { 0, other, redis.call('ZSCORE', KEYS[1], other) }
  end
end
redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return { 1, redis.call('ZCARD', KEYS[1]) }`,
);

type Lease = { readonly count: number } | { readonly other: string; readonly endsAtMs: number };

/** The lease of a server on its key prefix. A server in exclusive mode is the only user of the prefix. */
export class ServerPresence {
  private readonly options: ServerPresenceOptions;
  private readonly key: string;
  private readonly member: string;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Number of other servers, as of the last reply of Redis. */
  otherCount = 0;

  constructor(options: ServerPresenceOptions) {
    this.options = options;
    this.key = `${options.prefix}:servers`;
    this.member = options.isShared ? options.server : ALONE + options.server;
  }

  /**
   * Takes the lease and renews it from then on. Returns the other server that holds the prefix and renews its lease. A
   * dead server holds it until its lease ends.
   */
  async begin(): Promise<string | undefined> {
    const { leaseMs, pause = sleep } = this.options;
    for (let endsAtMs: number | undefined; ; await pause(leaseMs / LOOKS)) {
      const lease = await this.renew();
      if ('count' in lease) break;
      if (endsAtMs !== undefined && lease.endsAtMs !== endsAtMs) return nameOf(lease.other);
      if (endsAtMs === undefined) this.options.onWait?.(nameOf(lease.other));
      endsAtMs = lease.endsAtMs;
    }
    this.renewLater();
    return undefined;
  }

  async renew(): Promise<Lease> {
    const { connection, server, leaseMs, isShared } = this.options;
    const otherwise = isShared ? ALONE + server : server;
    const args = [this.member, otherwise, `${leaseMs}`, isShared ? '1' : '0'];
    const [isHeld, found, endsAt] = (await connection.run(leaseScript, this.key, args)) as readonly RedisReply[];
    if (isHeld === 0) return { other: String(found), endsAtMs: Number(endsAt) };
    this.otherCount = Number(found) - 1;
    return { count: Number(found) };
  }

  private renewLater(): void {
    this.timer = setTimeout(() => void this.keep(), this.options.leaseMs / 3).unref();
  }

  /** Renews the lease; run by the timer. */
  async keep(): Promise<void> {
    // Calls that need Redis report that it does not answer; the lease is renewed when it does.
    const lease = await this.renew().catch(() => undefined);
    if (this.isClosed) return;
    if (!lease || 'count' in lease) return this.renewLater();
    this.isClosed = true;
    this.options.connection.refuse(redisUnavailable('superseded'));
    this.options.onSuperseded?.(nameOf(lease.other));
  }

  /** Other servers no longer count this server. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    this.isClosed = true;
    // If Redis does not answer, the lease expires.
    await this.options.connection.send(this.key, ['ZREM', this.key, this.member]).catch(() => undefined);
  }
}

/** Checks of the other server per lease: a live server renews three times in that time. */
const LOOKS = 8;

function nameOf(member: string): string {
  return member.startsWith(ALONE) ? member.slice(ALONE.length) : member;
}
