import type { Clock } from '../../../memory/clock.ts';
import { isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import type { Embedder } from '../../../search/embedding/embedder.ts';
import type { Records } from '../../../storage/records.ts';
import type { Reembedding, ReembeddingStore, ReembeddingText } from '../../../storage/reembedding-store.ts';
import { vectorsToStore } from '../memories/embed-texts.ts';
import { namespaceNames } from '../namespaces/namespaces.ts';

export interface ReembedDeps {
  readonly store: Records;
  readonly reembeddings: ReembeddingStore;
  readonly embedder: Embedder;
  readonly clock: Clock;
  /** Called when there is work to re-embed. */
  onReembedding(): void;
}

/**
 * Starts to recompute the vectors of a namespace, or of all, with the embedder; returns the progress. With an embedder
 * whose vectors are derived, stored vectors are deleted: without stored vectors there is nothing to do.
 */
export async function reembed(
  deps: ReembedDeps,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Reembedding[]> {
  const { store, reembeddings, embedder, clock, onReembedding } = deps;
  if (embedder.kind === 'none') {
    throw new MnemeError(
      'LANE_UNAVAILABLE',
      'this server has no embedder to make vectors with: start it with --embedder',
    );
  }
  const begin = async (name: string) => {
    if (embedder.isDerived && (await store.getNamespace(name)).embeddingModel === '') return false;
    const write = { namespace: name, model: embedder.model, atUs: clock.nowUs() };
    if (await reembeddings.beginReembedding({ ...write, dimension: embedder.dimension })) return true;
    // Some know the dimension of their vectors only when they have made one; it may be another one than it was.
    const dimension = embedder.dimension || (await dimensionOf(embedder, signal));
    return reembeddings.beginReembedding({ ...write, dimension });
  };
  if (namespace !== undefined) await begin(namespace);
  else for await (const name of namespaceNames(store)) await begun(begin(name));
  onReembedding();
  return reembedProgress(deps, namespace);
}

/** Progress of re-embedding, for one namespace or for all. Fails with NAMESPACE_NOT_FOUND. */
export async function reembedProgress(
  { store, reembeddings }: Pick<ReembedDeps, 'store' | 'reembeddings'>,
  namespace: string | undefined,
): Promise<readonly Reembedding[]> {
  if (namespace !== undefined) await store.getNamespace(namespace);
  const all = await reembeddings.reembeddings();
  return namespace === undefined ? all : all.filter((one) => one.namespace === namespace);
}

export interface ReembedOutcome {
  /** False when no work remains that this embedder can do. */
  readonly isLeft: boolean;
  /** Model of the embedder without which the remaining work cannot continue. */
  readonly waitsFor?: string;
}

/** Embeds one batch of texts of a running re-embedding, or activates its finished vectors. */
export async function reembedStep(
  { reembeddings, embedder, clock }: Omit<ReembedDeps, 'store' | 'onReembedding'>,
  batchSize: number,
  signal: AbortSignal,
): Promise<ReembedOutcome> {
  const { model } = embedder;
  const underWay = await reembeddings.reembeddings();
  const next = underWay.find((one) => one.toModel === model);
  if (!next) return { isLeft: false, ...(underWay[0] && { waitsFor: underWay[0].toModel }) };
  const { namespace } = next;
  try {
    const texts = await reembeddings.reembeddingBatch({ namespace, limit: batchSize });
    if (texts.length === 0) await reembeddings.finishReembedding({ namespace, model, atUs: clock.nowUs() });
    else await reembeddings.setReembedded({ namespace, model, vectors: await embedded(embedder, texts, signal) });
  } catch (error) {
    const reason = error instanceof MnemeError ? error.reason : undefined;
    // The model's dimension has changed since the re-embedding was started.
    if (reason === 'DIMENSION_MISMATCH') {
      await reembeddings.beginReembedding({ namespace, model, dimension: embedder.dimension, atUs: clock.nowUs() });
    }
    // A namespace deleted in the meantime needs no re-embedding.
    else if (reason !== 'NAMESPACE_NOT_FOUND') throw error;
  }
  return { isLeft: true };
}

async function dimensionOf(embedder: Embedder, signal: AbortSignal): Promise<number> {
  const [vector] = await embedder.embed(['a'], signal);
  return vector?.length ?? 0;
}

async function embedded(embedder: Embedder, texts: readonly ReembeddingText[], signal: AbortSignal) {
  const vectors = await vectorsToStore(
    embedder,
    texts.map(({ text }) => text),
    signal,
  );
  return texts.map(({ key, checksum }, at) => {
    const values = vectors[at];
    return { key, checksum, values };
  });
}

/** One of many that was deleted meanwhile is no failure of the rest. */
async function begun(beginning: Promise<boolean>): Promise<void> {
  try {
    await beginning;
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
  }
}
