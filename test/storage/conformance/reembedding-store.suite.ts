import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../src/memory/checksum.ts';
import type { ReembeddingStore } from '../../../src/storage/reembedding-store.ts';
import { newMemory } from '../../support/new-memory.ts';
import type { WholeStore } from '../../support/whole-store.ts';
import { because, NOW_US, put, SPACE } from './memory-store/store-of-test.ts';

export interface ReembeddingStoreSubject {
  readonly name: string;
  create(): Promise<{
    readonly store: WholeStore;
    readonly reembeddings: ReembeddingStore;
    close(): Promise<void>;
  }>;
}

const OLD = 'old';
const NEW = 'new';
const vectorOf = (text: string) => Float32Array.of(text.length, text.charCodeAt(0), 1);

/** Contract of all `ReembeddingStore`. */
export function reembeddingStoreSuite({ name, create }: ReembeddingStoreSubject): void {
  describe(`recomputed vectors (${name})`, () => {
    let store: WholeStore;
    let reembeddings: ReembeddingStore;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ store, reembeddings, close } = await create());
      const embedding = { model: OLD, values: Float32Array.of(1, 2) };
      await put(store, [
        newMemory({ id: 'a', text: 'apple', embedding }),
        newMemory({ id: 'b', text: 'banana', embedding }),
        newMemory({ id: 'c', text: 'cherry' }),
      ]);
    });
    afterEach(() => close());

    const begin = (model = NEW, dimension = 3) =>
      reembeddings.beginReembedding({ namespace: SPACE, model, dimension, atUs: NOW_US });
    const finish = (model = NEW) => reembeddings.finishReembedding({ namespace: SPACE, model, atUs: NOW_US });
    const batch = (limit = 100) => reembeddings.reembeddingBatch({ namespace: SPACE, limit });
    const set = (vectors: Parameters<ReembeddingStore['setReembedded']>[0]['vectors'], model = NEW) =>
      reembeddings.setReembedded({ namespace: SPACE, model, vectors });
    /** Embeds one batch; returns the texts. */
    async function step(limit = 100): Promise<string[]> {
      const texts = await batch(limit);
      await set(texts.map(({ key, checksum, text }) => ({ key, checksum, values: vectorOf(text) })));
      return texts.map(({ id, text }) => `${id} ${text}`);
    }
    async function vectors(): Promise<(string | undefined)[]> {
      const found = await store.get({ namespace: SPACE, ids: ['a', 'b', 'c', 'd'], view: 'full', nowUs: NOW_US });
      return found.map((memory) => memory && `${memory.embedding?.model} ${[...(memory.embedding?.values ?? [])]}`);
    }
    const update = (id: string, text: string) =>
      store.write({
        kind: 'update',
        namespace: SPACE,
        id,
        changes: { text, checksum: checksumOf(text), embeddingPending: true },
        atUs: NOW_US,
      });
    const modelOf = async () => {
      const { embeddingModel, embeddingDimension } = await store.getNamespace(SPACE);
      return [embeddingModel, embeddingDimension];
    };

    it('batch by batch › the old vectors are in use until all are there, then the new ones', async () => {
      expect(await begin()).toBe(true);
      expect(await step(2)).toEqual(['a apple', 'b banana']);
      expect(await reembeddings.reembeddings()).toMatchObject([
        { namespace: SPACE, fromModel: OLD, toModel: NEW, doneCount: 2, totalCount: 3, startedAtUs: NOW_US },
      ]);
      expect(await finish()).toBe(false);
      expect(await vectors()).toEqual([`${OLD} 1,2`, `${OLD} 1,2`, 'undefined ', undefined]);
      expect(await step(2)).toEqual(['c cherry']);
      expect(await batch()).toEqual([]);
      expect(await finish()).toBe(true);
      expect(await modelOf()).toEqual([NEW, 3]);
      expect(await vectors()).toEqual([`${NEW} 5,97,1`, `${NEW} 6,98,1`, `${NEW} 6,99,1`, undefined]);
      expect(await reembeddings.reembeddings()).toEqual([]);
      expect(await begin()).toBe(false);
      // What is written next has vectors of the new model.
      await put(store, [newMemory({ id: 'd', text: 'date', embedding: { model: NEW, values: vectorOf('date') } })]);
      await expect(
        put(store, [newMemory({ id: 'e', embedding: { model: OLD, values: Float32Array.of(1, 2) } })]),
      ).rejects.toMatchObject(because('MODEL_MISMATCH'));
    });

    it('memories change meanwhile › none is skipped, none has the vector of a former text', async () => {
      await begin();
      const texts = await batch();
      await update('a', 'avocado');
      await set(texts.map(({ key, checksum, text }) => ({ key, checksum, values: vectorOf(text) })));
      await update('b', 'blueberry');
      await store.write({
        kind: 'delete',
        namespace: SPACE,
        ids: ['c'],
        cause: 'deleted',
        mustExist: true,
        atUs: NOW_US,
      });
      await put(store, [newMemory({ id: 'd', text: 'date' })]);
      expect(await finish()).toBe(false);
      expect(await step()).toEqual(['d date']);
      expect(await finish()).toBe(false);
      expect((await step()).sort()).toEqual(['a avocado', 'b blueberry']);
      expect(await finish()).toBe(true);
      expect(await vectors()).toEqual([`${NEW} 7,97,1`, `${NEW} 9,98,1`, undefined, `${NEW} 4,100,1`]);
    });

    it('another model, or the same again › starts anew, or goes on; vectors of the former one are refused in silence', async () => {
      await begin();
      await step(2);
      expect(await begin()).toBe(true);
      expect(await step(1)).toEqual(['c cherry']);
      expect(await begin('other', 2)).toBe(true);
      const texts = await batch();
      expect(texts).toHaveLength(3);
      await set(
        texts.map(({ key, checksum }) => ({ key, checksum, values: Float32Array.of(1, 2, 3) })),
        NEW,
      );
      expect(await batch()).toHaveLength(3);
      await set(
        texts.map(({ key, checksum }) => ({ key, checksum, values: Float32Array.of(8, 9) })),
        'other',
      );
      expect(await finish('other')).toBe(true);
      expect(await vectors()).toEqual(['other 8,9', 'other 8,9', 'other 8,9', undefined]);
    });

    it('texts without a vector › the memory has none; none at all › the namespace has no model', async () => {
      await begin();
      const texts = await batch();
      await set(texts.map(({ key, checksum }) => ({ key, checksum })));
      expect(await finish()).toBe(true);
      expect(await vectors()).toEqual(['undefined ', 'undefined ', 'undefined ', undefined]);
      expect(await modelOf()).toEqual(['', 0]);
    });

    it('vectors of several dimensions › refused, nothing is stored', async () => {
      await begin();
      const [first, second] = await batch();
      if (!first || !second) throw new Error('three texts');
      const mixed = set([
        { ...first, values: Float32Array.of(1) },
        { ...second, values: Float32Array.of(1, 2) },
      ]);
      await expect(mixed).rejects.toMatchObject(because('DIMENSION_MISMATCH'));
      expect(await batch()).toHaveLength(3);
    });

    it('the namespace is deleted meanwhile › the work is gone with it', async () => {
      await begin();
      await store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
      expect(await reembeddings.reembeddings()).toEqual([]);
      await expect(batch()).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
      await expect(begin()).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    });
  });
}
