import { expect, it } from '@jest/globals';
import type { DeleteOutcome, DeleteWrite } from '../../../../src/storage/records.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE, type StoreOfTest } from './store-of-test.ts';

export function deleting(store: StoreOfTest): void {
  const erase = (ids: string[], options: Partial<DeleteWrite> = {}): Promise<DeleteOutcome> =>
    store().write({
      kind: 'delete',
      namespace: SPACE,
      ids,
      cause: 'deleted',
      mustExist: false,
      atUs: NOW_US,
      ...options,
    });

  it('delete › some exist › erased with their revisions, returned by id and tier', async () => {
    await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'b', tier: 'long_term' }), newMemory({ id: 'c' })]);
    await store().write({ kind: 'update', namespace: SPACE, id: 'a', changes: { importance: 1 }, atUs: NOW_US });
    const { revision } = store();
    const outcome = await erase(['b', 'x', 'a']);
    expect(outcome.deletedIds).toEqual(['b', 'a']);
    expect(new Map(outcome.tiers)).toEqual(
      new Map([
        ['short_term', 1],
        ['long_term', 1],
      ]),
    );
    expect(outcome.revision).toBeGreaterThan(revision);
    expect(await idsOf(store())).toEqual(['c']);
    await expect(store().revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: NOW_US })).rejects.toMatchObject(
      because('MEMORY_NOT_FOUND'),
    );
  });

  it('delete › only in one tier › skips memories in another', async () => {
    await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'b', tier: 'long_term' })]);
    const outcome = await erase(['a', 'b'], { onlyIn: 'long_term' });
    expect([outcome.deletedIds, await idsOf(store())]).toEqual([['b'], ['a']]);
  });

  it('delete › then stored again under the id › no data of the old memory returns', async () => {
    const data = Buffer.from('{"k":1}');
    const embedding = { model: 'm', values: Float32Array.of(1) };
    await put(store(), [
      newMemory({ id: 'a', tags: ['t'], content: { mediaType: 'application/json', data }, embedding }),
    ]);
    await store().write({ kind: 'update', namespace: SPACE, id: 'a', changes: { importance: 1 }, atUs: NOW_US });
    await erase(['a']);
    await put(store(), [newMemory({ id: 'a' })]);
    const memory = await getOne(store(), 'a');
    expect(memory).toMatchObject({ tags: [], importance: 0.5 });
    expect(memory?.embedding ?? memory?.content).toBeUndefined();
    expect(await store().revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: NOW_US })).toHaveLength(1);
  });

  it('delete › must exist › refused as a whole when one does not', async () => {
    await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'gone', expiresAtUs: NOW_US })]);
    await expect(erase(['a', 'x'], { mustExist: true })).rejects.toMatchObject(because('MEMORY_NOT_FOUND'));
    await expect(erase(['gone'], { mustExist: true })).rejects.toMatchObject(because('MEMORY_NOT_FOUND'));
    expect(await idsOf(store())).toEqual(['a']);
  });

  it('delete › expected revision is another › refused', async () => {
    const { revision } = await put(store(), [newMemory({ id: 'a' })]);
    await expect(erase(['a'], { expectedRevision: revision + 1 })).rejects.toMatchObject(because('VERSION_MISMATCH'));
    await erase(['a'], { expectedRevision: revision });
    expect(await idsOf(store())).toEqual([]);
  });

  it('delete › unknown namespace › refused', async () => {
    await expect(erase(['a'])).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('expiry › from the instant on › get, list and count do not see it', async () => {
    await put(store(), [newMemory({ id: 'a', expiresAtUs: NOW_US + 1 }), newMemory({ id: 'b' })]);
    expect(await idsOf(store())).toEqual(['a', 'b']);
    const nowUs = NOW_US + 1;
    expect(await getOne(store(), 'a', nowUs)).toBeUndefined();
    expect(await idsOf(store(), { nowUs })).toEqual(['b']);
    expect(await store().count({ namespace: SPACE, nowUs })).toEqual(new Map([['short_term', 1]]));
  });

  it('expired › due ones of all namespaces › returned, longest ago first, and erased on request', async () => {
    await put(store(), [
      newMemory({ id: 'a', expiresAtUs: 30 }),
      newMemory({ id: 'b' }),
      newMemory({ id: 'c', expiresAtUs: 10 }),
    ]);
    await put(store(), [newMemory({ id: 'd', expiresAtUs: 20 })], { namespace: 'other' });
    const expired = (limit: number, nowUs: number) => store().expired({ limit, nowUs });
    expect(await expired(9, 9)).toEqual([]);
    expect(await expired(9, 30)).toEqual([
      { namespace: SPACE, ids: ['c', 'a'] },
      { namespace: 'other', ids: ['d'] },
    ]);
    expect(await expired(2, 30)).toEqual([
      { namespace: SPACE, ids: ['c'] },
      { namespace: 'other', ids: ['d'] },
    ]);
    await erase(['c', 'a'], { cause: 'expired', atUs: 30 });
    expect(await expired(9, 30)).toEqual([{ namespace: 'other', ids: ['d'] }]);
  });

  it('delete as expired › expiry was postponed meanwhile › stays', async () => {
    await put(store(), [newMemory({ id: 'a', expiresAtUs: NOW_US + 50 })]);
    const outcome = await erase(['a'], { cause: 'expired', atUs: NOW_US });
    expect(outcome.deletedIds).toEqual([]);
    expect(await idsOf(store())).toEqual(['a']);
  });
}
