import { randomUUID } from 'node:crypto';
import type { Body, BodyStore, StoredBody } from '../body-store.ts';
import { settled } from '../settled.ts';
import type { RedisConnection } from './connection.ts';
import type { RedisDurability } from './durability.ts';
import { patternOf } from './keys.ts';

const LENGTH_BYTES = 4;
/** Time after which the count of a server that has ended is gone. */
const COUNT_KEPT_MS = 600_000;

/** Bodies as strings in Redis, each under a key of its own, so that a cluster spreads them over its nodes. */
export class RedisBodies implements BodyStore {
  private readonly redis: RedisConnection;
  private readonly start: string;
  private readonly countKey: string;
  private count = 0;
  private readonly durability: { readonly current: RedisDurability };

  constructor(redis: RedisConnection, prefix: string, durability: { readonly current: RedisDurability }) {
    this.redis = redis;
    this.start = `${prefix}:body:`;
    this.countKey = `${prefix}:body-count:${randomUUID()}`;
    this.durability = durability;
  }

  async put(bodies: readonly StoredBody[]): Promise<void> {
    await settled(bodies.map(({ key, body }) => this.send('SET', key, encoded(body))));
  }

  get(keys: readonly string[]): Promise<(Body | undefined)[]> {
    return settled(keys.map((key) => this.read(key)));
  }

  async missing(keys: readonly string[]): Promise<string[]> {
    const counts = await settled(keys.map((key) => this.send('EXISTS', key)));
    return keys.filter((_, at) => Number(counts[at]) === 0);
  }

  async erase(keys: readonly string[]): Promise<void> {
    await settled(keys.map((key) => this.send('UNLINK', key)));
  }

  async *keys(): AsyncIterable<readonly string[]> {
    for await (const keys of this.redis.scan(`${patternOf(this.start)}*`)) {
      yield keys.map((key) => key.slice(this.start.length));
    }
  }

  /**
   * Whether bodies may have been lost since the former call: Redis was emptied, has gone back to an older state, or did
   * not answer. A count of this object in Redis shows it.
   */
  async mayHaveLost(): Promise<boolean> {
    const former = this.count++;
    const values = [String(this.count), 'PX', String(COUNT_KEPT_MS), 'GET'];
    const found = await this.redis.send(this.countKey, ['SET', this.countKey, ...values]);
    return former > 0 && String(found) !== String(former);
  }

  describe(): { technology: string; durability: string } {
    const { technology, durability } = this.durability.current;
    return { technology, durability };
  }

  private async read(key: string): Promise<Body | undefined> {
    const bytes = await this.send('GET', key);
    return Buffer.isBuffer(bytes) ? decoded(bytes) : undefined;
  }

  private send(command: string, key: string, ...rest: readonly Buffer[]) {
    const name = this.start + key;
    return this.redis.send(name, [command, name, ...rest]);
  }
}

/** The text behind its length; then, with a content, the media type behind its length, and the bytes. */
function encoded({ text, content }: Body): Buffer {
  const parts = [sized(Buffer.from(text))];
  if (content) parts.push(sized(Buffer.from(content.mediaType)), Buffer.from(content.data));
  return Buffer.concat(parts);
}

function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** `undefined` where the bytes are cut; other damage is found by the checksum of the memory. */
function decoded(bytes: Buffer): Body | undefined {
  const text = partAt(bytes, 0);
  if (!text) return undefined;
  if (text.end === bytes.length) return { text: text.value };
  const mediaType = partAt(bytes, text.end);
  if (!mediaType) return undefined;
  return { text: text.value, content: { mediaType: mediaType.value, data: bytes.subarray(mediaType.end) } };
}

function partAt(bytes: Buffer, from: number): { readonly value: string; readonly end: number } | undefined {
  const begin = from + LENGTH_BYTES;
  if (begin > bytes.length) return undefined;
  const end = begin + bytes.readUInt32LE(from);
  return end > bytes.length ? undefined : { value: bytes.toString('utf8', begin, end), end };
}
