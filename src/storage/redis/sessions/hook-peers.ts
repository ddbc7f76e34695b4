import { randomUUID } from 'node:crypto';
import { type HookOffer, type HookPeers, hookIsGone, type PeerHook } from '../../hook-peers.ts';
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

interface Pending {
  resolve(answer: string): void;
  reject(error: Error): void;
}

/** Hooks are leased in a hash; requests and answers go through a list for each server. */
export class RedisHookPeers implements HookPeers {
  private readonly options: RedisHookPeersOptions;
  private readonly server = randomUUID();
  private readonly inbox: HookInbox;
  private readonly offers = new Map<string, HookOffer>();
  private readonly pending = new Map<string, Pending>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(options: RedisHookPeersOptions) {
    this.options = options;
    this.inbox = new HookInbox({ ...options, server: this.server, onMessage: (message) => this.take(message) });
  }

  async offer(offer: HookOffer): Promise<() => void> {
    const id = randomUUID();
    this.offers.set(id, offer);
    this.inbox.begin();
    this.schedule();
    try {
      await this.tell([[id, offer]]);
    } catch (error) {
      this.offers.delete(id);
      throw error;
    }
    return () => {
      // If the removal fails, the lease ends by itself; until then requests are answered with "gone".
      if (this.offers.delete(id)) this.tell([[id, undefined]]).catch(() => undefined);
    };
  }

  async others(): Promise<readonly PeerHook[]> {
    const found = listOf(await this.options.redis.run(othersScript, this.key, [])).map(String);
    const hooks: PeerHook[] = [];
    for (let at = 0; at + 1 < found.length; at += 2) {
      const [server = '', hook = ''] = (found[at] ?? '').split('/');
      if (server === this.server) continue;
      const { name, description } = JSON.parse(found[at + 1] ?? '{}') as { name: string; description: string };
      const ask: PeerHook['ask'] = (question, timeoutMs, signal) =>
        this.ask(server, { hook, timeoutMs, question }, signal);
      hooks.push({ name, description, ask });
    }
    return hooks;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.timer);
    const ids = [...this.offers.keys()];
    this.offers.clear();
    if (ids.length > 0) await this.tell(ids.map((id) => [id, undefined])).catch(() => undefined);
    await this.inbox.close();
    for (const { reject } of this.pending.values()) reject(new Error('the server is shutting down'));
  }

  private get key(): string {
    return `${this.options.prefix}:session-hooks`;
  }

  private async tell(hooks: readonly (readonly [id: string, offer: HookOffer | undefined])[]): Promise<void> {
    const offers = hooks.flatMap(([id, offer]) => [
      `${this.server}/${id}`,
      offer ? JSON.stringify({ name: offer.name, description: offer.description }) : '',
    ]);
    await this.options.redis.run(offerScript, this.key, [`${this.options.leaseMs}`, ...offers]);
  }

  /** Leases are renewed three times in their duration, so that one failure ends none. */
  private schedule(): void {
    if (this.timer || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.offers.size === 0) return;
      // The next round retries; calls that need Redis report the failure.
      this.tell([...this.offers])
        .catch(() => undefined)
        .finally(() => this.schedule());
    }, this.options.leaseMs / 3);
    this.timer.unref();
  }

  private async ask(
    server: string,
    asked: { readonly hook: string; readonly timeoutMs: number; readonly question: string },
    signal: AbortSignal,
  ): Promise<string> {
    signal.throwIfAborted();
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.pending.set(id, { resolve, reject });
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    this.inbox.begin();
    try {
      await Promise.race([promise, this.inbox.send(server, { kind: 'ask', id, from: this.server, ...asked })]);
      return await promise;
    } finally {
      this.pending.delete(id);
    }
  }

  private take(message: HookMessage): void {
    if (message.kind === 'ask') void this.answer(message);
    if (message.kind !== 'reply') return;
    const { id, answer, failure } = message;
    // The answer arrived after its request had ended.
    if (answer === undefined) this.pending.get(id)?.reject(new Error(failure ?? ''));
    else this.pending.get(id)?.resolve(answer);
  }

  private async answer({ id, from, hook, timeoutMs, question }: HookMessage & { kind: 'ask' }): Promise<void> {
    const offer = this.offers.get(hook);
    const reply = await Promise.resolve()
      .then(() => {
        if (!offer) throw hookIsGone(hook);
        return offer.answer(question, AbortSignal.timeout(timeoutMs));
      })
      .then(
        (answer) => ({ answer }),
        (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
      );
    // Where Redis does not answer, the request times out at the other server.
    await this.inbox.send(from, { kind: 'reply', id, ...reply }).catch(() => undefined);
  }
}

/** Messages between servers. */
export type HookMessage =
  | {
      readonly kind: 'ask';
      readonly id: string;
      readonly from: string;
      readonly hook: string;
      readonly timeoutMs: number;
      readonly question: string;
    }
  | { readonly kind: 'reply'; readonly id: string; readonly answer?: string; readonly failure?: string }
  | { readonly kind: 'end' };

/** Maximum messages in the queue of a server that does not read; the oldest are dropped. */
const WAITING_MAX = 10_000;
/** Retention of messages to a dead server. */
const KEPT_MS = 60_000;
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
    if (!this.stopped.signal.aborted) this.reading ??= this.read();
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
