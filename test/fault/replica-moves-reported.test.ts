import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';
import type { Tier } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { LOW, longMemory, moveTo, VALUES } from '../support/moved-memories.ts';
import { newMemory } from '../support/new-memory.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const IDS = ['twice', 'updated', 'deleted', 'embedded', 'touched'];

let here: TieredStoreOfTest;
let there: TieredStoreOfTest;
let url: string;
const { closers, serve } = redisOfTest();

async function open(): Promise<TieredStoreOfTest> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-moves-told-'));
  closers.push(() => rm(folder, { recursive: true }));
  const opened = await openTieredStore({ folder, urls: [url] });
  closers.push(() => opened.close());
  return opened;
}

beforeEach(async () => {
  ({ url } = await serve());
  [here, there] = [await open(), await open()];
});

/** Each move that the log tells of, by the revision that all servers know it by. */
async function movesTold({ store, streams }: TieredStoreOfTest): Promise<unknown[]> {
  await store.follower.catchUp(SPACE);
  const namespace = await streams.watchedNamespace(SPACE);
  const page = await streams.readChanges({ namespace, afterRevision: 0, limit: 1000, bytesMax: 1e9 });
  return page.changes
    .filter(({ kind }) => kind === 'moved')
    .map(({ id, formerTier, memory }) => [id, formerTier, memory?.tier]);
}

const stored = async () => {
  await put(here.store, [
    ...IDS.filter((id) => id !== 'embedded').map(longMemory),
    newMemory({ id: 'embedded', embeddingPending: true }),
  ]);
  await there.store.getNamespace(SPACE);
  for (const { store } of [here, there]) await store.follower.catchUp(SPACE);
};
const inRedis = (to: Tier, ids: readonly string[]) =>
  here.hot.move({
    namespace: SPACE,
    ids,
    to,
    resolution: to === 'short_term' ? FULL_RESOLUTION : LOW,
    atUs: NOW_US,
  });

describe('moves in Redis, followed some at a time', () => {
  it('moved again, changed, embedded, read or erased before it is followed › each move is told once and as it was, by both servers', async () => {
    await stored();
    const { hot } = here;
    await inRedis('intermediate', IDS);
    await inRedis('short_term', ['twice']);
    await inRedis('intermediate', ['twice']);
    await hot.update({
      namespace: SPACE,
      id: 'updated',
      changes: { text: 'new', checksum: checksumOf('new') },
      atUs: NOW_US,
    });
    await hot.delete({ namespace: SPACE, ids: ['deleted'], cause: 'deleted', mustExist: true, atUs: NOW_US });
    const embedding = { model: 'm', values: VALUES };
    const checksum = checksumOf('memory embedded');
    await hot.setEmbeddings({ namespace: SPACE, vectors: [{ id: 'embedded', checksum, embedding }] });
    await hot.touch({ namespace: SPACE, ids: ['touched'], atUs: NOW_US });
    await inRedis('short_term', ['touched']);

    const told = await movesTold(here);
    const down = (id: string) => [id, 'short_term', 'intermediate'];
    const up = (id: string) => [id, 'intermediate', 'short_term'];
    expect(told).toEqual([
      down('twice'),
      down('updated'),
      ['deleted', 'short_term', undefined],
      down('embedded'),
      down('touched'),
      up('twice'),
      down('twice'),
      up('touched'),
    ]);
    expect(await movesTold(there)).toEqual(told);
  });

  it('one among many has no copy that fits › the others are told once, though all are followed again', async () => {
    await stored();
    const { cold } = here;
    await cold.delete({ namespace: SPACE, ids: ['updated'], cause: 'deleted', mustExist: true, atUs: NOW_US });
    expect((await moveTo(here.store, 'intermediate', IDS)).moved).toHaveLength(IDS.length);
    const others = IDS.filter((id) => id !== 'updated');
    const told = others.map((id) => [id, 'short_term', 'intermediate']);
    expect(await movesTold(here)).toEqual(told);
    // Nothing is missing there.
    expect(await movesTold(there)).toEqual(IDS.map((id) => [id, 'short_term', 'intermediate']));
  });

  it('into long-term memory and back › told by the server that moves it; where only its home is another, by nobody', async () => {
    await stored();
    await moveTo(here.store, 'long_term', ['twice']);
    await movesTold(there);
    await moveTo(here.store, 'short_term', ['twice']);
    expect(await movesTold(here)).toEqual([
      ['twice', 'short_term', 'long_term'],
      ['twice', 'long_term', 'short_term'],
    ]);
    // There it has never left its tier: long-term memory is each server's own.
    expect(await movesTold(there)).toEqual([]);
  });

  it('up to another tier than it left › is told by the other server as what it has become there', async () => {
    await stored();
    await moveTo(here.store, 'long_term', ['twice']);
    await movesTold(there);
    await moveTo(here.store, 'intermediate', ['twice']);
    expect(await movesTold(there)).toEqual([['twice', 'short_term', 'intermediate']]);
  });
});
