import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const { closers, serve } = redisOfTest();
let server: RedisServer;
/** The log is followed only by calls. */
let opened: TieredStoreOfTest;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-emptied-'));
  closers.push(() => rm(folder, { recursive: true }));
  server = await serve();
  opened = await openTieredStore({ folder, urls: [server.url] });
  closers.push(() => opened.close());
});

/** Stores a memory in each namespace, copies it, then empties Redis. */
async function lost(...namespaces: string[]): Promise<void> {
  for (const namespace of namespaces) {
    await put(opened.store, [newMemory({ id: 'a', text: 'as it was' })], { namespace });
    await opened.store.follower.catchUp(namespace);
  }
  await server.command('FLUSHALL');
}
const request = (requestId: string) => ({ requestId, fingerprint: `of ${requestId}` });
const change = (text: string) =>
  opened.store.update({ namespace: SPACE, id: 'a', changes: { text, checksum: checksumOf(text) }, atUs: NOW_US });
const erase = () =>
  opened.store.delete({ namespace: SPACE, ids: ['a'], cause: 'deleted', mustExist: true, atUs: NOW_US });

describe('the first call after Redis was emptied', () => {
  it.each([
    ['Store', () => put(opened.store, [newMemory({ id: 'b' })]), ['a', 'b']],
    ['Get', () => getOne(opened.store, 'a'), ['a']],
    ['Update', () => change('changed'), ['a']],
    ['Delete', erase, []],
    ['Touch', () => opened.store.touch({ namespace: SPACE, ids: ['a'], atUs: NOW_US }), ['a']],
  ])('%s › succeeds, the loss is reported once, and copied memories are kept', async (_, call, ids) => {
    await lost(SPACE);
    await call();
    expect(opened.losses).toEqual([`${SPACE} flushed`]);
    expect((await idsOf(opened.store)).toSorted()).toEqual(ids);
    expect(opened.failures).toEqual([]);
  });

  it('concurrent calls, some with a request id › each has one effect, and a retry returns its outcome', async () => {
    await lost(SPACE);
    const ids = Array.from({ length: 100 }, (_, at) => `m${at}`);
    const store = (id: string, at: number) =>
      put(opened.store, [newMemory({ id })], at % 2 === 0 ? { idempotency: request(id) } : {});
    const outcomes = await Promise.all(ids.map(store));
    expect(new Set(outcomes.map(({ revision }) => revision)).size).toBe(ids.length);
    for (const at of [0, 50]) expect(await store(`m${at}`, at)).toEqual(outcomes[at]);
    await expect(store('m1', 1)).rejects.toMatchObject(because('MEMORY_EXISTS'));
    expect(await idsOf(opened.store)).toHaveLength(ids.length + 1);
  });

  it('lookup of an outcome that Redis has lost › returns none without an error', async () => {
    await put(opened.store, [newMemory({ id: 'a' })], { idempotency: request('r') });
    expect(await opened.store.outcomeOf(SPACE, request('r'))).toBeDefined();
    await server.command('FLUSHALL');
    expect(await opened.store.outcomeOf(SPACE, request('r'))).toBeUndefined();
  });

  it('several namespaces › each recovers on its own, at a write or a read', async () => {
    await lost('one', 'two', 'three');
    const inTwo = { namespace: 'two', ids: ['a'], view: 'full', nowUs: NOW_US } as const;
    await put(opened.store, [newMemory({ id: 'b' })], { namespace: 'one' });
    expect((await opened.store.get(inTwo))[0]).toMatchObject({ text: 'as it was' });
    expect(opened.losses.toSorted()).toEqual(['one flushed', 'two flushed']);
    await put(opened.store, [newMemory({ id: 'b' })], { namespace: 'three' });
    for (const namespace of ['one', 'three']) {
      expect((await idsOf(opened.store, { namespace })).toSorted()).toEqual(['a', 'b']);
    }
  });

  it('Store into a namespace deleted before › succeeds, and reports no loss', async () => {
    await put(opened.store, [newMemory({ id: 'a' })]);
    await opened.store.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });
    await server.command('FLUSHALL');
    await put(opened.store, [newMemory({ id: 'b' })]);
    expect(await idsOf(opened.store)).toEqual(['b']);
    expect(opened.losses).toEqual([]);
  });
});

describe('the first call after Redis was rolled back', () => {
  it('a steady stream of writes › all succeed, beside the removal of stale data in Redis', async () => {
    const early = Array.from({ length: 300 }, (_, at) => newMemory({ id: `early${at}` }));
    await put(opened.store, early);
    await server.command('SAVE');
    await put(opened.store, [newMemory({ id: 'late' })]);
    await opened.store.follower.catchUp(SPACE);
    await server.restart();
    const { connection } = opened.hot.keyspaces;
    await until('the connection is back', () =>
      connection.askAll(['PING']).then(
        () => true,
        () => false,
      ),
    );

    const ids = Array.from({ length: 200 }, (_, at) => `new${at}`);
    const stored: Promise<unknown>[] = [];
    for (const id of ids) {
      stored.push(put(opened.store, [newMemory({ id })]));
      await turn();
    }
    await Promise.all(stored);
    expect(await idsOf(opened.store, { limit: 1000 })).toHaveLength(early.length + 1 + ids.length);
    expect(opened.losses).toEqual([`${SPACE} rolled_back`]);
  });
});
