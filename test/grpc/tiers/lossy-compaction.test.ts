import { afterEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, where } from '../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { until } from '../../support/redis-cluster.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { type Damageable, SPACE, startDamageable } from '../support/damageable.ts';
import { startTestServer } from '../support/test-server.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const VECTOR = { model: 'm', values: [0.25, 1 / 3, -0.5, 1 / 7] };
const IDS = ['a', 'b', 'c'];
const contentOf = (id: string) => ({ id, trace: 'a long story' });

/** A server whose memories of `SPACE` lose a key when they come to intermediate memory. */
async function startLossy(withRedis: boolean): Promise<Damageable> {
  const damageable = await startDamageable(withRedis);
  closers.push(() => damageable.stop());
  await damageable.mneme.namespaces.create(SPACE, { settings: { 'intermediate.drop_keys': 'trace' } });
  return damageable;
}
async function flushed(mneme: Mneme, namespace?: string): Promise<{ damagedIds: string[] }> {
  const damagedIds = new Set<string>();
  for await (const step of mneme.admin.maintainTiers({ flush: true, ...(namespace !== undefined && { namespace }) }))
    for (const id of step.damagedIds) damagedIds.add(id);
  return { damagedIds: [...damagedIds] };
}
async function tierAndContent(mneme: Mneme, id: string) {
  const { tier, content } = await mneme.get(id);
  return [tier, content?.json()];
}

describe.each([
  ['without Redis', false],
  ['with Redis', true],
] as const)('a namespace that drops keys, %s', (_, withRedis) => {
  it('one scope is read-only › its memories move as they are, the others lose the key, all namespaces are maintained', async () => {
    const { mneme } = await startLossy(withRedis);
    await mneme.batchStore(IDS.map((id) => ({ id, scope: { agent: id }, content: contentOf(id) })));
    await mneme.scopes.setPolicy({ agent: 'b' }, { readOnly: true });
    const other = mneme.withNamespace('zzz');
    await other.store({ id: 'other', text: 'some text' });

    expect((await mneme.demote(['b'])).moves).toMatchObject([{ id: 'b', toTier: 'intermediate' }]);
    expect(await flushed(mneme)).toEqual({ damagedIds: [] });
    expect(await tierAndContent(mneme, 'a')).toEqual(['long_term', { id: 'a' }]);
    expect(await tierAndContent(mneme, 'b')).toEqual(['long_term', contentOf('b')]);
    expect((await other.get('other')).tier).toBe('long_term');
  });

  it.each(['Demote', 'Maintain'])(
    'one memory has a damaged vector › %s names it, it stays, the others move',
    async (verb) => {
      const { mneme, damage } = await startLossy(withRedis);
      await mneme.batchStore(IDS.map((id) => ({ id, content: contentOf(id), embedding: VECTOR })));
      expect((await mneme.listPage()).memories).toHaveLength(3);
      await damage(withRedis ? 'both' : 'folder', 'b', 'vector');

      const { damagedIds } = verb === 'Demote' ? await mneme.demote(IDS) : await flushed(mneme, SPACE);
      expect(damagedIds).toEqual(['b']);
      const tier = verb === 'Demote' ? 'intermediate' : 'long_term';
      for (const id of ['a', 'c']) expect(await tierAndContent(mneme, id)).toEqual([tier, { id }]);
      expect(await tierAndContent(mneme, 'b')).toEqual(['short_term', contentOf('b')]);
      expect((await mneme.demote(['b'])).damagedIds).toEqual(['b']);
    },
  );
});

describe('a namespace that drops keys, with Redis', () => {
  it('a vector is damaged only in Redis › the memory is repaired from its copy, loses the key, and moves', async () => {
    const { mneme, damage } = await startLossy(true);
    await mneme.batchStore(IDS.map((id) => ({ id, content: contentOf(id), embedding: VECTOR })));
    expect((await mneme.listPage()).memories).toHaveLength(3);
    await damage('redis', 'b', 'vector');

    expect((await mneme.demote(IDS)).damagedIds).toEqual([]);
    expect(await tierAndContent(mneme, 'b')).toEqual(['intermediate', { id: 'b' }]);
    expect((await mneme.get('b', { view: 'full' })).embedding?.values).toEqual(Float32Array.from(VECTOR.values));
  });

  it('Redis is out of memory › relief frees memory, and memories in long-term memory have lost the key', async () => {
    const redis = await RedisServer.started({ 'maxmemory-policy': 'noeviction' });
    closers.push(() => redis.stop());
    const flags = { maintenanceIntervalMs: '86400000', memoryPressureIntervalMs: '100', embedder: 'none' };
    const server = await startTestServer(flags, {}, { MNEME_REDIS_URL: redis.url });
    closers.push(() => server.stop());
    const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: SPACE });
    closers.push(() => mneme.close());
    await mneme.namespaces.create(SPACE, { settings: { 'long_term.drop_keys': 'trace' } });
    const content = { say: 'hello', trace: 'x'.repeat(2000) };
    await mneme.batchStore(Array.from({ length: 300 }, (_, at) => ({ id: `m-${at}`, content })));
    expect((await mneme.listPage()).memories.length).toBeGreaterThan(0);
    const fill = async () => {
      const [, usedBytes] = /used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory'))) ?? [];
      await redis.command('CONFIG', 'SET', 'maxmemory', `${Math.floor(Number(usedBytes) * 0.97)}`);
    };
    await fill();

    const stores = () =>
      mneme.store({ text: 'new' }).then(
        () => true,
        () => false,
      );
    const below = async () => {
      const { memories } = await mneme.listPage({ filter: where.tier.equals('long_term') });
      return memories.filter(({ id }) => id.startsWith('m-')).map((memory) => memory.content?.json());
    };
    await until('there is room again', async () => {
      const isStored = await stores();
      const isRelieved = (await below()).length > 0;
      // The memory use of Redis decreases by itself, and nothing has to move yet.
      if (isStored && !isRelieved) await fill();
      return isStored && isRelieved;
    });
    const contents = await below();
    expect(contents).toEqual(contents.map(() => ({ say: 'hello' })));
  }, 120_000);
});
