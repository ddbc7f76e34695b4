import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { heldIds, openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

/** Timeout of the tests that wait for it; on a busy machine the others must not reach it. */
const TIMEOUT_MS = 3000;
const IDS = ['a', 'b', 'c'];

let folder: string;
const { closers, serve } = redisOfTest();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-redis-tiers-'));
  closers.push(() => rm(folder, { recursive: true }));
});

async function open(
  server: RedisServer,
  commandTimeoutMs: number = PATIENT_REDIS.commandTimeoutMs,
): Promise<TieredStoreOfTest> {
  const opened = await openTieredStore({ folder, urls: [server.url], commandTimeoutMs });
  closers.push(() => opened.close());
  return opened;
}

const demote = ({ store }: TieredStoreOfTest, ids: readonly string[]) =>
  store.tiers.move({ namespace: SPACE, ids, to: 'long_term', resolution: FULL_RESOLUTION, atUs: NOW_US });
const succeeds = (work: () => Promise<unknown>) => () =>
  work().then(
    () => true,
    () => false,
  );

describe('tiers in Redis', () => {
  it('a memory with an empty place › moves down with the others, and has none', async () => {
    const opened = await open(await serve());
    const nowhere = { location: '', room: '', region: '' };
    await put(opened.store, [newMemory({ id: 'a', place: nowhere }), newMemory({ id: 'b' })]);
    expect(await getOne(opened.store, 'a')).not.toHaveProperty('place');
    expect((await demote(opened, ['a', 'b'])).moved.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await getOne(opened.store, 'a')).toMatchObject({ tier: 'long_term' });
  });

  it('a namespace was deleted and its members are still requested › statistics of all are those of the others', async () => {
    const { store } = await open(await serve());
    await put(store, [newMemory({ id: 'a' })], { namespace: 'other' });
    await put(store, [newMemory({ id: 'a' })]);
    await store.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });
    await expect(getOne(store, 'a')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    await expect(store.follower.catchUp(SPACE)).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    expect(await store.statistics()).toMatchObject({ namespaceCount: 1, memoryCount: 1 });
  });

  it('Redis frozen › writes and hot reads fail in bounded time, long-term memories are readable, and calls succeed afterwards', async () => {
    const server = await serve();
    const opened = await open(server, TIMEOUT_MS);
    const { store } = opened;
    await put(
      store,
      IDS.map((id) => newMemory({ id })),
    );
    await demote(opened, ['c']);
    server.freeze();

    const startedAtMs = performance.now();
    await expect(put(store, [newMemory({ id: 'd' })])).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
    await expect(getOne(store, 'a')).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
    expect(await getOne(store, 'c')).toMatchObject({ id: 'c', tier: 'long_term' });
    expect(performance.now() - startedAtMs).toBeLessThan(6 * TIMEOUT_MS + 10_000);
    server.thaw();
    await until(
      'Redis answers',
      succeeds(() => getOne(store, 'a')),
    );

    await put(store, [newMemory({ id: 'd2' })]);
    expect(await idsOf(store)).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd2']));
  });

  it('Redis killed, with its log synced › every acknowledged write is there after the restart', async () => {
    const server = await serve({ appendonly: 'yes', appendfsync: 'always' });
    const opened = await open(server);
    const { store } = opened;
    for (const id of IDS) await put(store, [newMemory({ id, text: `text of ${id}` })]);
    await store.delete({ namespace: SPACE, ids: ['b'], cause: 'deleted', mustExist: true, atUs: NOW_US });
    await server.restart();
    await until(
      'Redis answers',
      succeeds(() => getOne(store, 'a')),
    );

    expect((await idsOf(store)).toSorted()).toEqual(['a', 'c']);
    expect((await getOne(store, 'c'))?.text).toBe('text of c');
    expect(opened.losses).toEqual([]);
  });

  it('Redis emptied › reported once, all copied memories are there, and the store continues', async () => {
    const server = await serve();
    const opened = await open(server);
    const { store } = opened;
    await put(
      store,
      IDS.map((id) => newMemory({ id, text: `text of ${id}` })),
    );
    await idsOf(store);
    await server.command('FLUSHALL');

    await until(
      'the loss is noticed',
      succeeds(() => idsOf(store)),
    );
    expect((await idsOf(store)).toSorted()).toEqual(IDS);
    expect((await getOne(store, 'b'))?.text).toBe('text of b');
    await put(store, [newMemory({ id: 'd' })]);
    await store.update({ namespace: SPACE, id: 'a', changes: { importance: 1 }, atUs: NOW_US });
    expect((await idsOf(store)).toSorted()).toEqual([...IDS, 'd']);
    expect(opened.losses).toEqual([`${SPACE} flushed`]);
  });

  it('Redis emptied while the server was stopped › the same at the next start', async () => {
    const server = await serve();
    const first = await open(server);
    await put(
      first.store,
      IDS.map((id) => newMemory({ id })),
    );
    await first.close();
    await server.command('FLUSHALL');

    const second = await open(server);
    expect((await idsOf(second.store)).toSorted()).toEqual(IDS);
    expect(second.losses).toEqual([`${SPACE} flushed`]);
  });

  it('Redis restarted with older data › the copies win: no change is reverted, no deleted memory returns', async () => {
    const server = await serve();
    const opened = await open(server);
    const { store } = opened;
    await put(store, [newMemory({ id: 'a', text: 'old' }), newMemory({ id: 'gone' })]);
    await server.command('SAVE');
    await store.update({
      namespace: SPACE,
      id: 'a',
      changes: { text: 'new', checksum: checksumOf('new') },
      atUs: NOW_US,
    });
    await store.delete({ namespace: SPACE, ids: ['gone'], cause: 'deleted', mustExist: true, atUs: NOW_US });
    await put(store, [newMemory({ id: 'b' })]);
    await idsOf(store);
    await server.restart();
    await until(
      'the loss is noticed',
      succeeds(() => idsOf(store)),
    );

    expect((await idsOf(store)).toSorted()).toEqual(['a', 'b']);
    expect((await getOne(store, 'a'))?.text).toBe('new');
    expect(opened.losses).toEqual([`${SPACE} rolled_back`]);
    await put(store, [newMemory({ id: 'gone' })]);
    expect((await idsOf(store)).toSorted()).toEqual(['a', 'b', 'gone']);
  });

  it('Redis out of memory › storing fails with STORAGE_FULL; reading, deleting and moving down succeed', async () => {
    const server = await serve({ maxmemory: '6mb', 'maxmemory-policy': 'noeviction' });
    const opened = await open(server);
    const { store } = opened;
    const text = 'x'.repeat(50_000);
    let count = 0;
    const fill = async () => {
      for (; count < 1000; count++) await put(store, [newMemory({ id: `m${count}`, text })]);
    };
    await expect(fill()).rejects.toMatchObject(because('STORAGE_FULL'));

    expect(await getOne(store, 'm0')).toMatchObject({ id: 'm0' });
    await store.delete({ namespace: SPACE, ids: ['m0'], cause: 'deleted', mustExist: true, atUs: NOW_US });
    const ids = Array.from({ length: count - 1 }, (_, at) => `m${at + 1}`);
    expect((await demote(opened, ids)).moved).toHaveLength(ids.length);
    await put(store, [newMemory({ id: 'again' })]);
    expect((await idsOf(store)).length).toBe(count);
  });

  it('Redis out of memory, a deletion shares a step with stores › the deletion is done, the others are refused', async () => {
    const server = await serve({ 'maxmemory-policy': 'noeviction' });
    const { hot } = await open(server);
    await put(
      hot,
      IDS.map((id) => newMemory({ id })),
    );
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    const [before, deletion, after] = await Promise.allSettled([
      put(hot, [newMemory({ id: 'd' })]),
      hot.delete({ namespace: SPACE, ids: ['b'], cause: 'deleted', mustExist: true, atUs: NOW_US }),
      put(hot, [newMemory({ id: 'e' })]),
    ]);

    const full = { status: 'rejected', reason: because('STORAGE_FULL') };
    expect([before, after]).toMatchObject([full, full]);
    expect(deletion).toMatchObject({ status: 'fulfilled', value: { deletedIds: ['b'] } });
    expect(await heldIds(hot, SPACE)).toEqual(['a', 'c']);
  });

  it('Redis is a read-only replica › writes fail and change nothing, reads succeed', async () => {
    const server = await serve();
    const { store } = await open(server);
    await put(
      store,
      IDS.map((id) => newMemory({ id })),
    );
    await idsOf(store);
    await server.command('REPLICAOF', '127.0.0.1', '1');

    await expect(put(store, [newMemory({ id: 'd' })])).rejects.toMatchObject({ metadata: { fault: 'read_only' } });
    expect((await idsOf(store)).toSorted()).toEqual(IDS);
    expect(await getOne(store, 'a')).toMatchObject({ id: 'a' });
  });
});
