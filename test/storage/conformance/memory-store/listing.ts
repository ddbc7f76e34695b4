import { expect, it } from '@jest/globals';
import type { ListOrder } from '../../../../src/storage/records.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { because, idsOf, listRead, NOW_US, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const memories = [
  newMemory({ id: 'a', createdAtUs: 3, eventAtUs: 5, importance: 0.5, step: 2 }),
  newMemory({ id: 'b', createdAtUs: 1, eventAtUs: 5, importance: 0.9 }),
  newMemory({ id: 'c', createdAtUs: 2, eventAtUs: -4, importance: 0.5, step: 2 }),
  newMemory({ id: 'd', createdAtUs: 2, eventAtUs: 9, importance: 0, step: 0 }),
  newMemory({ id: 'e', createdAtUs: 2, eventAtUs: 1, importance: 1 }),
];
const ORDERS: readonly (readonly [ListOrder, string])[] = [
  ['create_time_asc', 'b c d e a'],
  ['create_time_desc', 'a e d c b'],
  ['event_time_asc', 'c e a b d'],
  ['event_time_desc', 'd b a e c'],
  ['importance_desc', 'e b c a d'],
  ['step_asc', 'd a c b e'],
  ['step_desc', 'c a d e b'],
];

export function listing(store: StoreOfTest): void {
  it.each(ORDERS)('list › %s › in that order, in pages of any size', async (order, ids) => {
    await put(store(), memories);
    for (const limit of [1, 2, 3, 5, 100]) {
      expect((await idsOf(store(), { order, limit })).join(' ')).toBe(ids);
    }
  });

  it('list › last page › has no next one, also when it is full', async () => {
    await put(store(), memories);
    expect((await store().list(listRead({ limit: 5 }))).next).toBeUndefined();
    expect((await store().list(listRead({ limit: 4 }))).next).toBeDefined();
  });

  it('list › large texts and contents › a page ends before them and holds at least one', async () => {
    const large = (id: string) =>
      newMemory({ id, text: 'x'.repeat(600), content: { mediaType: 'image/png', data: new Uint8Array(500) } });
    await put(store(), ['a', 'b', 'c'].map(large));
    const sizes = async (bytesMax: number) => (await store().list(listRead({ bytesMax }))).memories.length;
    expect(await sizes(10)).toBe(1);
    expect(await sizes(2199)).toBe(1);
    expect(await sizes(2200)).toBe(2);
    expect(await idsOf(store(), { bytesMax: 10 })).toEqual(['a', 'b', 'c']);
    expect((await store().list(listRead({ bytesMax: 10, view: 'metadata' }))).memories).toHaveLength(3);
  });

  it('list › memories are added and erased between pages › a memory that exists throughout appears once', async () => {
    await put(store(), memories);
    const first = await store().list(listRead({ limit: 2 }));
    await put(store(), [newMemory({ id: 'new-old', createdAtUs: 0 }), newMemory({ id: 'new-late', createdAtUs: 99 })]);
    await store().write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['c', 'd'],
      cause: 'deleted',
      mustExist: true,
      atUs: NOW_US,
    });
    const rest = await idsOf(store(), first.next ? { after: first.next } : {});
    expect(first.memories.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(rest).toEqual(['e', 'a', 'new-late']);
  });

  it('list › full view › with vectors', async () => {
    await put(store(), [
      newMemory({ id: 'a', embedding: { model: 'm', values: Float32Array.of(1, 2) } }),
      newMemory({ id: 'b' }),
    ]);
    const { memories: listed } = await store().list(listRead({ view: 'full' }));
    expect(listed.map(({ embedding }) => embedding && [embedding.model, ...embedding.values])).toEqual([
      ['m', 1, 2],
      undefined,
    ]);
  });

  it('list › metadata view, filter on text › the filter matches, and the text is left out', async () => {
    await put(store(), [newMemory({ id: 'a', text: 'needle' }), newMemory({ id: 'b' })]);
    const target = { kind: 'field', field: 'text' } as const;
    const filter = { kind: 'comparison', target, operator: 'contains', values: ['eedl'], ignoreCase: false } as const;
    const { memories: listed } = await store().list(listRead({ view: 'metadata', filter }));
    expect(listed).toMatchObject([{ id: 'a', text: '' }]);
  });

  it('list and count › unknown namespace › refused', async () => {
    await expect(store().list(listRead())).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    const count = store().count({ namespace: SPACE, nowUs: NOW_US });
    await expect(count).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('count › by tier', async () => {
    await put(store(), [...memories, newMemory({ id: 'f', tier: 'intermediate' })]);
    expect(await store().count({ namespace: SPACE, nowUs: NOW_US })).toEqual(
      new Map([
        ['short_term', 5],
        ['intermediate', 1],
      ]),
    );
  });
}
