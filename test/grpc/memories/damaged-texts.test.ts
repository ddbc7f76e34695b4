import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mneme } from '../../../clients/typescript/src/index.ts';
import { type Damageable, SPACE, startDamageable } from '../support/damageable.ts';

const TEXT = 'The garden had never been as green.';
const IDS = ['a', 'b', 'c'];

/** Stored unencoded: only the checksum of the memory reveals a changed bit. */
describe.each([
  ['the data folder, without Redis', 'folder', false],
  ['Redis', 'redis', true],
  ['the copy of a memory in Redis', 'folder', true],
  ['both Redis and the copy', 'both', true],
] as const)('one bit of a short-term text is another in %s', (_, place, withRedis) => {
  let damageable: Damageable;
  let mneme: Mneme;
  beforeEach(async () => {
    damageable = await startDamageable(withRedis);
    mneme = damageable.mneme;
    await mneme.batchStore(IDS.map((id) => ({ id, text: TEXT, content: { of: id } })));
    // With Redis: the copies are complete.
    expect((await mneme.listPage()).memories).toHaveLength(3);
    await damageable.damage(place, 'b', 'text');
  });
  afterEach(() => damageable.stop());
  /** Damage in one store is repaired from the other one's copy. */
  const isRepaired = withRedis && place !== 'both';

  it('Get, BatchGet › fail or name it, and never give it', async () => {
    if (isRepaired) {
      expect((await mneme.get('b')).text).toBe(TEXT);
      return;
    }
    await expect(mneme.get('b')).rejects.toMatchObject({
      reason: 'CHECKSUM_MISMATCH',
      metadata: { name: `namespaces/${SPACE}/memories/b` },
    });
    expect((await mneme.get('b', { view: 'metadata' })).tier).toBe('short_term');
    const { memories, damagedIds } = await mneme.batchGet(IDS);
    expect([memories.map(({ text }) => text), damagedIds]).toEqual([[TEXT, TEXT], ['b']]);
  });

  it('List, Recall, Export › name it, and give the others', async () => {
    const listed = await mneme.listPage({ order: 'create_time_asc' });
    expect([listed.memories.map(({ id }) => id), listed.damagedIds]).toEqual(
      isRepaired ? [IDS, []] : [['a', 'c'], ['b']],
    );
    const { hits, damagedIds } = await mneme.recall({ text: 'garden' });
    for (const { memory } of hits) expect(memory.text).toBe(TEXT);
    expect([hits.map(({ memory }) => memory.id).sort(), damagedIds]).toEqual(
      isRepaired ? [IDS, []] : [['a', 'c'], ['b']],
    );
    const damaged: string[] = [];
    const exported: string[] = [];
    for await (const { text } of mneme.exportMemories({ onDamaged: (ids) => damaged.push(...ids) }))
      exported.push(text);
    expect(exported).toEqual(isRepaired ? [TEXT, TEXT, TEXT] : [TEXT, TEXT]);
    expect(damaged).toEqual(isRepaired ? [] : ['b']);
  });

  it('Demote › leaves it where it is, named, and moves the others; stored again it is intact; a copy is repaired', async () => {
    const moved = await mneme.demote(IDS, { toTier: 'long_term' });
    if (isRepaired) {
      expect([moved.moves.map(({ id }) => id), moved.damagedIds]).toEqual([IDS, []]);
      expect(await mneme.get('b')).toMatchObject({ text: TEXT, tier: 'long_term' });
      return;
    }
    expect([moved.moves.map(({ id }) => id), moved.damagedIds]).toEqual([['a', 'c'], ['b']]);
    expect((await mneme.get('b', { view: 'metadata' })).tier).toBe('short_term');
    await mneme.importMemories([{ id: 'b', text: TEXT, content: { of: 'b' } }], { conflictPolicy: 'replace' });
    expect((await mneme.get('b')).text).toBe(TEXT);
  });
});
