import { isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import { unitVector } from '../../../memory/floats.ts';
import type { Embedding } from '../../../memory/memory.ts';
import { PASSAGE_LIMITS, passagesOf } from '../../../memory/passages.ts';
import type { Embedder } from '../../../search/embedding/embedder.ts';
import type { EmbeddingsWrite, LateVector, PendingEmbedding } from '../../../storage/records.ts';
import type { MemoryDeps } from './operation-deps.ts';

/**
 * Maximum number of passages of a long text that are embedded: models limit their input, and each call costs time or
 * money.
 */
export const PASSAGES_EMBEDDED_MAX = 32;

/**
 * A vector for each text; for a long text the mean of its passages, at length 1: of all, or of `PASSAGES_EMBEDDED_MAX`,
 * spread evenly over the text.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(Float32Array | undefined)[]> {
  if (texts.every(({ length }) => length <= PASSAGE_LIMITS.wholeMax)) return embedder.embed(texts, signal);
  const parts = texts.map(partsOf);
  const vectors = await embedder.embed(parts.flat(), signal);
  let from = 0;
  return parts.map(({ length }) => {
    const own = vectors.slice(from, from + length);
    from += length;
    return length === 1 ? own[0] : meanOf(own);
  });
}

function partsOf(text: string): string[] {
  const passages = passagesOf(text);
  const step = Math.max(1, passages.length / PASSAGES_EMBEDDED_MAX);
  const count = Math.min(passages.length, PASSAGES_EMBEDDED_MAX);
  return Array.from({ length: count }, (_, at) => {
    const { from, end } = passages[Math.floor(at * step)] ?? { from: 0, end: 0 };
    return text.slice(from, end);
  });
}

function meanOf(vectors: readonly (Float32Array | undefined)[]): Float32Array | undefined {
  const [first, ...others] = vectors.filter((vector) => vector !== undefined);
  if (!first) return undefined;
  const sum = Float64Array.from(first);
  for (const vector of others)
    vector.forEach((value, at) => {
      sum[at] = (sum[at] ?? 0) + value;
    });
  return unitVector(sum);
}

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
    embedding,
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

/**
 * Vectors for texts that are stored already, in their order. None for an empty text, and none at all where recall
 * derives the vectors of texts: a stored one would fix the model of the namespace.
 */
export async function vectorsToStore(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(Float32Array | undefined)[]> {
  const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
  const wanted = embedder.isDerived ? [] : texts.flatMap((text, at) => (text === '' ? [] : [at]));
  if (wanted.length === 0) return vectors;
  const made = await embedTexts(
    embedder,
    wanted.map((at) => texts[at] ?? ''),
    signal,
  );
  for (const [i, at] of wanted.entries()) vectors[at] = made[i];
  return vectors;
}

export interface EmbedPendingOutcome {
  readonly embeddedCount: number;
  /** True when no due text remains. */
  readonly isDone: boolean;
  /** Reason why the embedder failed. The texts are back in the queue. */
  readonly failure?: MnemeError;
}

type EmbedDeps = Pick<MemoryDeps, 'store' | 'embedder' | 'clock'>;

const BACK_OFF_FIRST_US = 1_000_000;
const BACK_OFF_MAX_US = 300_000_000;

/**
 * Embeds queued texts, at most `batchSize`. A text that failed before is sent alone, so that a text that the embedder
 * rejects never blocks others.
 */
export async function embedPending(
  deps: EmbedDeps,
  batchSize: number,
  signal: AbortSignal,
): Promise<EmbedPendingOutcome> {
  const due = await deps.store.pendingEmbeddings({ limit: batchSize, nowUs: deps.clock.nowUs() });
  const fresh = due.filter((item) => item.attempts === 0);
  const items = fresh.length > 0 ? fresh : due.slice(0, 1);
  if (items.length === 0) return { embeddedCount: 0, isDone: true };
  try {
    await embedAll(deps, items, signal);
  } catch (error) {
    if (!(error instanceof MnemeError) || error.reason !== 'EMBEDDER_UNAVAILABLE' || signal.aborted) throw error;
    await postpone(deps, items);
    return { embeddedCount: 0, isDone: false, failure: error };
  }
  return { embeddedCount: items.length, isDone: due.length < batchSize && items.length === due.length };
}

async function embedAll(
  { store, embedder, clock }: EmbedDeps,
  items: readonly PendingEmbedding[],
  signal: AbortSignal,
) {
  const texts = items.map((item) => item.text);
  const values = await vectorsToStore(embedder, texts, signal);
  const byNamespace = new Map<string, LateVector[]>();
  for (const [at, { namespace, id, checksum }] of items.entries()) {
    const vector = values[at];
    const embedding = vector ? { embedding: { model: embedder.model, values: vector } } : {};
    const vectors = byNamespace.get(namespace) ?? [];
    vectors.push({ id, checksum, ...embedding });
    byNamespace.set(namespace, vectors);
  }
  for (const [namespace, vectors] of byNamespace)
    await setEmbeddings(store, { namespace, vectors, atUs: clock.nowUs() });
}

/** Where the namespace's vectors are of another model by now, its memories stay without one. */
async function setEmbeddings(store: MemoryDeps['store'], write: EmbeddingsWrite): Promise<void> {
  try {
    await store.write({ kind: 'setEmbeddings', ...write });
  } catch (error) {
    const reason = error instanceof MnemeError ? error.reason : undefined;
    if (reason === 'NAMESPACE_NOT_FOUND') return;
    if (reason !== 'MODEL_MISMATCH' && reason !== 'DIMENSION_MISMATCH') throw error;
    const vectors = write.vectors.map(({ id, checksum }) => ({ id, checksum }));
    await store.write({ kind: 'setEmbeddings', ...write, vectors });
  }
}

async function postpone({ store, clock }: EmbedDeps, items: readonly PendingEmbedding[]): Promise<void> {
  const attempts = Math.max(...items.map((item) => item.attempts));
  const backOffUs = Math.min(BACK_OFF_FIRST_US * 2 ** Math.min(attempts, 20), BACK_OFF_MAX_US);
  await store.write({ kind: 'postponeEmbedding', items, notBeforeUs: clock.nowUs() + backOffUs });
}
