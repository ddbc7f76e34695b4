import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Memory, Tier } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { getOne, NOW_US, plain, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { damageInFolder } from '../support/damage.ts';
import { LOW, longMemory as memory, moveTo, VALUES } from '../support/moved-memories.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const IDS = ['a', 'b', 'c'];

let server: RedisServer;
let folder: string;
const { closers, serve } = redisOfTest();
beforeEach(async () => {
  server = await serve();
  folder = await newFolder();
});

async function newFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'mneme-copied-moves-'));
  closers.push(() => rm(made, { recursive: true }));
  return made;
}

async function open(): Promise<TieredStoreOfTest> {
  const opened = await openTieredStore({ folder, urls: [server.url] });
  closers.push(() => opened.close());
  return opened;
}

const move = ({ store }: TieredStoreOfTest, to: Tier) => moveTo(store, to, IDS);
const withoutTier = async ({ store }: TieredStoreOfTest, id: string) => {
  const found = await getOne(store, id);
  return found && plain({ ...found, tier: 'short_term' });
};

describe('moves of memories with copies', () => {
  it('the copy of one is damaged › a move between the tiers of Redis replaces it', async () => {
    const opened = await open();
    await put(opened.store, IDS.map(memory));
    const before = await withoutTier(opened, 'b');
    await opened.store.follower.catchUp(SPACE);
    damageInFolder(folder, 'b', 'vector');

    expect((await move(opened, 'intermediate')).moved.map(({ id }) => id)).toEqual(IDS);
    const read = { namespace: SPACE, ids: IDS, view: 'full' as const, nowUs: NOW_US };
    const copies = await opened.cold.get(read);
    expect(copies.map((copy) => [copy?.id, copy?.tier, copy?.embedding?.values])).toEqual(
      IDS.map((id) => [id, 'intermediate', VALUES]),
    );
    expect(await withoutTier(opened, 'b')).toEqual(before);
    expect(opened.losses).toEqual([]);
  });

  it('the copy of one is missing › it is copied completely before it is moved further', async () => {
    const opened = await open();
    await put(opened.store, IDS.map(memory));
    const before = await withoutTier(opened, 'b');
    await opened.store.follower.catchUp(SPACE);
    // As after a process that ended directly after its release.
    await opened.cold.delete({ namespace: SPACE, ids: ['b'], cause: 'deleted', mustExist: true, atUs: NOW_US });

    await move(opened, 'intermediate');
    await move(opened, 'long_term');
    const tiers = await opened.store.get({ namespace: SPACE, ids: IDS, view: 'metadata', nowUs: NOW_US });
    expect(tiers.map((one) => one?.tier)).toEqual(['long_term', 'long_term', 'long_term']);
    expect(await withoutTier(opened, 'b')).toEqual(before);
  });

  it.each<[string, readonly Tier[]]>([
    ['once before it was copied', ['intermediate']],
    ['twice before it was copied', ['intermediate', 'short_term']],
  ])('moved %s › its copy is what it is, vector and all', async (_, tiers) => {
    const opened = await open();
    await put(opened.store, [memory('first')]);
    await opened.store.follower.catchUp(SPACE);
    await put(opened.hot, IDS.map(memory));
    for (const [at, to] of tiers.entries()) {
      const resolution = to === 'short_term' ? FULL_RESOLUTION : LOW;
      await opened.hot.move({ namespace: SPACE, ids: IDS, to, resolution, atUs: NOW_US + at });
    }
    await opened.store.follower.catchUp(SPACE);
    const read = { namespace: SPACE, ids: IDS, view: 'full' as const, nowUs: NOW_US };
    const plainly = (found: readonly (Memory | undefined)[]) => found.map((one) => one && plain(one));
    const inRedis = (await opened.hot.find(read)).memories;
    expect(plainly(await opened.cold.get(read))).toEqual(plainly(IDS.map((id) => inRedis.get(id))));
    expect((await opened.cold.get(read)).map((copy) => [copy?.tier, copy?.embedding?.values])).toEqual(
      IDS.map(() => [tiers.at(-1), VALUES]),
    );
  });

  it('one was changed after it was copied › its newest state moves, with its former states', async () => {
    const opened = await open();
    await put(opened.store, IDS.map(memory));
    await opened.store.update({ namespace: SPACE, id: 'b', changes: { importance: 0.9 }, atUs: NOW_US });
    expect((await move(opened, 'long_term')).moved.map(({ id }) => id)).toEqual(IDS);
    expect(await getOne(opened.store, 'b')).toMatchObject({ tier: 'long_term', importance: 0.9 });
    const states = await opened.store.revisions({ namespace: SPACE, id: 'b', limit: 9, nowUs: NOW_US });
    expect(states.map(({ change }) => change)).toEqual(['updated', 'stored']);
    const { memories } = await opened.hot.find({ namespace: SPACE, ids: IDS, view: 'metadata' });
    expect([...memories.keys()]).toEqual([]);
  });
});
