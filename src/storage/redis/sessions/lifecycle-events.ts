import {
  consumersFull,
  EventBell,
  eventsForgotten,
  type LifecycleEvents,
  type StoredEvent,
} from '../../lifecycle-events.ts';
import { type RedisConnection, type RedisReply, scriptOf } from '../connection.ts';
import { namespaceKeys, namespacesKey } from './session-keys.ts';

type Asked<K extends keyof LifecycleEvents> = Parameters<LifecycleEvents[K]>[0];

/** Keys: events. Arguments: key of their ends, instant, body. Assigns sequences as the writes of sessions do. */
const appendScript = scriptOf(
  'append-lifecycle-event',
  'write',
  `local sequence = redis.call('HINCRBY', ARGV[1], 'newest', 1)
redis.call('ZADD', KEYS[1], sequence, sequence .. ':' .. ARGV[2] .. ':' .. ARGV[3])
return sequence`,
);

/**
 * Keys: consumers. Arguments: name, sequence, maximum consumers. Answer: the position afterwards; nil when there are
 * too many.
 */
const acknowledgeScript = scriptOf(
  'acknowledge-lifecycle-events',
  'write',
  `local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return false end
local now = math.max(tonumber(known or '0'), tonumber(ARGV[2]))
redis.call('HSET', KEYS[1], ARGV[1], now)
return now`,
);

/** Keys: events. Arguments: key of their ends, instant, maximum to erase. Erases up to the newest expired event. */
const eraseScript = scriptOf(
  'erase-lifecycle-events',
  'erase',
  `local last = nil
for _, event in ipairs(redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[3]) - 1)) do
  local sequence, at = string.match(event, '^(%d+):(%d+):')
  if tonumber(at) < tonumber(ARGV[2]) then last = sequence end
end
if not last then return 0 end
local count = redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', last)
redis.call('HSET', ARGV[1], 'forgotten', last)
return count`,
);

/** Lifecycle events of sessions in Redis; the script of a session's write appends them. */
export class RedisLifecycleEvents implements LifecycleEvents {
  private readonly redis: RedisConnection;
  private readonly prefix: string;
  private readonly bell = new EventBell();

  constructor(redis: RedisConnection, prefix: string) {
    this.redis = redis;
    this.prefix = prefix;
  }

  /** A concurrent erasure is detected, because the end is read last. */
  async read({ namespace, afterSequence, limit }: Asked<'read'>): Promise<StoredEvent[]> {
    const { events } = namespaceKeys(this.prefix, namespace);
    const args = ['ZRANGEBYSCORE', events, `(${afterSequence}`, '+inf', 'LIMIT', '0', `${limit}`];
    const found = textsOf(await this.redis.send(events, args));
    const { forgotten } = await this.ends(namespace);
    if (afterSequence < forgotten) throw eventsForgotten(namespace, forgotten);
    return found.map(storedEvent);
  }
  async ends(namespace: string): Promise<{ newest: number; forgotten: number }> {
    const { eventEnds } = namespaceKeys(this.prefix, namespace);
    const [newest, forgotten] = textsOf(await this.redis.send(eventEnds, ['HMGET', eventEnds, 'newest', 'forgotten']));
    return { newest: Number(newest ?? 0), forgotten: Number(forgotten ?? 0) };
  }
  async append({ namespace, body, atUs }: Asked<'append'>): Promise<number> {
    const { events, eventEnds } = namespaceKeys(this.prefix, namespace);
    await this.redis.send(namespacesKey(this.prefix), ['SADD', namespacesKey(this.prefix), namespace]);
    return Number(await this.redis.run(appendScript, events, [eventEnds, `${atUs}`, body]));
  }
  async acknowledge({ namespace, consumer, sequence, consumersMax }: Asked<'acknowledge'>): Promise<number> {
    const key = this.consumersKey(namespace);
    const now = await this.redis.run(acknowledgeScript, key, [consumer, `${sequence}`, `${consumersMax}`]);
    if (now === null) throw consumersFull(namespace, consumersMax);
    return Number(now);
  }
  async acknowledged({ namespace, consumer }: Asked<'acknowledged'>): Promise<number | undefined> {
    const key = this.consumersKey(namespace);
    const known = await this.redis.send(key, ['HGET', key, consumer]);
    return known === null ? undefined : Number(String(known));
  }
  async erase({ beforeUs, limit }: Asked<'erase'>): Promise<number> {
    const all = namespacesKey(this.prefix);
    let count = 0;
    for (const namespace of textsOf(await this.redis.send(all, ['SMEMBERS', all]))) {
      if (namespace === undefined || count >= limit) continue;
      const { events, eventEnds } = namespaceKeys(this.prefix, namespace);
      count += Number(await this.redis.run(eraseScript, events, [eventEnds, `${beforeUs}`, `${limit - count}`]));
    }
    return count;
  }
  async eraseNamespace(namespace: string): Promise<void> {
    const { events, eventEnds } = namespaceKeys(this.prefix, namespace);
    await this.redis.send(events, ['DEL', events, eventEnds, this.consumersKey(namespace)]);
  }
  onEvent(listener: (namespace: string) => void): () => void {
    return this.bell.on(listener);
  }
  announce(namespace: string): void {
    this.bell.ring(namespace);
  }

  private consumersKey(namespace: string): string {
    return namespaceKeys(this.prefix, namespace).eventConsumers;
  }
}

/** `<sequence>:<instant>:<body>`. */
function storedEvent(text: string | undefined): StoredEvent {
  const [, sequence = '', body = ''] = /^(\d+):\d+:(.*)$/s.exec(text ?? '') ?? [];
  return { sequence: Number(sequence), body };
}

function textsOf(reply: RedisReply): (string | undefined)[] {
  return Array.isArray(reply) ? reply.map((one: RedisReply) => (one === null ? undefined : String(one))) : [];
}
