import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore } from '../support/tiered-store.ts';

const BATCH = 500;
const BATCHES = 8;

let server: RedisServer;
let folder: string;
beforeEach(async () => {
  server = await RedisServer.started({ appendonly: 'yes', appendfsync: 'everysec' });
  folder = await mkdtemp(join(tmpdir(), 'mneme-lag-'));
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const batch = (from: number) => ({
  namespace: SPACE,
  memories: Array.from({ length: BATCH }, (_, at) => newMemory({ id: `m${from + at}`, text: `memory ${from + at}` })),
  createNamespace: true,
  onConflict: 'fail' as const,
  atUs: 1,
});

describe('copies of a reliable Redis', () => {
  it('writers wait for the copy as soon as Redis is no longer reliable', async () => {
    let isReliable = true;
    const copying = Promise.withResolvers<never>();
    copying.promise.catch(() => undefined);
    const { store, close } = await openTieredStore({
      folder,
      urls: [server.url],
      mayLag: () => isReliable,
      around: ({ hot, cold }) => ({
        hot: new Proxy(hot, {
          get: (target, name) => (name === 'changes' ? () => copying.promise : bound(target, name)),
        }),
        cold,
      }),
    });
    try {
      for (let at = 0; at < 6; at++) await store.store(batch(at * BATCH));
      isReliable = false;
      const stored = store.store(batch(6 * BATCH)).then(() => 'stored');
      const isThere = async () => {
        const { memories } = await store.hot.find({ namespace: SPACE, ids: ['m3000'], view: 'metadata' });
        return memories.size > 0;
      };
      while (!(await isThere())) await new Promise(setImmediate);
      expect(await Promise.race([stored, isThere()])).toBe(true);
      copying.reject(new Error('no copies today'));
      expect(await stored).toBe('stored');
    } finally {
      copying.reject(new Error('no copies any more'));
      await close();
    }
  }, 240_000);

  it('reads see a complete copy, even when writers were far ahead and Redis was killed meanwhile', async () => {
    const { store, losses, close } = await openTieredStore({ folder, urls: [server.url], commandTimeoutMs: 20_000 });
    for (let at = 0; at < BATCHES; at++) await store.store(batch(at * BATCH));
    await server.restart();
    const counted = async () => (await store.count({ namespace: SPACE, nowUs: 1 })).get('short_term');
    // Until the connection is restored.
    while ((await counted().catch(() => undefined)) === undefined) await new Promise(setImmediate);
    expect(await counted()).toBe(BATCHES * BATCH);
    expect(losses).toEqual([]);
    await close();
  }, 240_000);

  it('the copy is complete when a process ended before copying and the store is opened again', async () => {
    const life = { isOver: false };
    const first = await openTieredStore({
      folder,
      urls: [server.url],
      commandTimeoutMs: 20_000,
      around: ({ hot, cold }) => ({
        hot,
        cold: new Proxy(cold, {
          get: (target, name) => (name === 'tiers' ? ended(target.tiers, life) : bound(target, name)),
        }),
      }),
    });
    await first.store.store(batch(0));
    life.isOver = true;
    for (let at = 1; at < BATCHES; at++) await first.store.store(batch(at * BATCH));
    await first.cold.close();
    const second = await openTieredStore({ folder, urls: [server.url], commandTimeoutMs: 20_000 });
    expect((await second.store.count({ namespace: SPACE, nowUs: 1 })).get('short_term')).toBe(BATCHES * BATCH);
    expect(second.losses).toEqual([]);
    await second.close();
    await first.hot.close();
  }, 240_000);
});

/** Fails every copy once `life.isOver`, as after the end of the process. */
function ended<T extends object>(tiers: T, life: { readonly isOver: boolean }): T {
  return new Proxy(tiers, {
    get: (target, name) => {
      if (name === 'mirror' && life.isOver) return () => Promise.reject(new Error('the process has ended'));
      return bound(target, name);
    },
  });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === 'function' ? value.bind(target) : value;
}
