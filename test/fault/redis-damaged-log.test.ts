import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const LOG = `mneme:{${SPACE}}:log`;

const { closers, serve } = redisOfTest();
let server: RedisServer;
let opened: TieredStoreOfTest;
beforeEach(async () => {
  server = await serve();
  opened = await open();
  await put(
    opened.store,
    ['a', 'b', 'c'].map((id) => newMemory({ id })),
  );
  expect(await idsOf(opened.store)).toEqual(['a', 'b', 'c']);
});

async function open(): Promise<TieredStoreOfTest> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-damaged-log-'));
  closers.push(() => rm(folder, { recursive: true }));
  const another = await openTieredStore({ folder, urls: [server.url] });
  closers.push(() => another.close());
  return another;
}

/** Into the log as it is, behind all that is there. */
async function append(...fields: string[]): Promise<void> {
  const [last] = (await server.command('XREVRANGE', LOG, '+', '-', 'COUNT', '1')) as [[string]];
  await server.command('XADD', LOG, `${Number.parseInt(String(last[0]), 10)}-*`, ...fields);
}

describe('an entry of the change log in Redis that cannot be read', () => {
  it.each([
    ['what an update made of a memory below', ['k', 'rewritten', 'i', 'a', 'd', '[1,"a"', 't', 'text']],
    ['text that does not give the checksum of the memory', ['k', 'rewritten', 'i', 'a', 'd', 'of a', 't', 'other']],
    ['a kind that there is not', ['k', 'ztored', 'i', 'a']],
    ['an id that is missing', ['k', 'stored']],
  ])('%s › is told of once and passed by: all that is there is copied, and what comes later', async (_, fields) => {
    const { store, losses, failures } = opened;
    const key = `mneme:{${SPACE}}:m:${(1).toString(36).padStart(10, '0')}`;
    const laid = String(await server.command('HGET', key, 'd'));
    await put(opened.hot, [newMemory({ id: 'd' })]);
    const at = fields.indexOf('of a');
    await append(...fields.map((field, place) => (place === at ? laid : field)));

    expect(await idsOf(store)).toEqual(['a', 'b', 'c', 'd']);
    expect(losses).toEqual([`${SPACE} damaged`]);

    await put(opened.hot, [newMemory({ id: 'e' })]);
    expect(await idsOf(store)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([losses, failures]).toEqual([[`${SPACE} damaged`], []]);
  });

  it('a server that comes later › is told, and copies all that is there', async () => {
    await append('k', 'ztored', 'i', 'a');
    const later = await open();

    expect(await idsOf(later.store)).toEqual(['a', 'b', 'c']);
    expect(later.losses).toEqual([`${SPACE} damaged`]);
  });
});

describe('a memory in Redis whose fields cannot be read', () => {
  it('reads and changes of it › fail and name it; the others, their copies and what comes later are as ever', async () => {
    const { store, failures } = opened;
    const key = `mneme:{${SPACE}}:m:${(2).toString(36).padStart(10, '0')}`;
    await server.command('HSET', key, 'd', '[1,"b",');
    await store.touch({ namespace: SPACE, ids: ['a'], atUs: NOW_US });
    await put(store, [newMemory({ id: 'd' })]);

    const [a, b, d] = await Promise.allSettled(['a', 'b', 'd'].map((id) => getOne(store, id)));
    expect([a?.status, d?.status]).toEqual(['fulfilled', 'fulfilled']);
    const damaged = { ...because('CHECKSUM_MISMATCH'), metadata: { name: `namespaces/${SPACE}/memories/b` } };
    expect(b).toMatchObject({ status: 'rejected', reason: damaged });
    const change = { namespace: SPACE, id: 'b', changes: { importance: 0.9 }, atUs: NOW_US };
    await expect(store.update(change)).rejects.toMatchObject(damaged);
    // Its copy is what was stored.
    expect(await idsOf(store)).toEqual(['a', 'b', 'c', 'd']);
    const move = { namespace: SPACE, to: 'long_term', resolution: FULL_RESOLUTION, atUs: NOW_US } as const;
    expect((await store.tiers.move({ ...move, ids: ['a', 'c'] })).moved).toHaveLength(2);
    expect(failures).toEqual([]);
  });
});
