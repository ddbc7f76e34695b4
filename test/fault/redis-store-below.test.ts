import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';
import type { StoreWrite } from '../../src/storage/memory-store.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const TIMEOUT_MS = 3000;

let folder: string;
let server: RedisServer;
let opened: TieredStoreOfTest;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-below-'));
  server = await RedisServer.started({ appendonly: 'yes', appendfsync: 'always' });
  opened = await openTieredStore({ folder, urls: [server.url], commandTimeoutMs: TIMEOUT_MS });
  await opened.store.tiers.setTierSettings({
    namespace: '',
    settings: [['redis.when_lost', 'store_below']],
    atUs: NOW_US,
  });
});
afterEach(async () => {
  server.thaw();
  await opened.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

const store = (ids: readonly string[], more: Partial<StoreWrite> = {}) =>
  opened.store.store({
    namespace: SPACE,
    memories: ids.map((id) => newMemory({ id, text: `text of ${id}` })),
    createNamespace: true,
    onConflict: 'fail',
    atUs: NOW_US,
    ...more,
  });
const answers = () =>
  until('Redis answers', () =>
    idsOf(opened.store).then(
      () => true,
      () => false,
    ),
  );
const hotIds = async () => {
  const ids: string[] = [];
  for await (const id of opened.hot.allIds(SPACE)) ids.push(id);
  return ids.sort();
};

describe('new memories while Redis does not answer, where the settings say store_below', () => {
  it('Redis frozen › stored in long-term memory, as the outcome says, readable, and there once when Redis recovers', async () => {
    await put(opened.store, [newMemory({ id: 'hot' })]);
    server.freeze();
    const idempotency = { requestId: 'r', fingerprint: 'f' };
    const outcome = await store(['a', 'b'], { idempotency });

    expect(outcome.detour).toMatchObject({ around: 'short_term', storedIn: 'long_term' });
    expect(outcome.memories).toHaveLength(2);
    expect(await getOne(opened.store, 'a')).toMatchObject({ text: 'text of a', tier: 'long_term' });
    expect(await store(['c', 'd'], { idempotency })).toEqual(outcome);
    server.thaw();
    await answers();

    expect((await idsOf(opened.store)).toSorted()).toEqual(['a', 'b', 'hot']);
    expect(await hotIds()).toEqual(['hot']);
    expect(await getOne(opened.store, 'a')).toMatchObject({
      text: 'text of a',
      revision: outcome.memories[0]?.revision,
    });
    expect(await store(['e'], { idempotency })).toEqual(outcome);
    expect(opened.losses).toEqual([]);
  });

  it('the failed write takes effect late › changes and deletions of the meantime stay', async () => {
    await put(opened.store, [newMemory({ id: 'hot' })]);
    server.freeze();
    // Sent, and queued in the frozen Redis.
    const first = await store(['a', 'b', 'c']);
    server.thaw();
    await until('Redis answers', () =>
      opened.store
        .update({ namespace: SPACE, id: 'a', changes: { text: 'new', checksum: checksumOf('new') }, atUs: NOW_US })
        .then(
          () => true,
          () => false,
        ),
    );
    await opened.store.delete({ namespace: SPACE, ids: ['b'], cause: 'deleted', mustExist: true, atUs: NOW_US });

    expect((await idsOf(opened.store)).toSorted()).toEqual(['a', 'c', 'hot']);
    expect((await getOne(opened.store, 'a'))?.text).toBe('new');
    expect((await getOne(opened.store, 'c'))?.revision).toBe(first.memories[2]?.revision);
    expect(await hotIds()).toEqual(['hot']);
  });

  it('Redis out of memory › stored in long-term memory, as the outcome says; other calls succeed, and later memories go to Redis again', async () => {
    await put(opened.store, [newMemory({ id: 'hot' })]);
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    const outcome = await store(['a', 'b']);

    expect(outcome.detour).toMatchObject({ around: 'short_term', storedIn: 'long_term' });
    expect(outcome.detour?.reason).toMatch(/^Redis has used up its memory/);
    expect((await idsOf(opened.store)).toSorted()).toEqual(['a', 'b', 'hot']);
    expect(await getOne(opened.store, 'a')).toMatchObject({ text: 'text of a', tier: 'long_term' });
    expect((await getOne(opened.store, 'hot'))?.tier).toBe('short_term');
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    expect((await store(['c'])).detour).toBeUndefined();

    expect((await idsOf(opened.store)).toSorted()).toEqual(['a', 'b', 'c', 'hot']);
    expect(await hotIds()).toEqual(['c', 'hot']);
    expect(opened.losses).toEqual([]);
  });

  it('Redis killed, then restarted › nothing is lost or duplicated, new memories go to Redis again', async () => {
    await put(opened.store, [newMemory({ id: 'hot' })]);
    await idsOf(opened.store);
    await server.kill();
    await store(['a']);
    await store(['b'], { onConflict: 'keep' });
    await server.start();
    await answers();

    const after = await store(['c']);
    expect(after.detour).toBeUndefined();
    expect((await idsOf(opened.store)).toSorted()).toEqual(['a', 'b', 'c', 'hot']);
    expect(await hotIds()).toEqual(['c', 'hot']);
  });

  it('the server ends before Redis recovers › the next one has everything once', async () => {
    await put(opened.store, [newMemory({ id: 'hot' })]);
    server.freeze();
    await store(['a']);
    await opened.close();
    server.thaw();
    opened = await openTieredStore({ folder, urls: [server.url] });

    expect((await idsOf(opened.store)).toSorted()).toEqual(['a', 'hot']);
    expect((await getOne(opened.store, 'a'))?.text).toBe('text of a');
    expect(await hotIds()).toEqual(['hot']);
  });

  it('Redis has another memory of the same id that was not copied › both are kept: one as a former state', async () => {
    await put(opened.store, [newMemory({ id: 'hot' })]);
    await idsOf(opened.store);
    await opened.hot.store({
      namespace: SPACE,
      memories: [newMemory({ id: 'a', text: 'of another server', createdAtUs: 1 })],
      createNamespace: false,
      onConflict: 'fail',
      atUs: NOW_US,
    });
    server.freeze();
    await store(['a']);
    server.thaw();
    await answers();

    expect((await getOne(opened.store, 'a'))?.text).toBe('text of a');
    const states = await opened.store.revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: NOW_US });
    expect(states.map(({ memory }) => memory.text)).toEqual(['text of a', 'of another server']);
    expect(await hotIds()).toEqual(['hot']);
  });

  it('existing memories, changes and deletions › fail as UNAVAILABLE', async () => {
    await put(opened.store, [newMemory({ id: 'hot' })]);
    await idsOf(opened.store);
    server.freeze();
    const unavailable = because('STORAGE_UNAVAILABLE');
    const changes = { importance: 1 };

    const erasure = { namespace: SPACE, ids: ['hot'], cause: 'deleted', mustExist: true, atUs: NOW_US } as const;
    // All wait for the same timeout.
    const failed = await Promise.allSettled([
      store(['hot'], { onConflict: 'replace' }),
      store(['a', 'hot']),
      opened.store.update({ namespace: SPACE, id: 'hot', changes, atUs: NOW_US }),
      opened.store.delete(erasure),
    ]);
    expect(failed).toMatchObject(failed.map(() => ({ status: 'rejected', reason: unavailable })));
  });

  it('a request that Redis has acknowledged is repeated › returns the first outcome, and stores nothing again', async () => {
    const idempotency = { requestId: 'r', fingerprint: 'f' };
    const outcome = await store(['a'], { idempotency });
    server.freeze();

    expect(await store(['b'], { idempotency })).toEqual(outcome);
    await expect(store(['b'], { idempotency: { ...idempotency, fingerprint: 'g' } })).rejects.toMatchObject(
      because('REQUEST_ID_REUSED'),
    );
  });

  it('types that are excluded from long-term memory › fail as UNAVAILABLE', async () => {
    await put(opened.store, [newMemory({ id: 'hot' })]);
    await opened.store.tiers.setTierSettings({
      namespace: SPACE,
      settings: [['long_term.types', 'note']],
      atUs: NOW_US,
    });
    server.freeze();

    await expect(store(['a'])).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
  });
});
