import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { LOG_LENGTHS } from '../../src/storage/redis/log-commands.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const { closers, serve } = redisOfTest();
let server: RedisServer;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-redis-memory-'));
  closers.push(() => rm(folder, { recursive: true }));
  server = await serve();
});

async function open(name: string): Promise<TieredStoreOfTest> {
  const opened = await openTieredStore({ folder: join(folder, name), urls: [server.url] });
  closers.push(() => opened.close());
  return opened;
}

const key = (name: string) => `mneme:{${SPACE}}:${name}`;
const keys = async () =>
  ((await server.command('KEYS', key('*'))) as string[]).map((name) => name.slice(key('').length));
const ofSession = (id: string, session: string, rest = {}) =>
  newMemory({ id, importance: 0.3, scope: { project: '', agentType: '', agent: 'ada', session }, ...rest });
const demote = ({ store }: TieredStoreOfTest, ids: readonly string[]) =>
  store.tiers.move({ namespace: SPACE, ids, to: 'long_term', resolution: FULL_RESOLUTION, atUs: NOW_US });
const erase = ({ store }: TieredStoreOfTest, ...ids: string[]) =>
  store.delete({ namespace: SPACE, ids, cause: 'deleted', mustExist: true, atUs: NOW_US });
/** Expires every key that has a time to live. */
async function timePasses(): Promise<void> {
  for (const name of await keys()) {
    if (await server.command('PERSIST', key(name))) await server.command('PEXPIRE', key(name), '1');
  }
  await until('every such key has expired', async () => (await keys()).length === 0);
}
const deleteSpace = ({ store }: Pick<TieredStoreOfTest, 'store'>, force = true) =>
  store.deleteNamespace({ name: SPACE, force, atUs: NOW_US });

describe('keys of memories in Redis', () => {
  it('memories moved or deleted › their keys are erased, all other keys are unchanged', async () => {
    const opened = await open('one');
    await put(opened.store, [ofSession('stays', 'kept', { text: 'abc' })]);
    const before = (await keys()).toSorted();
    const ids = Array.from({ length: 200 }, (_, at) => `m${at}`);
    await put(
      opened.store,
      ids.map((id) => ofSession(id, `session ${id}`, { text: id.repeat(id === 'm7' ? 9000 : 1) })),
    );
    await opened.store.touch({ namespace: SPACE, ids: ['m0', 'm1'], atUs: NOW_US });
    await opened.store.update({ namespace: SPACE, id: 'm2', changes: { importance: 0.9 }, atUs: NOW_US });
    await demote(opened, ids.slice(0, 150));
    await erase(opened, ...ids.slice(150));

    expect((await keys()).toSorted()).toEqual(before);
    expect(await server.command('HKEYS', key('ids'))).toEqual(['stays']);
  });
});

describe('a deleted namespace in Redis', () => {
  it('with memories or empty › only its log and its deletion mark stay, and they expire', async () => {
    const opened = await open('one');
    for (const force of [true, false]) {
      await put(
        opened.store,
        ['a', 'b'].map((id) => ofSession(id, id)),
      );
      await demote(opened, ['b']);
      if (!force) await erase(opened, 'a', 'b');
      await deleteSpace(opened, force);
      const left = (await keys()).toSorted();
      expect(left).toEqual(['log', 'room']);
      for (const name of left) {
        expect(Number(await server.command('PTTL', key(name)))).toBeGreaterThan(
          LOG_LENGTHS.deletedNamespaceMs - 60_000,
        );
      }
    }
  });

  it('created again › its keys do not expire', async () => {
    const { store } = await open('here');
    await put(store, [newMemory({ id: 'a' })]);
    await deleteSpace({ store }, true);
    await put(store, [newMemory({ id: 'new' })]);
    for (const name of await keys()) expect(await server.command('PTTL', key(name))).toBe(-1);
    expect(await idsOf(store)).toEqual(['new']);
  });

  it('after its keys expired › no loss is reported, and it can be created again', async () => {
    const { store, losses } = await open('here');
    await put(store, [newMemory({ id: 'a' }), newMemory({ id: 'own', tier: 'long_term' })]);
    await deleteSpace({ store });
    await expect(idsOf(store)).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    await timePasses();
    await put(store, [newMemory({ id: 'new' })]);
    expect(await getOne(store, 'new')).toMatchObject({ id: 'new' });
    expect(await idsOf(store)).toEqual(['new']);
    expect(losses).toEqual([]);
  });

  it('keys of a namespace that never held a memory › expire, and no loss is reported', async () => {
    const { hot } = await open('other');
    await hot.fence(SPACE);
    const { store, losses } = await open('one');
    await put(store, [newMemory({ id: 'low', tier: 'long_term' })]);
    expect(await idsOf(store)).toEqual(['low']);
    expect(await keys()).toEqual(['room']);
    expect(Number(await server.command('PTTL', key('room')))).toBeGreaterThan(0);
    await timePasses();
    expect(await idsOf(store)).toEqual(['low']);
    expect(losses).toEqual([]);
  });

  it('a server away for longer than the expiry › keeps its copies, and reports the loss', async () => {
    const [here, there] = [await open('here'), await open('there')];
    await put(here.store, [newMemory({ id: 'a' })]);
    expect(await idsOf(there.store)).toEqual(['a']);
    await deleteSpace(here);
    await timePasses();
    expect(await idsOf(there.store)).toEqual(['a']);
    expect(there.losses).toEqual([`${SPACE} flushed`]);
  });
});
