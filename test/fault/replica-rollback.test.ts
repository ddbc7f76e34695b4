import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../src/memory/errors.ts';
import { getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const IDS = ['a', 'b', 'c'];

let server: RedisServer;
let here: TieredStoreOfTest;
let there: TieredStoreOfTest;
let folderThere: string;
const { closers, serve } = redisOfTest();

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-rollback-'));
  closers.push(() => rm(folder, { recursive: true }));
  return folder;
}

async function open(folder: string): Promise<TieredStoreOfTest> {
  const opened = await openTieredStore({ folder, urls: [server.url] });
  closers.push(() => opened.close());
  return opened;
}

const memories = (ids: readonly string[]) => ids.map((id) => newMemory({ id }));
const listed = async ({ store }: TieredStoreOfTest) => (await idsOf(store)).toSorted();
const following = ({ store }: TieredStoreOfTest) => store.follower.catchUp(SPACE);

/** Tries again while there is no connection, or a loss has not been made good. */
async function patiently<T>(what: string, work: () => Promise<T>): Promise<T> {
  const done: T[] = [];
  await until(what, async () => {
    try {
      done.push(await work());
    } catch (error) {
      if (!(error instanceof MnemeError && error.reason === 'STORAGE_UNAVAILABLE')) throw error;
    }
    return done.length > 0;
  });
  return done[0] as T;
}

/** Both servers have copied what Redis will go back to. */
beforeEach(async () => {
  server = await serve();
  folderThere = await newFolder();
  [here, there] = [await open(await newFolder()), await open(folderThere)];
  await put(here.store, memories(IDS));
  for (const opened of [here, there]) {
    await opened.store.getNamespace(SPACE);
    await following(opened);
  }
  await server.command('SAVE');
});

describe('Redis goes back to an older state', () => {
  it('where nothing that was copied is missing › told once, and the namespace is as ever', async () => {
    await put(here.hot, memories(['lost']));
    await server.restart();
    await patiently('it is followed again', () => following(here));
    await put(here.store, memories(['d']));
    expect(await listed(here)).toEqual([...IDS, 'd']);
    expect(await getOne(here.store, 'a')).toMatchObject({ id: 'a', tier: 'short_term' });
    await put(here.store, memories(['lost']));
    expect(await listed(there)).toEqual([...IDS, 'd', 'lost']);
    expect([here.losses, here.failures]).toEqual([[`${SPACE} unfollowed`], []]);
  });

  it.each([
    ['not been copied', false, IDS],
    ['been copied', true, [...IDS, 'lost']],
  ])(
    'the revision of a write that had %s is given to one of another server › that one is there at both',
    async (_, isCopied, kept) => {
      const lost = await put(here.hot, memories(['lost']));
      if (isCopied) await following(here);
      await server.restart();
      const other = await patiently('another server writes', () => put(there.hot, memories(['other'])));
      expect(other.revision).toBe(lost.revision);
      await patiently('the loss is noticed', () => following(here));

      expect(await listed(here)).toEqual([...kept, 'other'].toSorted());
      expect(await getOne(here.store, 'other')).toMatchObject({ id: 'other' });
      expect(await listed(there)).toEqual([...IDS, 'other']);
      expect(here.losses).toEqual([`${SPACE} ${isCopied ? 'rolled_back' : 'unfollowed'}`]);
    },
  );

  it('another server has gone on beyond what is missing › it is noticed, and nothing of either is lost', async () => {
    await put(here.store, memories(['lost']));
    await here.store.delete({ namespace: SPACE, ids: ['b'], cause: 'deleted', mustExist: true, atUs: NOW_US });
    await following(here);
    await server.restart();
    const others = ['v', 'w', 'x', 'y', 'z'];
    for (const id of others) await patiently('another server writes', () => put(there.hot, memories([id])));
    expect(there.hot.revision).toBeGreaterThan(here.hot.revision);
    await patiently('the loss is noticed', () => following(here));

    // What was deleted stays so; what another server stored at a revision of what was lost is not taken for deleted.
    expect(await listed(here)).toEqual(['a', 'c', 'lost', ...others]);
    expect((await listed(there)).filter((id) => id !== 'b')).toEqual(['a', 'c', ...others]);
    expect(here.losses).toEqual([`${SPACE} rolled_back`]);
    await put(here.store, memories(['d']));
    expect(await getOne(here.store, 'd')).toMatchObject({ tier: 'short_term' });
  });

  it('a server was not there meanwhile, and others have gone on › it notices at its start', async () => {
    await put(there.store, memories(['lost']));
    await there.close();
    await server.restart();
    for (const id of ['v', 'w', 'x']) await patiently('it is written to', () => put(here.hot, memories([id])));
    there = await open(folderThere);
    expect(await listed(there)).toEqual([...IDS, 'lost', 'v', 'w', 'x']);
    expect(there.losses).toEqual([`${SPACE} rolled_back`]);
  });
});
