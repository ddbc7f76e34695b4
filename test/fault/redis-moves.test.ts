import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Tier } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION, type Resolution } from '../../src/memory/resolution/resolution.ts';
import { getOne, idsOf, NOW_US, plain, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const LOW: Resolution = { ...FULL_RESOLUTION, abstractBytesMax: 64, compressionLevel: 3, vector: 'i8' };
const IDS = ['a', 'b'];
const STEPS_MAX = 60;

let server: RedisServer;
let folder: string;
beforeAll(async () => {
  server = await RedisServer.started();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.command('FLUSHALL');
  folder = await mkdtemp(join(tmpdir(), 'mneme-moves-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Lets a number of calls to a store through; later calls do nothing, as after the end of the process. */
class Life {
  left = Number.POSITIVE_INFINITY;

  around<T extends object>(store: T): T {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'tiers') return this.around(value as object);
        if (typeof value !== 'function') return value;
        if (name === 'close') return value.bind(target) as unknown;
        return (...args: unknown[]): unknown => {
          if (this.left-- <= 0) throw new Error('the process has ended');
          return value.apply(target, args);
        };
      },
    });
  }
}

async function open(life = new Life()): Promise<TieredStoreOfTest> {
  const around = ({ hot, cold }: Parameters<NonNullable<Parameters<typeof openTieredStore>[0]['around']>>[0]) => ({
    hot: life.around(hot),
    cold: life.around(cold),
  });
  return openTieredStore({ folder, urls: [server.url], around });
}

const memory = (id: string) =>
  newMemory({
    id,
    text: `${id} ${'has a long text, longer than its abstract. '.repeat(5)}`,
    embedding: { model: 'm', values: Float32Array.of(0.1, -0.25, 1e-7, 3) },
  });

async function inRedis({ hot }: TieredStoreOfTest): Promise<string[]> {
  const { memories } = await hot.find({ namespace: SPACE, ids: IDS, view: 'metadata' });
  return [...memories.keys()];
}

async function statesOf({ store }: TieredStoreOfTest): Promise<unknown[]> {
  expect((await idsOf(store)).toSorted()).toEqual(IDS);
  const states = IDS.map(async (id) => ({
    memory: plain({ ...(await getOne(store, id)), tier: 'short_term' } as NonNullable<
      Awaited<ReturnType<typeof getOne>>
    >),
    past: (await store.revisions({ namespace: SPACE, id, limit: 9, nowUs: NOW_US })).map(({ change }) => change),
  }));
  return Promise.all(states);
}

describe('moves between Redis and the data folder', () => {
  it.each<[Tier, Tier]>([
    ['short_term', 'long_term'],
    ['intermediate', 'long_term'],
    ['long_term', 'short_term'],
    ['long_term', 'intermediate'],
    ['short_term', 'intermediate'],
  ])(
    'from %s to %s, ended after any step › nothing lost, nothing twice, and the repetition succeeds',
    async (from, to) => {
      const move = ({ store }: TieredStoreOfTest, tier: Tier) =>
        store.tiers.move({
          namespace: SPACE,
          ids: IDS,
          to: tier,
          resolution: tier === 'short_term' ? FULL_RESOLUTION : LOW,
          atUs: NOW_US,
        });
      let life = new Life();
      let opened = await open(life);
      await put(opened.store, IDS.map(memory));
      await opened.store.update({ namespace: SPACE, id: 'b', changes: { importance: 0.9 }, atUs: NOW_US });
      const before = await statesOf(opened);
      let isWhole = false;
      for (let steps = 0; !isWhole && steps < STEPS_MAX; steps++) {
        await move(opened, from);
        life.left = steps;
        isWhole = await move(opened, to).then(
          () => true,
          () => false,
        );
        await opened.close();

        life = new Life();
        opened = await open(life);
        expect(await statesOf(opened)).toEqual(before);
        await move(opened, to);
        expect(await statesOf(opened)).toEqual(before);
        const tiers = await opened.store.get({ namespace: SPACE, ids: IDS, view: 'metadata', nowUs: NOW_US });
        expect(tiers.map((one) => one?.tier)).toEqual([to, to]);
        expect(await inRedis(opened)).toEqual(to === 'long_term' ? [] : IDS);
      }
      expect(isWhole).toBe(true);
      expect(opened.losses).toEqual([]);
      await opened.close();
    },
    240_000,
  );
});
