import { expect, it } from '@jest/globals';
import type { Tier } from '../../../../src/memory/memory.ts';
import type { UpdateWrite, WriteOutcome } from '../../../../src/storage/records.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const LATER_US = NOW_US + 10;

export function superseding(store: StoreOfTest): void {
  const supersede = (id: string, successorId: string, options: Partial<UpdateWrite> = {}): Promise<WriteOutcome> =>
    store().write({
      kind: 'update',
      namespace: SPACE,
      id,
      changes: { validUntilUs: LATER_US, supersededBy: successorId },
      successor: newMemory({ id: successorId, text: `text of ${successorId}`, validFromUs: LATER_US, tags: ['new'] }),
      atUs: LATER_US,
      ...options,
    });

  it.each<Tier>(['short_term', 'intermediate', 'long_term'])(
    'update with a successor › of a memory in %s › both in one step',
    async (tier) => {
      await put(store(), [newMemory({ id: 'old', tier, text: 'in Paris' }), newMemory({ id: 'other', tier })]);
      const outcome = await supersede('old', 'new');
      expect(outcome.memories).toMatchObject([
        { id: 'new', written: true },
        { id: 'old', revision: outcome.revision, written: true },
      ]);
      expect(await getOne(store(), 'old')).toMatchObject({
        text: 'in Paris',
        tier,
        supersededBy: 'new',
        validUntilUs: LATER_US,
        revision: outcome.revision,
      });
      expect(await getOne(store(), 'new')).toMatchObject({ text: 'text of new', tags: ['new'], validFromUs: LATER_US });
      expect((await idsOf(store())).sort()).toEqual(['new', 'old', 'other']);
      const states = await store().revisions({ namespace: SPACE, id: 'old', limit: 9, nowUs: LATER_US });
      expect(states.map(({ memory }) => memory.supersededBy)).toEqual(['new', undefined]);
    },
  );

  it.each<Tier>(['short_term', 'long_term'])(
    'update with a successor › refused of a memory in %s › nothing is stored and nothing changed',
    async (tier) => {
      await put(store(), [newMemory({ id: 'old', tier }), newMemory({ id: 'taken', tier })]);
      const before = await getOne(store(), 'old');
      const { revision = 0 } = before ?? {};
      const stale = supersede('old', 'new', { expectedRevision: revision + 1000 });
      await expect(stale).rejects.toMatchObject(because('VERSION_MISMATCH'));
      await expect(supersede('old', 'taken')).rejects.toMatchObject(because('MEMORY_EXISTS'));
      await expect(supersede('nothing', 'new')).rejects.toMatchObject(because('MEMORY_NOT_FOUND'));
      expect(await getOne(store(), 'old')).toEqual(before);
      expect((await idsOf(store())).sort()).toEqual(['old', 'taken']);
    },
  );

  it.each<Tier>(['short_term', 'long_term'])(
    'update with a successor › repeated of a memory in %s › the first outcome, one effect',
    async (tier) => {
      await put(store(), [newMemory({ id: 'old', tier })]);
      const once = { idempotency: { requestId: 'r', fingerprint: 'f' } };
      const first = await supersede('old', 'new', once);
      expect(await supersede('old', 'another', once)).toEqual(first);
      expect((await idsOf(store())).sort()).toEqual(['new', 'old']);
    },
  );

  it('update with a successor › the namespace is full › refused, nothing changed', async () => {
    await store().write({ kind: 'createNamespace', name: SPACE, description: '', memoryLimit: 1, atUs: NOW_US });
    await put(store(), [newMemory({ id: 'old' })]);
    await expect(supersede('old', 'new')).rejects.toMatchObject(because('NAMESPACE_FULL'));
    expect(await getOne(store(), 'old')).not.toHaveProperty('supersededBy');
    await store().write({ kind: 'updateNamespace', name: SPACE, memoryLimit: 2, atUs: NOW_US });
    await supersede('old', 'new');
    expect((await idsOf(store())).sort()).toEqual(['new', 'old']);
  });
}
