import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MemoryView } from '../../src/memory/memory.ts';
import { RedisMemoryStore } from '../../src/storage/redis/memory-store.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { damageInRedis } from '../support/damage.ts';
import { newMemory } from '../support/new-memory.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';

const { closers, serve } = redisOfTest();
let server: RedisServer;
let store: RedisMemoryStore;
let other: RedisMemoryStore;
beforeEach(async () => {
  server = await serve();
  store = await openStore();
  other = await openStore();
});

async function openStore(): Promise<RedisMemoryStore> {
  const times = { connectTimeoutMs: 10_000, commandTimeoutMs: 10_000, retryAfterMs: 100 };
  const connection = await openRedis({ urls: [server.url], ...times, nowMs: () => performance.now() });
  const opened = new RedisMemoryStore({ connection, prefix: 'mneme', idempotencyRetentionMs: 3_600_000 });
  closers.push(() => opened.close());
  return opened;
}

const remove = (from: RedisMemoryStore, id: string) =>
  from.delete({ namespace: SPACE, ids: [id], cause: 'deleted', mustExist: true, atUs: NOW_US });
const getOne = async (from: RedisMemoryStore, id: string, view: MemoryView = 'full') =>
  (await from.find({ namespace: SPACE, ids: [id], view })).memories.get(id);
const textOf = async (from: RedisMemoryStore, id: string) => (await getOne(from, id))?.text;

async function scripts(): Promise<number> {
  const report = String(await server.command('INFO', 'commandstats'));
  return [...report.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

describe('reads of memories with a known number in Redis', () => {
  it('a memory that this server has written or read before › is read without a script', async () => {
    await put(store, [newMemory({ id: 'a', text: 'first' }), newMemory({ id: 'b', text: 'second' })]);
    await textOf(other, 'a');
    await server.command('CONFIG', 'RESETSTAT');

    expect(await Promise.all([textOf(store, 'a'), textOf(store, 'b'), textOf(other, 'a')])).toEqual([
      'first',
      'second',
      'first',
    ]);
    expect(await scripts()).toBe(0);
  });

  it('several at once › are read at one instant, by a script', async () => {
    await put(store, [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
    await server.command('CONFIG', 'RESETSTAT');

    await store.find({ namespace: SPACE, ids: ['a', 'b'], view: 'basic' });

    expect(await scripts()).toBe(1);
  });

  it('another server changes, deletes and stores it again › each read returns the present state', async () => {
    await put(store, [newMemory({ id: 'a', text: 'first' })]);
    await getOne(other, 'a');
    await other.update({ namespace: SPACE, id: 'a', changes: { importance: 0.9 }, atUs: NOW_US });
    expect((await getOne(store, 'a'))?.importance).toBe(0.9);

    await remove(other, 'a');
    expect(await getOne(store, 'a')).toBeUndefined();

    await put(other, [newMemory({ id: 'b' }), newMemory({ id: 'a', text: 'second' })]);
    expect([await textOf(store, 'a'), await textOf(store, 'b')]).toEqual(['second', newMemory({ id: 'b' }).text]);
  });

  it('known, unknown and missing ones in one event-loop turn › each request gets its own answer', async () => {
    await put(store, [newMemory({ id: 'known', text: 'known' }), newMemory({ id: 'gone' })]);
    await put(other, [newMemory({ id: 'unknown', text: 'unknown' })]);
    await remove(other, 'gone');

    const asked = ['known', 'unknown', 'gone', 'never'].map((id) => textOf(store, id));

    expect(await Promise.all(asked)).toEqual(['known', 'unknown', undefined, undefined]);
  });

  it('Redis was emptied, and the number is that of another memory › the loss is reported once, and no other memory is returned', async () => {
    await put(store, [newMemory({ id: 'a' })]);
    await server.command('FLUSHALL');
    await put(await openStore(), [newMemory({ id: 'z', text: 'another one' })]);

    await expect(getOne(store, 'a')).rejects.toMatchObject({
      reason: 'STORAGE_UNAVAILABLE',
      metadata: { fault: 'flushed' },
    });
    expect([await getOne(store, 'a'), await textOf(store, 'z')]).toEqual([undefined, 'another one']);
  });

  it('Redis went back to an older state of it › the loss is reported', async () => {
    await put(store, [newMemory({ id: 'a' })]);
    const before = (await server.command('HGET', `mneme:{${SPACE}}:room`, 'version')) as string;
    await store.touch({ namespace: SPACE, ids: ['a'], atUs: NOW_US });
    await server.command('HSET', `mneme:{${SPACE}}:room`, 'version', String(before));

    await expect(getOne(store, 'a')).rejects.toMatchObject({ metadata: { fault: 'rolled_back' } });
  });

  it('one is damaged › is named, the others of the same event-loop turn are returned', async () => {
    await put(store, [newMemory({ id: 'a', text: 'whole' }), newMemory({ id: 'b', text: 'to be damaged' })]);
    await damageInRedis(server, 'b', 'text');

    const damaged = store.find({ namespace: SPACE, ids: ['b'], view: 'full' });

    expect(await textOf(store, 'a')).toBe('whole');
    expect(await damaged).toMatchObject({ damagedIds: ['b'], lostIds: [], memories: new Map() });
  });

  it('another server has deleted the namespace and created it again › no earlier memory is returned', async () => {
    await put(store, [newMemory({ id: 'a' })]);
    await other.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });
    expect(await store.find({ namespace: SPACE, ids: ['a'], view: 'full' })).toMatchObject({ isThere: false });

    await put(other, [newMemory({ id: 'b' })]);

    expect(await getOne(store, 'a')).toBeUndefined();
  });
});

describe('a namespace that another version of the server has written in another layout', () => {
  it('is refused as a whole, with a reason › and nothing of it is changed', async () => {
    await put(store, [newMemory({ id: 'a' })]);
    const key = `mneme:{${SPACE}}:room`;
    const { layout, ...room } = JSON.parse(String(await server.command('HGET', key, 'room'))) as { layout: number };
    await server.command('HSET', key, 'room', JSON.stringify({ ...room, layout: layout + 1 }), 'version', '9 other 1');

    const refused = { reason: 'STORAGE_UNAVAILABLE', metadata: { fault: 'other_layout' } };
    await expect(getOne(other, 'a')).rejects.toMatchObject(refused);
    await expect(put(other, [newMemory({ id: 'b' })])).rejects.toMatchObject(refused);
    await expect(remove(other, 'a')).rejects.toMatchObject(refused);
    await expect(getOne(store, 'a')).rejects.toMatchObject(refused);
    expect(await server.command('HGET', key, 'version')).toBe('9 other 1');
  });
});
