import { isNamespaceMissing } from '../../memory/errors.ts';
import type { Embedding } from '../../memory/memory.ts';
import { embedTexts } from './embed-texts.ts';
import type { MemoryDeps } from './operation-deps.ts';

/** A memory's vector, or that it is still to be computed, or neither. */
export interface VectorPlan {
  readonly embedding?: Embedding;
  readonly pending: boolean;
}

interface Embeddable {
  readonly text: string;
  readonly embedding?: Embedding;
}

/**
 * Decides where the vectors of new texts come from: the caller's own wins; otherwise a cheap embedder is asked at once
 * and another one later, unless recall makes them itself. In a namespace whose vectors are of another model the caller
 * brings all of them or none.
 */
export async function vectorsFor(
  { store, embedder }: Pick<MemoryDeps, 'store' | 'embedder'>,
  namespace: string,
  memories: readonly Embeddable[],
  signal: () => AbortSignal,
): Promise<readonly VectorPlan[]> {
  const plans: VectorPlan[] = memories.map(({ embedding }) => ({
    ...(embedding ? { embedding } : {}),
    pending: false,
  }));
  const wanted = memories.flatMap(({ text, embedding }, at) => (embedding || text === '' ? [] : [at]));
  if (embedder.kind === 'none' || embedder.isDerived || wanted.length === 0) return plans;
  const ownModel = memories.find((memory) => memory.embedding)?.embedding?.model ?? (await modelOf(store, namespace));
  if (ownModel !== '' && ownModel !== embedder.model) return plans;
  if (!embedder.inline) {
    for (const at of wanted) plans[at] = { pending: true };
    return plans;
  }
  const texts = wanted.map((at) => memories[at]?.text ?? '');
  const vectors = await embedTexts(embedder, texts, signal());
  for (const [i, at] of wanted.entries()) {
    const values = vectors[i];
    if (values) plans[at] = { embedding: { model: embedder.model, values }, pending: false };
  }
  return plans;
}

/** Empty when no vector has fixed it yet, or there is no such namespace yet. */
async function modelOf(store: MemoryDeps['store'], namespace: string): Promise<string> {
  try {
    return (await store.getNamespace(namespace)).embeddingModel;
  } catch (error) {
    if (isNamespaceMissing(error)) return '';
    throw error;
  }
}
