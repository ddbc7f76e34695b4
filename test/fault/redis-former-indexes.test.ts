import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RedisConnection } from '../../src/storage/redis/connection.ts';
import { eraseFormerIndexes } from '../../src/storage/redis/former-indexes.ts';
import { RedisMemoryStore } from '../../src/storage/redis/memory-store.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { heldIds, heldMemory } from '../support/tiered-store.ts';

const { closers, serve } = redisOfTest();
const PREFIX = 'mneme[1]';
let server: RedisServer;
let connection: RedisConnection;
let store: RedisMemoryStore;
beforeEach(async () => {
  server = await serve();
  connection = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
  closers.push(() => connection.close());
  store = new RedisMemoryStore({ connection, prefix: PREFIX, idempotencyRetentionMs: 3_600_000 });
});

const keys = async () => ((await server.command('KEYS', '*')) as unknown[]).map(String).sort();

describe('search indexes of a former version', () => {
  it('are erased once, and no other key is', async () => {
    await put(store, [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
    await server.command('HSET', `${PREFIX}:{sessions:${SPACE}}:t:1`, 'record', '{}');
    await server.command('SADD', `other:{${SPACE}}:t:tag:x`, '0000000001');
    const kept = await keys();
    const room = `${PREFIX}:{${SPACE}}`;
    await server.command('ZADD', `${room}:o:created`, '1', '0000000001');
    await server.command('SADD', `${room}:t:tag:x`, '0000000001');
    await server.command('SADD', `${room}:v:["path",1,"number"]`, '0000000001');
    await server.command('SET', `${room}:i:0000000001`, 'card');
    await server.command('HSET', `${room}:sums`, 'count ["short_term","",""]', '2');
    const erased: number[] = [];

    await eraseFormerIndexes(connection, PREFIX, (count) => erased.push(count));
    expect(erased).toEqual([5]);
    expect(await keys()).toEqual([...kept, `${PREFIX}:former-indexes`].sort());

    await server.command('CONFIG', 'RESETSTAT');
    await eraseFormerIndexes(connection, PREFIX, (count) => erased.push(count));
    expect(erased).toEqual([5]);
    expect(String(await server.command('INFO', 'commandstats'))).not.toContain('cmdstat_scan');
  });

  it('a memory whose number is stored without its revision › is read, changed and deleted', async () => {
    await put(store, [newMemory({ id: 'a', text: 'the text' })]);
    const ids = `${PREFIX}:{${SPACE}}:ids`;
    const value = String(await server.command('HGET', ids, 'a'));
    await server.command('HSET', ids, 'a', value.slice(0, 10));

    expect((await heldMemory(store, SPACE, 'a'))?.text).toBe('the text');
    await store.update({ namespace: SPACE, id: 'a', changes: { importance: 0.9 }, atUs: NOW_US });
    expect(String(await server.command('HGET', ids, 'a')).length).toBeGreaterThan(10);
    await store.delete({ namespace: SPACE, ids: ['a'], cause: 'deleted', mustExist: true, atUs: NOW_US });
    expect(await heldIds(store, SPACE)).toEqual([]);
  });
});

describe('an interrupted deletion of a namespace', () => {
  it.each([
    ['stored into', () => put(store, [newMemory({ id: 'new' })])],
    [
      'moved into',
      async () => {
        const [copy] = await store.copies({ namespace: 'elsewhere', ids: ['new'] });
        const { ownership } = await store.find({ namespace: SPACE, ids: [], view: 'metadata' });
        await store.adopt({ namespace: SPACE, copies: copy ? [copy] : [], ownership });
      },
    ],
  ])('the namespace is %s again › no deleted memory comes back', async (_, write) => {
    await put(store, [newMemory({ id: 'new' })], { namespace: 'elsewhere' });
    await put(store, [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
    const room = `${PREFIX}:{${SPACE}}:room`;
    await store.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });
    const deleted = String(await server.command('HGET', room, 'room'));
    await put(store, [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
    // The state after the first step of the deletion.
    const { namespace: _namespace, ...left } = JSON.parse(String(await server.command('HGET', room, 'room'))) as {
      namespace: unknown;
    };
    await server.command('HSET', room, 'room', JSON.stringify(left), 'version', '99 other 1');
    expect(JSON.parse(deleted)).not.toHaveProperty('namespace');

    await write();

    expect(await heldIds(store, SPACE)).toEqual(['new']);
    expect((await keys()).filter((key) => key.startsWith(`${PREFIX}:{${SPACE}}:e:`))).toHaveLength(1);
  });
});
