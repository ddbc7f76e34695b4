import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

let server: RedisServer;
let folder: string;
const opened: TieredStoreOfTest[] = [];
/** The writer: it follows the log only at its own reads. */
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
const change = ({ store }: TieredStoreOfTest, id: string, step: number, others = {}) =>
  store.update({ namespace: SPACE, id, changes: { step, ...others }, atUs: NOW_US });
const sorted = async ({ store }: TieredStoreOfTest) => (await idsOf(store)).toSorted();
/** Number of `gap` changes in the change log. */
async function gaps({ streams }: TieredStoreOfTest): Promise<number> {
  const namespace = await streams.watchedNamespace(SPACE);
  const { changes } = await streams.readChanges({ namespace, afterRevision: 0, limit: 10_000, bytesMax: 1e9 });
  return changes.filter(({ kind }) => kind === 'gap').length;
}

/** Both servers hold all of these memories; `there` also holds the long-term memory `own`. */
async function bothHolding(...ids: string[]): Promise<void> {
  await put(here.store, named(...ids));
  await put(there.store, [newMemory({ id: 'own', tier: 'long_term' })]);
  expect(await sorted(there)).toEqual([...ids, 'own'].toSorted());
}

describe('a log trimmed beyond the position of a follower, such as a restored data folder', () => {
  it('the copy equals Redis; long-term memories and memories possibly demoted stay', async () => {
    await bothHolding('hot', 'deleted', 'changed');
    await erase(here, 'deleted');
    await change(here, 'changed', 7);
    await put(here.store, named('new', 'short-lived'));
    await erase(here, 'short-lived');
    await trim('log', 1);

    expect(await sorted(there)).toEqual(['changed', 'deleted', 'hot', 'new', 'own']);
    expect((await getOne(there.store, 'changed'))?.step).toBe(7);
    expect([there.losses, await gaps(there)]).toEqual([[`${SPACE} gap`], 1]);
    await erase(here, 'changed');
    expect(await sorted(there)).toEqual(['deleted', 'hot', 'new', 'own']);
    expect([there.losses, await gaps(there)]).toEqual([[`${SPACE} gap`], 1]);
  }, 120_000);

  it('more memories than one batch › all are copied', async () => {
    await bothHolding('before');
    const ids = Array.from({ length: 1200 }, (_, at) => `m${at}`);
    await put(here.store, named(...ids));
    await trim('log', 1);
    expect(await sorted(there)).toEqual(['before', 'own', ...ids].toSorted());
  }, 120_000);
});

describe('a log that was deleted', () => {
  it('no writes since › one gap is reported; later writes are followed', async () => {
    await bothHolding('before');
    await put(here.store, named('missed'));
    // The writer reads its log before the deletion: it would miss unread entries too.
    expect(await sorted(here)).toEqual(['before', 'missed']);
    await server.command('DEL', key('log'));
    for (const _ of [1, 2]) expect(await sorted(there)).toEqual(['before', 'missed', 'own']);
    expect([await gaps(there), await gaps(here)]).toEqual([1, 0]);
    await put(here.store, named('after'));
    for (const store of [here, there]) expect(await sorted(store)).toContain('after');
    expect([await gaps(there), await gaps(here), there.losses]).toEqual([1, 0, [`${SPACE} gap`]]);
  }, 120_000);

  it('a new server › has every memory, also after later writes', async () => {
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
    'one entry is deleted, %s › one gap is reported, after the entries before it',
    async (_, at) => {
      await bothHolding('before');
      await put(here.store, named('one'));
      await put(here.store, named('two'));
      await put(here.store, named('three'));
      const entries = (await server.command('XRANGE', key('log'), '-', '+')) as [string][];
      const entry = entries.slice(1).at(at)?.[0] ?? '';
      await server.command('XDEL', key('log'), entry);
      for (const _ of [1, 2]) expect(await sorted(there)).toEqual(['before', 'one', 'own', 'three', 'two']);
      expect([await gaps(there), there.losses]).toEqual([1, [`${SPACE} gap`]]);
    },
    120_000,
  );
});
