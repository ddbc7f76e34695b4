import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mneme } from '../../../../clients/typescript/src/index.ts';
import { type Damageable, SPACE, startDamageable } from '../support/damageable.ts';

const TEXT = 'The garden had never been as green.';
const IDS = ['a', 'b', 'c'];

/** Stored unencoded: only the checksum of the memory reveals a changed bit. */
describe('one bit of a short-term text is another in the data folder', () => {
  let damageable: Damageable;
  let mneme: Mneme;
  beforeEach(async () => {
    damageable = await startDamageable();
    mneme = damageable.mneme;
    await mneme.batchStore(IDS.map((id) => ({ id, text: TEXT, content: { of: id } })));
    expect((await mneme.listPage()).memories).toHaveLength(3);
    damageable.damage('b', 'text');
  });
  afterEach(() => damageable.stop());

  it('Get, BatchGet › fail or name it, and never give it', async () => {
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
    expect([listed.memories.map(({ id }) => id), listed.damagedIds]).toEqual([['a', 'c'], ['b']]);
    const { hits, damagedIds } = await mneme.recall({ text: 'garden', minRelevance: 0 });
    for (const { memory } of hits) expect(memory.text).toBe(TEXT);
    expect([hits.map(({ memory }) => memory.id).sort(), damagedIds]).toEqual([['a', 'c'], ['b']]);
    const damaged: string[] = [];
    const exported: string[] = [];
    for await (const { text } of mneme.exportMemories({ onDamaged: (ids) => damaged.push(...ids) }))
      exported.push(text);
    expect(exported).toEqual([TEXT, TEXT]);
    expect(damaged).toEqual(['b']);
  });

  it('Demote › leaves it where it is, named, and moves the others; stored again it is intact; a copy is repaired', async () => {
    const moved = await mneme.demote(IDS, { toTier: 'long_term' });
    expect([moved.moves.map(({ id }) => id), moved.damagedIds]).toEqual([['a', 'c'], ['b']]);
    expect((await mneme.get('b', { view: 'metadata' })).tier).toBe('short_term');
    await mneme.importMemories([{ id: 'b', text: TEXT, content: { of: 'b' } }], { conflictPolicy: 'replace' });
    expect((await mneme.get('b')).text).toBe(TEXT);
  });
});
