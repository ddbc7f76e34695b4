import type { Namespace } from '../records.ts';
import type { ReembeddedVector, ReembeddingText } from '../reembedding-store.ts';
import { sizedBatches } from './copy-namespace.ts';
import type { InTurn, ViewedOptions } from './viewed-options.ts';

/** Memories whose vectors are replaced together. */
const AT_ONCE = 64;

/**
 * Replaces the vectors of a view by those of the records, in a second space: they come into use all at once. Texts that
 * have changed since get theirs with the entries of their changes.
 */
export async function replaceVectors(
  options: ViewedOptions,
  { name: namespace, embeddingModel, embeddingDimension: dimension }: Namespace,
  inTurn: InTurn,
): Promise<void> {
  const { view, clock } = options;
  // Without any vector, a namespace has no model.
  const model = embeddingModel === '' ? 'none' : embeddingModel;
  const { reembedding } = view;
  if (!(await reembedding.beginReembedding({ namespace, model, dimension, atUs: clock.nowUs() }))) return;
  for (let isDone = false; !isDone; ) {
    isDone = await inTurn(async () => {
      const texts = await reembedding.reembeddingBatch({ namespace, limit: AT_ONCE });
      if (texts.length === 0) return reembedding.finishReembedding({ namespace, model, atUs: clock.nowUs() });
      const vectors = await vectorsOf(options, namespace, texts, dimension);
      await reembedding.setReembedded({ namespace, model, vectors });
      return false;
    });
  }
}

async function vectorsOf(
  { records }: ViewedOptions,
  namespace: string,
  texts: readonly ReembeddingText[],
  dimension: number,
): Promise<ReembeddedVector[]> {
  const found = new Map<string, { readonly checksum: string; readonly values: Float32Array | undefined }>();
  const ids = texts.map(({ id }) => id);
  for (const batch of await sizedBatches(records, namespace, ids)) {
    for (const { memory } of await records.copies({ namespace, ids: batch })) {
      found.set(memory.id, { checksum: memory.checksum, values: memory.embedding?.values });
    }
  }
  return texts.map(({ key, id, checksum }) => {
    const copy = found.get(id);
    const values = copy?.checksum === checksum ? copy.values : undefined;
    return { key, checksum, ...(values?.length === dimension && { values }) };
  });
}
