import { expect, it } from '@jest/globals';
import { checksumOf } from '../../../../src/memory/checksum.ts';
import type { LateVector } from '../../../../src/storage/records.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { because, getOne, NOW_US, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const vector = (...values: number[]) => ({ model: 'm', values: Float32Array.from(values) });

export function embedding(store: StoreOfTest): void {
  const waiting = (nowUs = NOW_US, limit = 9) => store().pendingEmbeddings({ limit, nowUs });
  const waitingIds = async (nowUs?: number) => (await waiting(nowUs)).map(({ id }) => id);
  const set = (...vectors: LateVector[]) =>
    store().write({ kind: 'setEmbeddings', namespace: SPACE, vectors, atUs: NOW_US });
  const late = (id: string) => newMemory({ id, text: id, embeddingPending: true });
  const checksum = checksumOf;

  it('pendingEmbeddings › after store › oldest first, at most the limit, only pending ones', async () => {
    await put(store(), [late('b')], { atUs: 10 });
    await put(
      store(),
      [late('a'), newMemory({ id: 'none' }), newMemory({ id: 'has', embedding: vector(1), embeddingPending: true })],
      { atUs: 20 },
    );
    await put(store(), [late('c')], { namespace: 'other', atUs: 15 });
    expect(await waitingIds()).toEqual(['b', 'c', 'a']);
    expect(await waiting(NOW_US, 1)).toEqual([
      { namespace: SPACE, id: 'b', checksum: checksum('b'), text: 'b', attempts: 0 },
    ]);
  });

  it('setEmbeddings › pending memory › has the vector, is no longer pending, its revision stays', async () => {
    const { revision } = await put(store(), [late('a')]);
    const outcome = await set({ id: 'a', checksum: checksum('a'), embedding: vector(1, 2) });
    expect(outcome.revision).toBeGreaterThan(revision);
    const memory = await getOne(store(), 'a');
    expect(memory?.revision).toBe(revision);
    expect([...(memory?.embedding?.values ?? [])]).toEqual([1, 2]);
    expect(await waitingIds()).toEqual([]);
    expect(await store().getNamespace(SPACE)).toMatchObject({ embeddingModel: 'm', embeddingDimension: 2 });
  });

  it('setEmbeddings › memory erased, or with another text › dropped', async () => {
    await put(store(), [late('a'), late('b')]);
    await store().write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['b'],
      cause: 'deleted',
      mustExist: true,
      atUs: NOW_US,
    });
    await set(
      { id: 'a', checksum: checksum('other'), embedding: vector(1) },
      { id: 'b', checksum: checksum('b'), embedding: vector(1) },
    );
    expect((await getOne(store(), 'a'))?.embedding).toBeUndefined();
    expect(await waitingIds()).toEqual(['a']);
  });

  it('setEmbeddings › without a vector › only leaves the queue', async () => {
    await put(store(), [late('a')]);
    await set({ id: 'a', checksum: checksum('a') });
    expect(await waitingIds()).toEqual([]);
    expect((await getOne(store(), 'a'))?.embedding).toBeUndefined();
    expect((await store().statistics(SPACE)).embeddingPendingCount).toBe(0);
  });

  it("setEmbeddings › a caller has set a vector meanwhile › the caller's vector stays", async () => {
    await put(store(), [late('a')]);
    await store().write({ kind: 'update', namespace: SPACE, id: 'a', changes: { embedding: vector(7) }, atUs: NOW_US });
    await set({ id: 'a', checksum: checksum('a'), embedding: vector(1) });
    expect([...((await getOne(store(), 'a'))?.embedding?.values ?? [])]).toEqual([7]);
  });

  it('setEmbeddings › one of another dimension › none is set', async () => {
    await put(store(), [late('a'), late('b')]);
    const write = set(
      { id: 'a', checksum: checksum('a'), embedding: vector(1, 2) },
      { id: 'b', checksum: checksum('b'), embedding: vector(1) },
    );
    await expect(write).rejects.toMatchObject(because('DIMENSION_MISMATCH'));
    expect(await waitingIds()).toEqual(['a', 'b']);
  });

  it('postponeEmbedding › not due before its time, then after the others, with one attempt more', async () => {
    await put(store(), [late('a'), late('b')], { atUs: 5 });
    const [first] = await waiting();
    await store().write({ kind: 'postponeEmbedding', items: first ? [first] : [], notBeforeUs: 50 });
    expect(await waitingIds(49)).toEqual(['b']);
    expect(await waitingIds(50)).toEqual(['b', 'a']);
    expect((await waiting(50))[1]).toMatchObject({ id: 'a', attempts: 1 });
  });

  it('update › text changes while pending › pending with the new text', async () => {
    await put(store(), [late('a')], { atUs: 5 });
    const changes = { text: 'new', checksum: checksum('new'), embeddingPending: true };
    await store().write({ kind: 'update', namespace: SPACE, id: 'a', changes, atUs: 6 });
    expect(await waiting()).toMatchObject([{ id: 'a', text: 'new', checksum: checksum('new') }]);
  });

  it('store › replaced by the same text without a vector › keeps its vector, by another text does not', async () => {
    await put(store(), [newMemory({ id: 'a', text: 'one', embedding: vector(1) })]);
    const again = newMemory({ id: 'a', text: 'one', importance: 0.1, embeddingPending: true });
    const kept = await put(store(), [again], { onConflict: 'replace' });
    expect(kept.memories).toMatchObject([{ written: true, embeddingPending: false }]);
    expect((await getOne(store(), 'a'))?.embedding).toBeDefined();
    const other = newMemory({ id: 'a', text: 'two', embeddingPending: true });
    expect((await put(store(), [other], { onConflict: 'replace' })).memories).toMatchObject([
      { embeddingPending: true },
    ]);
    expect((await getOne(store(), 'a'))?.embedding).toBeUndefined();
    expect(await waitingIds()).toEqual(['a']);
  });
}
