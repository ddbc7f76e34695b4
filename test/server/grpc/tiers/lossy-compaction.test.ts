import { afterEach, describe, expect, it } from '@jest/globals';
import type { Mneme } from '../../../../clients/typescript/src/index.ts';
import { type Damageable, SPACE, startDamageable } from '../support/damageable.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const VECTOR = { model: 'm', values: [0.25, 1 / 3, -0.5, 1 / 7] };
const IDS = ['a', 'b', 'c'];
const contentOf = (id: string) => ({ id, trace: 'a long story' });

/** A server whose memories of `SPACE` lose a key when they come to intermediate memory. */
async function startLossy(): Promise<Damageable> {
  const damageable = await startDamageable();
  closers.push(() => damageable.stop());
  await damageable.mneme.namespaces.create(SPACE, { settings: { 'intermediate.drop_keys': 'trace' } });
  return damageable;
}
async function flushed(mneme: Mneme, namespace?: string): Promise<{ damagedIds: string[] }> {
  const damagedIds = new Set<string>();
  for await (const step of mneme.admin.maintainTiers({ flush: true, namespace }))
    for (const id of step.damagedIds) damagedIds.add(id);
  return { damagedIds: [...damagedIds] };
}
async function tierAndContent(mneme: Mneme, id: string) {
  const { tier, content } = await mneme.get(id);
  return [tier, content?.json()];
}

describe('a namespace that drops keys', () => {
  it('one scope is read-only › its memories move as they are, the others lose the key, all namespaces are maintained', async () => {
    const { mneme } = await startLossy();
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
      const { mneme, damage } = await startLossy();
      await mneme.batchStore(IDS.map((id) => ({ id, content: contentOf(id), embedding: VECTOR })));
      expect((await mneme.listPage()).memories).toHaveLength(3);
      damage('b', 'vector');

      const { damagedIds } = verb === 'Demote' ? await mneme.demote(IDS) : await flushed(mneme, SPACE);
      expect(damagedIds).toEqual(['b']);
      const tier = verb === 'Demote' ? 'intermediate' : 'long_term';
      for (const id of ['a', 'c']) expect(await tierAndContent(mneme, id)).toEqual([tier, { id }]);
      expect(await tierAndContent(mneme, 'b')).toEqual(['short_term', contentOf('b')]);
      expect((await mneme.demote(['b'])).damagedIds).toEqual(['b']);
    },
  );
});
