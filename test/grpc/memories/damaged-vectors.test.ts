import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mneme } from '../../../clients/typescript/src/index.ts';
import { type Damageable, SPACE, startDamageable } from '../support/damageable.ts';

const IDS = ['a', 'b', 'c'];
const LIKE_B = { model: 'm', values: [0.25, 1 / 3, -0.5, 1 / 7] };
const vectorOf = (id: string) => (id === 'b' ? LIKE_B : { model: 'm', values: [1, 2, 3, id === 'a' ? 4 : 5] });

let damageable: Damageable | undefined;
afterEach(() => damageable?.stop());

const mismatch = { reason: 'CHECKSUM_MISMATCH', metadata: { name: `namespaces/${SPACE}/memories/b` } };

/** Stored unencoded: only the checksum after the values reveals a changed bit. */
describe.each([
  ['the data folder, without Redis', 'folder', false],
  ['Redis', 'redis', true],
  ['the copy of a memory in Redis', 'folder', true],
  ['both Redis and the copy', 'both', true],
] as const)('one bit of a short-term vector is another in %s', (_, place, withRedis) => {
  let mneme: Mneme;
  beforeEach(async () => {
    damageable = await startDamageable(withRedis);
    mneme = damageable.mneme;
    await mneme.batchStore(IDS.map((id) => ({ id, text: `the text of ${id}`, embedding: vectorOf(id) })));
    // With Redis: the copies are complete.
    expect((await mneme.listPage()).memories).toHaveLength(3);
    await damageable.damage(place, 'b', 'vector');
  });
  /** Damage in one store is repaired from the other one's copy. */
  const isRepaired = withRedis && place !== 'both';

  it('Get, BatchGet with the vector › fail or name it; without it › are as ever', async () => {
    expect((await mneme.get('b')).text).toBe('the text of b');
    const { memories, damagedIds } = await mneme.batchGet(IDS, { view: 'full' });
    expect([memories.map(({ id }) => id), damagedIds]).toEqual(isRepaired ? [IDS, []] : [['a', 'c'], ['b']]);
    for (const { id, embedding } of memories) expect(embedding?.values).toEqual(Float32Array.from(vectorOf(id).values));
    if (!isRepaired) await expect(mneme.get('b', { view: 'full' })).rejects.toMatchObject(mismatch);
  });

  it('List, Recall, Export with the vector › name it, and give the others', async () => {
    const listed = await mneme.listPage({ order: 'create_time_asc', view: 'full' });
    const inLists = isRepaired ? [IDS, []] : [['a', 'c'], ['b']];
    expect([listed.memories.map(({ id }) => id), listed.damagedIds]).toEqual(inLists);
    const recalled = await mneme.recall({ text: 'text', view: 'full' });
    expect([recalled.hits.map(({ memory }) => memory.id).sort(), recalled.damagedIds]).toEqual(inLists);
    const damaged: string[] = [];
    const exported: string[] = [];
    for await (const { id } of mneme.exportMemories({ onDamaged: (ids) => damaged.push(...ids) })) exported.push(id);
    expect([exported, damaged]).toEqual(inLists);
  });

  it('Recall by a vector › skips it; by its words › finds it; after the repair of a copy both do', async () => {
    const found = async () => (await mneme.recall({ embedding: LIKE_B })).hits.map(({ memory }) => memory.id).sort();
    expect(await found()).toEqual(place === 'redis' ? IDS : ['a', 'c']);
    expect((await mneme.recall({ text: 'b' })).hits.map(({ memory }) => memory.id)).toContain('b');
    if (!isRepaired || place === 'redis') return;
    await mneme.listPage({ view: 'full' });
    expect(await found()).toEqual(IDS);
  });

  it('Demote › leaves it where it is, named, and moves the others; written again it is intact; a copy is repaired', async () => {
    const moved = await mneme.demote(IDS, { toTier: 'long_term' });
    expect([moved.moves.map(({ id }) => id), moved.damagedIds]).toEqual(isRepaired ? [IDS, []] : [['a', 'c'], ['b']]);
    if (!isRepaired)
      await mneme.importMemories([{ id: 'b', text: 'the text of b', embedding: LIKE_B }], {
        conflictPolicy: 'replace',
      });
    expect((await mneme.get('b', { view: 'full' })).embedding?.values).toEqual(Float32Array.from(LIKE_B.values));
    expect((await mneme.demote(['b'], { toTier: 'long_term' })).damagedIds).toEqual([]);
  });
});

describe.each([['intermediate'], ['long_term']] as const)(
  'one bit of the vector used for ranking, in %s memory',
  (tier) => {
    it('Recall by a vector › passes it over; by its words › finds it; reads with the vector › name it', async () => {
      damageable = await startDamageable(false);
      const { mneme } = damageable;
      await mneme.batchStore(IDS.map((id) => ({ id, text: `the text of ${id}`, embedding: vectorOf(id) })));
      await mneme.demote(IDS, { toTier: tier });
      await damageable.damage('folder', 'b', 'small');

      const { hits } = await mneme.recall({ embedding: LIKE_B });
      expect(hits.map(({ memory }) => memory.id).sort()).toEqual(['a', 'c']);
      expect((await mneme.recall({ text: 'b' })).hits.map(({ memory }) => memory.id)).toContain('b');
      const { memories, damagedIds } = await mneme.batchGet(IDS, { view: 'full' });
      expect([memories.map(({ id }) => id), damagedIds]).toEqual([['a', 'c'], ['b']]);
      expect((await mneme.get('b')).text).toBe('the text of b');
    });
  },
);

describe.each([
  ['the data folder, without Redis', 'folder', false],
  ['Redis', 'redis', true],
  ['the copy of a memory in Redis', 'folder', true],
] as const)('one bit of a former state is another in %s', (_, place, withRedis) => {
  let mneme: Mneme;
  beforeEach(async () => {
    damageable = await startDamageable(withRedis);
    mneme = damageable.mneme;
    await mneme.batchStore(IDS.map((id) => ({ id, text: `first of ${id}`, tags: ['one', 'two'] })));
    for (const id of IDS) await mneme.update(id, { text: `second of ${id}` });
    await mneme.update('b', { text: 'third of b' });
    expect((await mneme.listPage()).memories).toHaveLength(3);
    // In the folder the oldest one, in Redis the newest.
    await damageable.damage(place, 'b', 'former');
  });

  async function statesOf(id: string): Promise<{ texts: string[]; failure: unknown }> {
    const texts: string[] = [];
    const read = async () => {
      for await (const { memory } of mneme.listRevisions(id)) texts.push(memory.text);
    };
    const failure = await read().catch((error: unknown) => error);
    return { texts, failure };
  }

  it('ListRevisions › returns the others, and the number of unreadable ones', async () => {
    expect(await statesOf('a')).toEqual({ texts: ['second of a', 'first of a'], failure: undefined });
    const { texts, failure } = await statesOf('b');
    if (place === 'redis') {
      expect([texts, failure]).toEqual([['third of b', 'second of b', 'first of b'], undefined]);
    } else {
      expect(texts).toEqual(['third of b', 'second of b']);
      expect(failure).toMatchObject({
        reason: 'CHECKSUM_MISMATCH',
        message: expect.stringContaining('1 former states'),
      });
    }
  });

  it('the memory as it is now › is read, changed and moved down as ever', async () => {
    expect((await mneme.get('b')).text).toBe('third of b');
    await mneme.update('b', { importance: 0.5 });
    expect((await mneme.listPage({ order: 'create_time_asc' })).memories.map(({ text }) => text)).toEqual([
      'second of a',
      'third of b',
      'second of c',
    ]);
    const { moves, damagedIds } = await mneme.demote(IDS, { toTier: 'long_term' });
    expect([moves.map(({ id }) => id), damagedIds]).toEqual([IDS, []]);
    expect((await statesOf('b')).texts.slice(0, 2)).toEqual(['third of b', 'third of b']);
  });
});

describe('former states damaged in Redis and in the data folder', () => {
  it('Demote › leaves the memory in Redis, named, and moves the others', async () => {
    damageable = await startDamageable(true);
    const { mneme, damage } = damageable;
    await mneme.batchStore(IDS.map((id) => ({ id, text: `first of ${id}` })));
    for (const id of IDS) await mneme.update(id, { text: `second of ${id}` });
    expect((await mneme.listPage()).memories).toHaveLength(3);
    for (const place of ['redis', 'folder'] as const) await damage(place, 'b', 'former');

    const { moves, damagedIds } = await mneme.demote(IDS, { toTier: 'long_term' });
    expect([moves.map(({ id }) => id), damagedIds]).toEqual([['a', 'c'], ['b']]);
    expect(await mneme.get('b')).toMatchObject({ text: 'second of b', tier: 'short_term' });
  });
});
