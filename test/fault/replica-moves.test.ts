import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';
import type { HotStore } from '../../src/storage/mirror-store.ts';
import { getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { moveTo } from '../support/moved-memories.ts';
import { newMemory } from '../support/new-memory.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredSettings, type TieredStoreOfTest } from '../support/tiered-store.ts';

let server: RedisServer;
let here: TieredStoreOfTest;
let there: TieredStoreOfTest;
/** Done before the other server takes memories into Redis, and before it reads what has changed there. */
let beforeAdopt: () => Promise<unknown>;
let beforeChanges: () => Promise<unknown>;
/** Done before it lets Redis let go of some. */
let beforeRelease: () => Promise<unknown>;
const { closers, serve } = redisOfTest();

async function open(around?: TieredSettings['around']): Promise<TieredStoreOfTest> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-replica-moves-'));
  closers.push(() => rm(folder, { recursive: true }));
  const opened = await openTieredStore({ folder, urls: [server.url], ...(around && { around }) });
  closers.push(() => opened.close());
  return opened;
}

const hindered: NonNullable<TieredSettings['around']> = ({ hot, cold }) => ({
  cold,
  hot: new Proxy(hot, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'adopt')
        return (write: Parameters<HotStore['adopt']>[0]) => beforeAdopt().then(() => target.adopt(write));
      if (name === 'changes')
        return (read: Parameters<HotStore['changes']>[0]) => beforeChanges().then(() => target.changes(read));
      if (name === 'releaseUnchanged')
        return (write: Parameters<HotStore['releaseUnchanged']>[0]) =>
          beforeRelease().then(() => target.releaseUnchanged(write));
      if (name === 'release')
        return (write: Parameters<HotStore['release']>[0]) => beforeRelease().then(() => target.release(write));
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }),
});

beforeEach(async () => {
  beforeAdopt = beforeChanges = beforeRelease = async () => undefined;
  server = await serve();
  [here, there] = [await open(), await open(hindered)];
});

describe('servers that move the same memories', () => {
  it('another one deletes and updates what is about to come up › neither is undone', async () => {
    const ids = ['deleted', 'updated', 'as it was'];
    await put(
      here.store,
      ids.map((id) => newMemory({ id })),
    );
    await there.store.getNamespace(SPACE);
    await there.store.follower.catchUp(SPACE);
    await moveTo(here.store, 'long_term', ids);
    await there.store.follower.catchUp(SPACE);
    await moveTo(there.store, 'long_term', ids);
    let attempts = 0;
    beforeAdopt = async () => {
      if (attempts++ > 0) return;
      const write = { namespace: SPACE, atUs: NOW_US };
      await here.store.delete({ ...write, ids: ['deleted'], cause: 'deleted', mustExist: true });
      const changes = { text: 'new', checksum: checksumOf('new') };
      await here.store.update({ ...write, id: 'updated', changes });
    };

    const { moved } = await moveTo(there.store, 'short_term', ids);
    expect(attempts).toBe(2);
    expect(moved.map(({ id }) => id)).toEqual(expect.arrayContaining(['as it was', 'updated']));
    for (const { store } of [here, there]) {
      expect((await idsOf(store)).toSorted()).toEqual(['as it was', 'updated']);
      expect(await getOne(store, 'updated')).toMatchObject({ text: 'new' });
    }
    expect(await getOne(there.store, 'as it was')).toMatchObject({ tier: 'short_term' });
  });

  it('another one changes a memory whenever it is about to leave Redis › it stays, the others go, and no move fails', async () => {
    const ids = ['restless', 'a', 'b'];
    await put(
      there.store,
      ids.map((id) => newMemory({ id })),
    );
    let step = 0;
    beforeRelease = async () => {
      await here.hot.update({ namespace: SPACE, id: 'restless', changes: { step: ++step }, atUs: NOW_US });
    };
    const { moved, damagedIds } = await moveTo(there.store, 'long_term', ids);
    expect([moved.map(({ id }) => id).toSorted(), damagedIds]).toEqual([['a', 'b'], []]);
    expect(await getOne(there.store, 'restless')).toMatchObject({ tier: 'short_term', step });
    beforeRelease = async () => undefined;
    expect((await moveTo(there.store, 'long_term', ids)).moved.map(({ id }) => id)).toEqual(['restless']);
  });

  it('another one moves down what this one has just stored and not copied yet › this one has it all the same', async () => {
    await put(there.store, [newMemory({ id: 'a' })]);
    await there.store.follower.catchUp(SPACE);
    const going = Promise.withResolvers<void>();
    beforeChanges = () => going.promise;
    await put(there.store, [newMemory({ id: 'b', text: 'acknowledged' })]);
    await here.store.getNamespace(SPACE);
    expect((await moveTo(here.store, 'long_term', ['b'])).moved).toHaveLength(1);
    going.resolve();
    expect(await getOne(there.store, 'b')).toMatchObject({ id: 'b', text: 'acknowledged' });
    expect((await idsOf(there.store)).toSorted()).toEqual(['a', 'b']);
  });
});
