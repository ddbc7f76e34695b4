import { randomUUID } from 'node:crypto';
import { outsideCall } from '../../current-call.ts';
import type { HookOffer } from '../../hook-peers.ts';
import {
  type HookExchange,
  type HookMessage,
  KEPT_MS,
  LeasedHookPeers,
  type OfferedHook,
  WAITING_MAX,
} from '../../sessions/leased-hook-peers.ts';
import { type RedisConnection, scriptOf } from '../connection.ts';
import { keyspacePrefix } from '../keys.ts';
import { listOf } from './loaded.ts';

export interface RedisHookPeersOptions {
  readonly redis: RedisConnection;
  /** Common prefix of all keys. */
  readonly prefix: string;
  readonly connect: () => Promise<RedisConnection>;
  /** Longest wait in Redis for the next message. */
  readonly waitMs: number;
  /** Time after which the hooks of a dead server expire. */
  readonly leaseMs: number;
}

/** Keys: hash of the hooks. Arguments: lease in ms, then fields and values; an empty value removes a hook. */
const offerScript = scriptOf(
  'hook-offer',
  'write',
  `local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
for at = 2, #ARGV, 2 do
  if ARGV[at + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[at])
  else redis.call('HSET', KEYS[1], ARGV[at], string.format('%.0f:', ends) .. ARGV[at + 1]) end
end
return 1`,
);

/** Keys: hash of the hooks. Answer: fields and values of the hooks with a valid lease; the others are erased. */
const othersScript = scriptOf(
  'hook-others',
  'write',
  `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found, all = {}, redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
  local ends, value = string.match(all[at + 1], '^(%d+):(.*)$')
  if tonumber(ends) < now then redis.call('HDEL', KEYS[1], all[at])
  else found[#found + 1] = all[at] found[#found + 1] = value end
end
return found`,
);

/** Hooks are leased in a hash; questions and answers go through a list for each server. */
export class RedisHookPeers extends LeasedHookPeers {
  constructor(options: RedisHookPeersOptions) {
    const server = randomUUID();
    super({
      server,
      leaseMs: options.leaseMs,
      exchange: (onMessage) => new RedisHookExchange(options, server, onMessage),
    });
  }
}

class RedisHookExchange implements HookExchange {
  private readonly options: RedisHookPeersOptions;
  private readonly server: string;
  private readonly inbox: HookInbox;

  constructor(options: RedisHookPeersOptions, server: string, onMessage: (message: HookMessage) => void) {
    this.options = options;
    this.server = server;
    this.inbox = new HookInbox({ ...options, server, onMessage });
  }

  async tell(hooks: readonly (readonly [id: string, offer: HookOffer | undefined])[]): Promise<void> {
    const offers = hooks.flatMap(([id, offer]) => [
      `${this.server}/${id}`,
      offer ? JSON.stringify({ name: offer.name, description: offer.description }) : '',
    ]);
    await this.options.redis.run(offerScript, this.key, [`${this.options.leaseMs}`, ...offers]);
  }

  async hooks(): Promise<readonly OfferedHook[]> {
    const found = listOf(await this.options.redis.run(othersScript, this.key, [])).map(String);
    const hooks: OfferedHook[] = [];
    for (let at = 0; at + 1 < found.length; at += 2) {
      const [server = '', hook = ''] = (found[at] ?? '').split('/');
      const { name, description } = JSON.parse(found[at + 1] ?? '{}') as { name: string; description: string };
      hooks.push({ server, hook, name, description });
    }
    return hooks;
  }

  send(server: string, message: HookMessage): Promise<void> {
    return this.inbox.send(server, message);
  }
  begin(): void {
    this.inbox.begin();
  }
  close(): Promise<void> {
    return this.inbox.close();
  }

  private get key(): string {
    return `${this.options.prefix}:session-hooks`;
  }
}

const RETRY_MS = 200;

/** Keys: inbox. Arguments: message, maximum number of messages, retention. */
const pushScript = scriptOf(
  'hook-message',
  'write',
  `redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], -tonumber(ARGV[2]), -1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`,
);

export interface HookInboxOptions {
  readonly redis: RedisConnection;
  readonly prefix: string;
  readonly server: string;
  /** A connection of its own, because blocking reads would delay other calls. */
  readonly connect: () => Promise<RedisConnection>;
  /** Longest wait in Redis for the next message. */
  readonly waitMs: number;
  readonly onMessage: (message: HookMessage) => void;
}

/** The messages to one server. Reading starts with the first call of `begin` and ends with `close`. */
export class HookInbox {
  private readonly options: HookInboxOptions;
  private readonly stopped = new AbortController();
  private reading: Promise<void> | undefined;

  constructor(options: HookInboxOptions) {
    this.options = options;
  }

  begin(): void {
    if (!this.stopped.signal.aborted) this.reading ??= outsideCall(() => this.read());
  }

  async send(to: string, message: HookMessage): Promise<void> {
    const args = [JSON.stringify(message), `${WAITING_MAX}`, `${KEPT_MS}`];
    await this.options.redis.run(pushScript, this.keyOf(to), args);
  }

  async close(): Promise<void> {
    if (!this.reading) return;
    this.stopped.abort();
    // Ends the blocking read at once; where Redis does not answer, the read ends by its timeout.
    await this.send(this.options.server, { kind: 'end' }).catch(() => undefined);
    await this.reading;
  }

  private async read(): Promise<void> {
    const { server, waitMs, onMessage, connect } = this.options;
    const key = this.keyOf(server);
    let connection: RedisConnection | undefined;
    while (!this.stopped.signal.aborted) {
      try {
        connection ??= await connect();
        const [, json] = listOf(await connection.send(key, ['BLPOP', key, `${waitMs / 1000}`]));
        if (json !== undefined && json !== null) onMessage(JSON.parse(String(json)) as HookMessage);
      } catch {
        // The other server reports that Redis does not answer.
        await pause(RETRY_MS, this.stopped.signal);
      }
    }
    await connection?.close();
  }

  private keyOf(server: string): string {
    return `${keyspacePrefix(this.options.prefix, 'hook-inbox', server)}:messages`;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
