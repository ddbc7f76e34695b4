import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Memory } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import type { MaintenanceStep } from '../../src/operations/tiers/carry-out-moves.ts';
import { maintain } from '../../src/operations/tiers/maintain-namespaces.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { call } from '../operations/support.ts';
import { damageInFolder, damageInRedis, keyInRedis } from '../support/damage.ts';
import { newMemory } from '../support/new-memory.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { heldIds, heldMemory, openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const { closers, serve } = redisOfTest();
let server: RedisServer;
let folder: string;
let opened: TieredStoreOfTest;
const rich = (id: string) =>
  newMemory({
    id,
    text: `the text of ${id}`,
    tags: ['one', 'two'],
    step: 3,
    scope: { project: '', agentType: '', agent: 'ada', session: 's' },
    place: { location: 'attic', room: '', region: '', point: { x: 1, y: 2 } },
    content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify({ of: id })) },
    embedding: { model: 'm', values: Float32Array.of(0.25, 0.5) },
  });
const damaged = { ...because('CHECKSUM_MISMATCH'), metadata: { name: `namespaces/${SPACE}/memories/b` } };

beforeEach(async () => {
  server = await serve();
  folder = await mkdtemp(join(tmpdir(), 'mneme-damaged-'));
  closers.push(() => rm(folder, { recursive: true }));
  opened = await openTieredStore({ folder, urls: [server.url] });
  closers.push(() => opened.close());
  await put(opened.store, [rich('a'), rich('b'), rich('c')]);
  expect(await idsOf(opened.store)).toEqual(['a', 'b', 'c']);
});

/** Forms of damage that leave nothing readable of the entry of `b` in Redis. */
const DAMAGES: readonly (readonly [string, (key: string) => Promise<unknown>])[] = [
  ['cut off', async (key) => server.command('EVAL', CUT, '1', key)],
  ['one bit of its fields is another', () => damageInRedis(server, 'b', 'fields')],
  ['garbage', (key) => server.command('SET', key, 'nothing that anybody wrote')],
  ['empty', (key) => server.command('SET', key, '')],
  ['missing', (key) => server.command('DEL', key)],
  ['that of another memory', async (key) => server.command('COPY', await keyInRedis(server, 'a'), key, 'REPLACE')],
  [
    'of another type',
    async (key) => {
      await server.command('DEL', key);
      await server.command('LPUSH', key, 'x');
    },
  ],
];
const CUT = "return redis.call('SET', KEYS[1], redis.call('GETRANGE', KEYS[1], 0, 40))";

/** Names of all keys that hold the number of a memory, and what sums there are. */
async function traces(number: string): Promise<string[]> {
  const left: string[] = [];
  for (const key of ((await server.command('KEYS', '*')) as unknown[]).map(String)) {
    const type = String(await server.command('TYPE', key));
    const isIn =
      key.endsWith(`:${number}`) ||
      (type === 'zset' && (await server.command('ZSCORE', key, number)) !== null) ||
      (type === 'set' && (await server.command('SISMEMBER', key, number)) === 1) ||
      (key.endsWith(':ids') &&
        ((await server.command('HVALS', key)) as unknown[]).some((value) => String(value).startsWith(number)));
    if (isIn) left.push(key);
  }
  return left.sort();
}
const numberOf = async (id: string) => String((await keyInRedis(server, id)).split(':').at(-1));
const keys = () => keysOf(SPACE);
const remove = () =>
  opened.store.delete({ namespace: SPACE, ids: ['b'], cause: 'deleted', mustExist: true, atUs: NOW_US });
const demote = (ids: readonly string[]) =>
  opened.store.tiers.move({ namespace: SPACE, ids, to: 'long_term', resolution: FULL_RESOLUTION, atUs: NOW_US });
const withoutTimes = ({ tier: _, ...memory }: Memory) => memory;

describe.each(DAMAGES)('the entry of a memory in Redis is %s', (_, damage) => {
  const damageBoth = async () => {
    damageInFolder(folder, 'b', 'text');
    await damage(await keyInRedis(server, 'b'));
  };

  it('its copy is intact › the next read repairs the memory from it, bit for bit', async () => {
    const before = await getOne(opened.store, 'b');
    const [number, sumsBefore] = [await numberOf('b'), await keys()];
    const left = await traces(number);
    await damage(await keyInRedis(server, 'b'));

    expect(await getOne(opened.store, 'b')).toEqual(before);
    expect(await heldMemory(opened.hot, SPACE, 'b')).toEqual(before);
    expect([await traces(number), await keys()]).toEqual([left, sumsBefore]);
  });

  it('its copy is intact › it is updated, moved down and deleted as usual', async () => {
    await damage(await keyInRedis(server, 'b'));
    await opened.store.update({ namespace: SPACE, id: 'b', changes: { importance: 0.9 }, atUs: NOW_US });
    expect(await getOne(opened.store, 'b')).toMatchObject({ importance: 0.9, text: 'the text of b' });

    // Copied in its present state.
    expect(await idsOf(opened.store)).toEqual(['a', 'b', 'c']);
    await damage(await keyInRedis(server, 'b'));
    expect(await demote(['a', 'b'])).toMatchObject({ moved: [{ id: 'a' }, { id: 'b' }], damagedIds: [] });
    expect((await remove()).deletedIds).toEqual(['b']);
  });

  it('its copy is older than the damaged state › the copy is not used', async () => {
    await opened.hot.update({ namespace: SPACE, id: 'b', changes: { importance: 0.9 }, atUs: NOW_US });
    await damage(await keyInRedis(server, 'b'));

    await expect(getOne(opened.store, 'b')).rejects.toMatchObject(damaged);
    expect((await remove()).deletedIds).toEqual(['b']);
  });

  it('its copy is damaged too › reads and changes fail with its id, moves skip it, other memories are unaffected', async () => {
    await damageBoth();
    const [a, b, c] = await Promise.allSettled(['a', 'b', 'c'].map((id) => getOne(opened.store, id)));
    expect([a?.status, c?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(b).toMatchObject({ status: 'rejected', reason: damaged });
    const change = { namespace: SPACE, id: 'b', changes: { importance: 0.9 }, atUs: NOW_US };
    await expect(opened.store.update(change)).rejects.toMatchObject(damaged);
    await opened.store.touch({ namespace: SPACE, ids: ['a', 'b'], atUs: NOW_US });
    expect((await getOne(opened.store, 'a'))?.retrievalCount).toBe(1);

    const { moved, damagedIds } = await demote(['a', 'b', 'c']);
    expect([moved.map(({ id }) => id), damagedIds]).toEqual([['a', 'c'], ['b']]);
    expect(opened.failures).toEqual([]);
  });

  it('its copy is damaged too › Maintain moves all others down and names it', async () => {
    await damageBoth();
    const deps = { store: opened.store, tiers: opened.store.tiers, clock: { nowUs: () => NOW_US } };
    const steps: MaintenanceStep[] = [];
    for await (const step of maintain(deps, { namespace: SPACE, dryRun: false, flush: true, anyType: true }, call)) {
      steps.push(step);
    }
    expect(new Set(steps.flatMap(({ damagedIds }) => damagedIds))).toEqual(new Set(['b']));
    for (const id of ['a', 'c']) expect(await getOne(opened.store, id)).toMatchObject({ id, tier: 'long_term' });
  });

  it('its copy is damaged too › Delete erases all of its data', async () => {
    const number = await numberOf('b');
    await damageBoth();

    expect((await remove()).deletedIds).toEqual(['b']);
    expect(await traces(number)).toEqual([]);
    expect(await keys()).toEqual(await keysFor([rich('a'), rich('c')]));
    expect([await getOne(opened.store, 'b'), await idsOf(opened.store)]).toEqual([undefined, ['a', 'c']]);
  });

  it('its copy is damaged too › a memory stored with its id replaces it, and leaves nothing of it', async () => {
    const number = await numberOf('b');
    await damageBoth();

    await put(opened.store, [rich('b')]);

    expect((await traces(number)).length).toBe(0);
    expect(withoutTimes((await getOne(opened.store, 'b')) as Memory)).toMatchObject({ text: 'the text of b' });
    expect(await keys()).toEqual(await keysFor([rich('a'), rich('b'), rich('c')]));
    expect(await idsOf(opened.store)).toEqual(['a', 'c', 'b']);
  });

  it('its copy is damaged too, and its scope is read-only › it cannot be deleted', async () => {
    await damageBoth();
    const scope = { project: '', agentType: '', agent: 'ada', session: '' };
    const policies = { list: async () => [{ scope, isPrivate: false, isReadOnly: true, isIsolated: false }] };
    await opened.close();
    opened = await openTieredStore({ folder, urls: [server.url], policies });

    await expect(remove()).rejects.toMatchObject(because('SCOPE_READ_ONLY'));
    expect((await traces(await numberOf('b'))).length).toBeGreaterThan(0);
  });

  it('DeleteNamespace › erases all of its keys', async () => {
    const number = await numberOf('b');
    await damageBoth();

    await opened.store.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });

    expect(await traces(number)).toEqual([]);
    await expect(getOne(opened.store, 'b')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });
});

describe('the entry of a memory in Redis is intact except for its text, and so is its copy', () => {
  beforeEach(async () => {
    damageInFolder(folder, 'b', 'text');
    await damageInRedis(server, 'b', 'text');
  });

  it('another one is stored in its place › nothing of it is left, and no extra key', async () => {
    const memories = [rich('b')];
    const write = { namespace: SPACE, memories, createNamespace: false, atUs: NOW_US };
    await expect(opened.store.store({ ...write, onConflict: 'fail' })).rejects.toMatchObject(because('MEMORY_EXISTS'));
    await opened.store.store({ ...write, onConflict: 'replace' });

    expect((await getOne(opened.store, 'b'))?.text).toBe('the text of b');
    expect(await keys()).toEqual(await keysFor([rich('a'), rich('b'), rich('c')]));
  });

  it('it is deleted › nothing is left of it; its metadata could be read', async () => {
    const number = await numberOf('b');
    const [memory] = await opened.store.get({ namespace: SPACE, ids: ['b'], view: 'metadata', nowUs: NOW_US });
    expect(memory?.tags).toEqual(['one', 'two']);
    expect((await remove()).deletedIds).toEqual(['b']);
    expect([await traces(number), await keys()]).toEqual([[], await keysFor([rich('a'), rich('c')])]);
  });
});

describe('nothing that can be read is left of a memory', () => {
  it('Delete by its id, and DeleteNamespace › remove it, and others are as ever', async () => {
    for (const id of ['b', 'c']) {
      damageInFolder(folder, id, 'text');
      await server.command('DEL', await keyInRedis(server, id));
    }
    expect((await remove()).deletedIds).toEqual(['b']);
    expect([await getOne(opened.store, 'b'), (await getOne(opened.store, 'a'))?.text]).toEqual([
      undefined,
      'the text of a',
    ]);
    await opened.store.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });
    await put(opened.store, [rich('b')]);
    expect([await idsOf(opened.store), (await heldIds(opened.hot, SPACE)).length]).toEqual([['b'], 1]);
  });
});

/** Of a namespace that only ever had these. */
async function keysFor(memories: readonly ReturnType<typeof rich>[]): Promise<Record<string, number>> {
  await opened.hot.store({ namespace: 'other', memories, createNamespace: true, onConflict: 'fail', atUs: NOW_US });
  return keysOf('other');
}

/** Number of keys of memories, by kind, and of ids. */
async function keysOf(namespace: string): Promise<Record<string, number>> {
  const room = `mneme:{${namespace}}:`;
  const names = ((await server.command('KEYS', `${room}*`)) as unknown[]).map((key) => String(key).slice(room.length));
  const ofMemories = names.filter((name) => name.includes(':') && !name.startsWith('r:'));
  const kinds = Object.groupBy(ofMemories, (name) => name.split(':')[0] ?? '');
  const counts = Object.entries(kinds).map(([kind, some]) => [kind, some?.length ?? 0] as const);
  return { ...Object.fromEntries(counts), ids: Number(await server.command('HLEN', `${room}ids`)) };
}
