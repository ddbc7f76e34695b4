import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { LOG_LENGTHS } from '../../src/storage/redis/log-commands.ts';
import { getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { seededRandom } from '../support/random.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

let server: RedisServer;
let folder: string;
const opened: TieredStoreOfTest[] = [];
/** Does something meanwhile, and follows nothing unless it is asked. */
let here: TieredStoreOfTest;
let there: TieredStoreOfTest;
beforeEach(async () => {
  server = await RedisServer.started();
  folder = await mkdtemp(join(tmpdir(), 'mneme-gaps-'));
  here = await open('here');
  there = await open('there');
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

async function open(name: string): Promise<TieredStoreOfTest> {
  const store = await openTieredStore({ folder: join(folder, name), urls: [server.url] });
  opened.push(store);
  return store;
}

const key = (name: string) => `mneme:{${SPACE}}:${name}`;
const trim = (log: string, length: number) => server.command('XTRIM', key(log), 'MAXLEN', `${length}`);
const named = (...ids: string[]) => ids.map((id) => newMemory({ id }));
const erase = ({ store }: TieredStoreOfTest, ...ids: string[]) =>
  store.delete({ namespace: SPACE, ids, cause: 'deleted', mustExist: true, atUs: NOW_US });
const moveDown = ({ store }: TieredStoreOfTest, ...ids: string[]) =>
  store.tiers.move({ namespace: SPACE, ids, to: 'long_term', resolution: FULL_RESOLUTION, atUs: NOW_US });
const change = ({ store }: TieredStoreOfTest, id: string, step: number, others = {}) =>
  store.update({ namespace: SPACE, id, changes: { step, ...others }, atUs: NOW_US });
const sorted = async ({ store }: TieredStoreOfTest) => (await idsOf(store)).toSorted();
/** Each `gap` of the log, and what was told of after it. */
async function gaps({ streams }: TieredStoreOfTest): Promise<number> {
  const namespace = await streams.watchedNamespace(SPACE);
  const { changes } = await streams.readChanges({ namespace, afterRevision: 0, limit: 10_000, bytesMax: 1e9 });
  return changes.filter(({ kind }) => kind === 'gap').length;
}

/** Both hold all of them; `there` holds one of its own besides. */
async function bothHolding(...ids: string[]): Promise<void> {
  await put(here.store, named(...ids));
  await put(there.store, [newMemory({ id: 'own', tier: 'long_term' })]);
  expect(await sorted(there)).toEqual([...ids, 'own'].toSorted());
}

/** The same when they have moved down: each holds its own. */
async function bothHoldingBelow(...ids: string[]): Promise<void> {
  await bothHolding(...ids);
  await moveDown(here, ...ids);
  expect(await sorted(there)).toEqual([...ids, 'own'].toSorted());
}

describe('a log that was trimmed beyond what a server has followed', () => {
  it('memories that were deleted meanwhile, in Redis and below › are gone; those that moved down, and its own, stay', async () => {
    await bothHolding('hot', 'deleted', 'down', 'below', 'deleted below', 'changed');
    await moveDown(here, 'below', 'deleted below');
    expect(await sorted(there)).toContain('below');
    await erase(here, 'deleted', 'deleted below');
    await moveDown(here, 'down');
    await change(here, 'changed', 7);
    await put(here.store, named('new', 'short-lived'));
    await erase(here, 'short-lived');
    await put(here.store, named('deleted'));
    await erase(here, 'hot');
    await trim('log', 1);

    expect(await sorted(there)).toEqual(['below', 'changed', 'deleted', 'down', 'new', 'own']);
    expect((await getOne(there.store, 'changed'))?.step).toBe(7);
    expect([there.losses, await gaps(there)]).toEqual([[], 1]);
    await erase(here, 'changed');
    expect(await sorted(there)).toEqual(['below', 'deleted', 'down', 'new', 'own']);
    expect([there.losses, await gaps(there)]).toEqual([[], 1]);
  }, 120_000);

  it('more deletions than fit into one step › all of them are followed', async () => {
    const ids = Array.from({ length: 1200 }, (_, at) => `m${at}`);
    await bothHolding(...ids);
    await erase(here, ...ids.slice(1));
    await put(here.store, named('last'));
    await trim('log', 1);
    expect(await sorted(there)).toEqual(['last', 'm0', 'own']);
    expect(there.losses).toEqual([]);
  }, 120_000);

  it.each([
    ['trimmed', () => trim('below', 1)],
    ['taken away', () => server.command('DEL', key('below'))],
  ])(
    'what is kept of deletions was %s as well › told, and nothing that may have moved down is deleted',
    async (_, lose) => {
      await bothHolding('deleted', 'down', 'hot');
      await erase(here, 'deleted');
      await moveDown(here, 'down');
      await erase(here, 'hot');
      await lose();
      await trim('log', 0);
      expect(await sorted(there)).toEqual(expect.arrayContaining(['deleted', 'down', 'own']));
      expect(there.losses).toEqual([`${SPACE} gap`]);
    },
    120_000,
  );

  it('long-term memories were updated meanwhile, one twice, one deleted afterwards › are as they were made', async () => {
    const text = 'as it is now';
    await bothHoldingBelow('once', 'twice', 'deleted');
    await change(here, 'once', 1);
    await change(here, 'twice', 1);
    await change(here, 'twice', 2, { text, checksum: checksumOf(text) });
    await change(here, 'deleted', 1);
    await erase(here, 'deleted');
    await put(here.store, named('new'));
    await trim('log', 1);
    expect(await sorted(there)).toEqual(['new', 'once', 'own', 'twice']);
    // Tiers are each server's own.
    const statesAt = async ({ store }: TieredStoreOfTest, id: string) =>
      (await store.revisions({ namespace: SPACE, id, limit: 10, nowUs: NOW_US })).map(({ memory, change }) => {
        const { tier: _, ...rest } = memory;
        return { ...rest, change };
      });
    for (const [id, count] of [['once', 2] as const, ['twice', 3] as const]) {
      const states = await statesAt(here, id);
      expect(states).toHaveLength(count);
      expect(await statesAt(there, id)).toEqual(states);
    }
    expect((await getOne(there.store, 'twice'))?.text).toBe(text);
    expect(there.losses).toEqual([]);
    await change(there, 'twice', 3);
    await idsOf(here.store);
    expect((await getOne(here.store, 'twice'))?.step).toBe(3);
  }, 120_000);

  it('so many were updated meanwhile that not all states are kept › told, until it is updated again', async () => {
    await bothHoldingBelow('below', 'deleted');
    await change(here, 'deleted', 1);
    await change(here, 'below', 1);
    await put(here.store, named('new'));
    await trim('log', 1);
    await server.command('DEL', key('states'));
    expect(await sorted(there)).toContain('new');
    expect(there.losses).toEqual([`${SPACE} gap`]);
    await change(here, 'below', 2);
    await idsOf(there.store);
    expect((await getOne(there.store, 'below'))?.step).toBe(2);
  }, 120_000);

  it('a state of which nothing is kept, but one that came later, or nothing is left of › is not missed', async () => {
    await bothHoldingBelow('below', 'deleted');
    await change(here, 'deleted', 1);
    await change(here, 'below', 1);
    await change(here, 'below', 2);
    await erase(here, 'deleted');
    await put(here.store, named('new'));
    await trim('log', 1);
    await trim('states', 1);
    expect(await sorted(there)).toEqual(['below', 'new', 'own']);
    expect((await getOne(there.store, 'below'))?.step).toBe(2);
    expect(there.losses).toEqual([]);
  }, 120_000);

  it('what is kept is bounded as it is set', async () => {
    const store = await openTieredStore({
      folder: join(folder, 'bounded'),
      urls: [server.url],
      logLengths: { ...LOG_LENGTHS, changes: 1000, deletions: 300, updates: 100 },
    });
    opened.push(store);
    const ids = Array.from({ length: 700 }, (_, at) => `m${at}`);
    await put(store.store, named(...ids));
    await moveDown(store, 'm0');
    for (let step = 1; step <= 250; step++) await change(store, 'm0', step);
    for (const id of ids.slice(1)) await erase(store, id);
    const lengths = await Promise.all(['log', 'below', 'states'].map((log) => server.command('XLEN', key(log))));
    // Redis trims whole nodes of a stream: up to 100 entries more.
    for (const [at, bound] of [1000, 300, 100].entries()) {
      expect(Number(lengths[at])).toBeGreaterThanOrEqual(bound);
      expect(Number(lengths[at])).toBeLessThanOrEqual(bound + 100);
    }
  }, 240_000);

  it('the namespace was deleted and made anew meanwhile › nothing of before is left', async () => {
    await bothHolding('hot', 'down');
    await moveDown(here, 'down');
    await here.store.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });
    await put(here.store, named('new', 'newer'));
    await trim('log', 1);
    expect(await sorted(there)).toEqual(['new', 'newer']);
    expect(there.losses).toEqual([]);
  }, 120_000);

  it('memories that expired as they were stored › take no room among the deletions that are kept', async () => {
    const expiring = named('one', 'two').map((memory) => ({ ...memory, expiresAtUs: NOW_US + 1 }));
    await put(here.store, expiring);
    await here.store.update({ namespace: SPACE, id: 'two', changes: { step: 1 }, atUs: NOW_US });
    const ids = ['one', 'two'];
    const atUs = NOW_US + 2;
    await here.hot.delete({ namespace: SPACE, ids, cause: 'expired', mustExist: false, atUs });
    expect(await server.command('XLEN', key('below'))).toBe(1);
  }, 120_000);

  it('whatever was written, moved, deleted and trimmed › what was deleted is gone, what was not is there', async () => {
    const random = seededRandom('redis gaps');
    await bothHolding('first');
    const [alive, known, deleted] = [new Set(['first']), new Set(['own', 'first']), new Set<string>()];
    for (let round = 0; round < 25; round++) {
      for (let step = 0; step < 8; step++) {
        const id = random.chance(0.5) ? '' : random.pick(['', ...alive]);
        const isBelow = id !== '' && (await getOne(here.store, id))?.tier === 'long_term';
        const what = id === '' ? 'store' : random.pick(isBelow ? ['erase', 'keep'] : ['erase', 'move', 'change']);
        if (what === 'store') {
          const fresh = `m${round}-${step}`;
          await put(here.store, named(fresh));
          alive.add(fresh);
        }
        if (what === 'erase') {
          await erase(here, id);
          alive.delete(id);
          deleted.add(id);
        }
        if (what === 'move') await moveDown(here, id);
        if (what === 'change') await change(here, id, step);
      }
      if (random.chance(0.5)) await trim('log', random.int(4));
      if (random.chance(0.2)) await server.command('DEL', key('log'));
      const found = new Set(await idsOf(there.store));
      for (const id of alive) if (found.has(id)) known.add(id);
      for await (const id of here.hot.allIds(SPACE)) known.add(id);
      const expected = [...known].filter((id) => !deleted.has(id)).toSorted();
      expect([random.seed, round, [...found].toSorted()]).toEqual([random.seed, round, expected]);
    }
    expect(there.losses).toEqual([]);
  }, 240_000);
});

describe('a log that somebody has taken away', () => {
  it('nothing was written since › a gap is told once; then all is in order', async () => {
    await bothHolding('before');
    await put(here.store, named('missed'));
    // What a server has not read of the log yet is missing for itself too.
    expect(await sorted(here)).toEqual(['before', 'missed']);
    await server.command('DEL', key('log'));
    for (const _ of [1, 2]) expect(await sorted(there)).toEqual(['before', 'missed', 'own']);
    expect([await gaps(there), await gaps(here)]).toEqual([1, 0]);
    await put(here.store, named('after'));
    for (const store of [here, there]) expect(await sorted(store)).toContain('after');
    expect([await gaps(there), await gaps(here), there.losses]).toEqual([1, 0, []]);
  }, 120_000);

  it('a server that comes for the first time › has all that is there, also when more was written since', async () => {
    await bothHolding('before');
    await server.command('DEL', key('log'));
    const third = await open('third');
    expect(await sorted(third)).toEqual(['before']);
    await put(here.store, named('after'));
    const fourth = await open('fourth');
    for (const store of [third, fourth]) expect(await sorted(store)).toEqual(['after', 'before']);
    expect([await gaps(third), await gaps(fourth)]).toEqual([0, 0]);
  }, 120_000);

  it.each([
    ['the newest', -1],
    ['one in the middle', 1],
  ])(
    'one entry of it, %s › a gap is told once, after what came before it',
    async (_, at) => {
      await bothHolding('before');
      await put(here.store, named('one'));
      await put(here.store, named('two'));
      await put(here.store, named('three'));
      const entries = (await server.command('XRANGE', key('log'), '-', '+')) as [string][];
      const entry = entries.slice(1).at(at)?.[0] ?? '';
      await server.command('XDEL', key('log'), entry);
      for (const _ of [1, 2]) expect(await sorted(there)).toEqual(['before', 'one', 'own', 'three', 'two']);
      expect([await gaps(there), there.losses]).toEqual([1, []]);
    },
    120_000,
  );
});
