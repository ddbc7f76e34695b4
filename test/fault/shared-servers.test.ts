import { randomUUID } from 'node:crypto';
import type { ServiceError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeleteMemoryRequest, GetMemoryRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusalOf } from '../grpc/support/ask.ts';
import { freshNamespace, store } from '../grpc/support/memories.ts';
import { RedisCluster } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { Replica } from './replicas.ts';

const DEADLINE = { deadlineMs: 30_000 };
const replicas: Replica[] = [];

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
});

async function start(url: string, more: Record<string, string> = {}): Promise<Replica> {
  const replica = await Replica.start(url, more);
  replicas.push(replica);
  return replica;
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `n${from + at}`);

async function textAt({ clients: { memories } }: Replica, parent: string, id: string): Promise<string> {
  const request = GetMemoryRequest.fromPartial({ name: `${parent}/memories/${id}` });
  return (await ask(memories, memories.getMemory, request, DEADLINE)).memory?.text ?? '';
}

describe('three servers over one Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'everysec' });
  });
  afterAll(() => redis.stop());

  it('one is killed at any moment while all store › every acknowledged memory is at each, also at one that joins with an empty folder', async () => {
    const [one, two, three] = [await start(redis.url), await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    const acknowledged: string[] = [];
    let isOver = false;
    const writing = [one, two, three].map(async (replica, at) => {
      for (let n = 0; !isOver; n++) {
        const id = `m${at}-${n}`;
        try {
          await store(replica.clients, parent, { text: id }, id);
          acknowledged.push(id);
        } catch (error) {
          // Of the one that is killed.
          if (at !== 2) throw error;
          return;
        }
        // An acknowledged write is immediately readable at another server.
        if (n % 10 === 0) expect(await textAt(at === 0 ? two : one, parent, id)).toBe(id);
      }
    });
    while (acknowledged.filter((id) => id.startsWith('m2')).length < 50) await new Promise(setImmediate);
    await three.kill();
    while (acknowledged.length < 400) await new Promise(setImmediate);
    isOver = true;
    await Promise.all(writing);
    await three.restart();
    const joined = await start(redis.url);
    const listed = await Promise.all([one, two, three, joined].map((replica) => replica.texts(parent)));
    for (const texts of listed) {
      expect(texts).toEqual(listed[0]);
      expect(acknowledged.filter((id) => !texts.includes(id))).toEqual([]);
    }
  }, 240_000);

  it('the same id at two servers › one memory; the second gets ALREADY_EXISTS', async () => {
    const [one, two] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    await one.store(parent, { text: 'first' }, 'same');
    const refused = await store(two.clients, parent, { text: 'second' }, 'same').then(
      () => undefined,
      (error: ServiceError) => error,
    );
    if (!refused) throw new Error('the second was stored');
    expect(refusalOf(refused).reason).toBe('MEMORY_EXISTS');
    expect([await textAt(one, parent, 'same'), await textAt(two, parent, 'same')]).toEqual(['first', 'first']);
  }, 120_000);

  it('a server that did not share before › adds its memories; a shared memory with the same id stays', async () => {
    const former = await start(redis.url, { MNEME_REDIS_SHARED: 'false', MNEME_REDIS_KEY_PREFIX: 'own' });
    const parent = freshNamespace();
    const ids = numbered(300);
    for (const id of ids) await former.store(parent, { text: `former ${id}` }, id);
    expect((await former.texts(parent)).length).toBe(300);
    const one = await start(redis.url);
    await one.store(parent, { text: 'shared' }, 'n7');
    await former.restart({ MNEME_REDIS_SHARED: 'true', MNEME_REDIS_KEY_PREFIX: 'mneme' });
    const expected = ids.map((id) => (id === 'n7' ? 'shared' : `former ${id}`)).sort();
    for (const replica of [one, former]) expect(await replica.texts(parent)).toEqual(expected);
  }, 240_000);
});

describe('two servers over a Redis cluster of six', () => {
  let cluster: RedisCluster;
  beforeEach(async () => {
    cluster = await RedisCluster.started({ nodeTimeoutMs: 15_000 });
  }, 240_000);
  afterEach(() => cluster.stop());

  it('changes in namespaces on different nodes › each server yields them in order, and continues from the token of the other', async () => {
    const url = cluster.urls.slice(0, 2).join(',');
    const [one, two] = [await start(url), await start(url)];
    const parents = Array.from({ length: 6 }, freshNamespace);
    for (const parent of parents) {
      const id = randomUUID();
      await two.store(parent, { text: 'before' }, id);
      const first = await one.watch({ parent }).live();
      for (const text of numbered(10)) await two.store(parent, { text }, randomUUID());
      await first.has('n9');
      first.cancel();
      expect(first.texts()).toEqual(numbered(10));
      const { memories } = one.clients;
      await ask(
        memories,
        memories.deleteMemory,
        DeleteMemoryRequest.fromPartial({ name: `${parent}/memories/${id}` }),
        DEADLINE,
      );
      for (const text of numbered(5, 10)) await one.store(parent, { text }, randomUUID());
      const second = two.watch({ parent, resumeToken: first.token() });
      await second.has('n14');
      second.cancel();
      expect(second.changes().map(({ memory }) => memory?.text)).toEqual([undefined, ...numbered(5, 10)]);
      for (const replica of [one, two]) expect(await replica.texts(parent)).toEqual(numbered(15).sort());
    }
  }, 240_000);
});
