import type { Namespace } from '../memory-store.ts';
import type { ViewedOptions } from './viewed-options.ts';

/** Memories that are copied together. */
const AT_ONCE = 64;

/**
 * Replaces the vectors of a view by those of the records, in a second space: they come into use all at once. Texts that
 * have changed since get theirs with the entries of their changes.
 */
export async function replaceVectors(
  { records, view, clock }: ViewedOptions,
  { name: namespace, embeddingModel, embeddingDimension: dimension }: Namespace,
): Promise<void> {
  // Without any vector, a namespace has no model.
  const model = embeddingModel === '' ? 'none' : embeddingModel;
  const { reembedding } = view;
  if (!(await reembedding.beginReembedding({ namespace, model, dimension, atUs: clock.nowUs() }))) return;
  for (;;) {
    const texts = await reembedding.reembeddingBatch({ namespace, limit: AT_ONCE });
    if (texts.length === 0) {
      if (await reembedding.finishReembedding({ namespace, model, atUs: clock.nowUs() })) return;
      continue;
    }
    const copies = await records.copies({ namespace, ids: texts.map(({ id }) => id) });
    const found = new Map(copies.map(({ memory }) => [memory.id, memory]));
    const vectors = texts.map(({ key, id, checksum }) => {
      const memory = found.get(id);
      const values = memory?.checksum === checksum ? memory.embedding?.values : undefined;
      return { key, checksum, ...(values?.length === dimension && { values }) };
    });
    await reembedding.setReembedded({ namespace, model, vectors });
  }
}
