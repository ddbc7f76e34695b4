import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mneme } from '../../../../clients/typescript/src/index.ts';
import { type Damageable, SPACE, startDamageable } from '../support/damageable.ts';

const IDS = ['a', 'b', 'c'];
const LIKE_B = { model: 'm', values: [0.25, 1 / 3, -0.5, 1 / 7] };
const vectorOf = (id: string) => (id === 'b' ? LIKE_B : { model: 'm', values: [1, 2, 3, id === 'a' ? 4 : 5] });

let damageable: Damageable | undefined;
afterEach(() => damageable?.stop());

const mismatch = { reason: 'CHECKSUM_MISMATCH', metadata: { name: `namespaces/${SPACE}/memories/b` } };

/** Stored unencoded: only the checksum after the values reveals a changed bit. */
describe('one bit of a short-term vector is another in the data folder', () => {
  let mneme: Mneme;
  beforeEach(async () => {
    damageable = await startDamageable();
    mneme = damageable.mneme;
    await mneme.batchStore(IDS.map((id) => ({ id, text: `the text of ${id}`, embedding: vectorOf(id) })));
    expect((await mneme.listPage()).memories).toHaveLength(3);
    damageable.damage('b', 'vector');
  });

  it('Get, BatchGet with the vector › fail or name it; without it › are as ever', async () => {
    expect((await mneme.get('b')).text).toBe('the text of b');
    const { memories, damagedIds } = await mneme.batchGet(IDS, { view: 'full' });
    expect([memories.map(({ id }) => id), damagedIds]).toEqual([['a', 'c'], ['b']]);
    for (const { id, embedding } of memories) expect(embedding?.values).toEqual(Float32Array.from(vectorOf(id).values));
    await expect(mneme.get('b', { view: 'full' })).rejects.toMatchObject(mismatch);
  });

  it('List, Recall, Export with the vector › name it, and give the others', async () => {
    const listed = await mneme.listPage({ order: 'create_time_asc', view: 'full' });
    const inLists = [['a', 'c'], ['b']];
    expect([listed.memories.map(({ id }) => id), listed.damagedIds]).toEqual(inLists);
    const recalled = await mneme.recall({ text: 'text', view: 'full', minRelevance: 0 });
    expect([recalled.hits.map(({ memory }) => memory.id).sort(), recalled.damagedIds]).toEqual(inLists);
    const damaged: string[] = [];
    const exported: string[] = [];
    for await (const { id } of mneme.exportMemories({ onDamaged: (ids) => damaged.push(...ids) })) exported.push(id);
    expect([exported, damaged]).toEqual(inLists);
  });

  it('Recall by a vector › skips it; by its words › finds it', async () => {
    const found = async () => (await mneme.recall({ embedding: LIKE_B })).hits.map(({ memory }) => memory.id).sort();
    expect(await found()).toEqual(['a', 'c']);
    expect((await mneme.recall({ text: 'b', minRelevance: 0 })).hits.map(({ memory }) => memory.id)).toContain('b');
  });

  it('Demote › leaves it where it is, named, and moves the others; written again it is intact', async () => {
    const moved = await mneme.demote(IDS, { toTier: 'long_term' });
    expect([moved.moves.map(({ id }) => id), moved.damagedIds]).toEqual([['a', 'c'], ['b']]);
    const again = { id: 'b', text: 'the text of b', embedding: LIKE_B };
    await mneme.importMemories([again], { conflictPolicy: 'replace' });
    expect((await mneme.get('b', { view: 'full' })).embedding?.values).toEqual(Float32Array.from(LIKE_B.values));
    expect((await mneme.demote(['b'], { toTier: 'long_term' })).damagedIds).toEqual([]);
  });
});

describe.each([['intermediate'], ['long_term']] as const)(
  'one bit of the vector used for ranking, in %s memory',
  (tier) => {
    it('Recall by a vector › passes it over; by its words › finds it; reads with the vector › name it', async () => {
      damageable = await startDamageable();
      const { mneme } = damageable;
      await mneme.batchStore(IDS.map((id) => ({ id, text: `the text of ${id}`, embedding: vectorOf(id) })));
      await mneme.demote(IDS, { toTier: tier });
      damageable.damage('b', 'small');

      const { hits } = await mneme.recall({ embedding: LIKE_B });
      expect(hits.map(({ memory }) => memory.id).sort()).toEqual(['a', 'c']);
      expect((await mneme.recall({ text: 'b', minRelevance: 0 })).hits.map(({ memory }) => memory.id)).toContain('b');
      const { memories, damagedIds } = await mneme.batchGet(IDS, { view: 'full' });
      expect([memories.map(({ id }) => id), damagedIds]).toEqual([['a', 'c'], ['b']]);
      expect((await mneme.get('b')).text).toBe('the text of b');
    });
  },
);

describe('one bit of a former state is another in the data folder', () => {
  let mneme: Mneme;
  beforeEach(async () => {
    damageable = await startDamageable();
    mneme = damageable.mneme;
    await mneme.batchStore(IDS.map((id) => ({ id, text: `first of ${id}`, tags: ['one', 'two'] })));
    for (const id of IDS) await mneme.update(id, { text: `second of ${id}` });
    await mneme.update('b', { text: 'third of b' });
    expect((await mneme.listPage()).memories).toHaveLength(3);
    // The oldest one.
    damageable.damage('b', 'former');
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
    expect(texts).toEqual(['third of b', 'second of b']);
    expect(failure).toMatchObject({ reason: 'CHECKSUM_MISMATCH', message: expect.stringContaining('1 former states') });
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
