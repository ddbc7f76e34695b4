import { MnemeError } from '../../memory/errors.ts';
import type { LateVector, PendingEmbedding } from '../../storage/memory-store.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { vectorsToStore } from './vectors-to-store.ts';

export interface EmbedPendingOutcome {
  readonly embeddedCount: number;
  /** True when nothing that is due was left. */
  readonly isDone: boolean;
  /** Why the embedder gave no vectors. What was tried is back in the queue. */
  readonly failure?: MnemeError;
}

type EmbedDeps = Pick<MemoryDeps, 'store' | 'embedder' | 'clock'>;

const BACK_OFF_FIRST_US = 1_000_000;
const BACK_OFF_MAX_US = 300_000_000;

/**
 * Embeds texts that wait, at most `batchSize`. A text that failed before goes alone, so that one that the embedder
 * cannot take never holds back its neighbours.
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

async function embedAll({ store, embedder }: EmbedDeps, items: readonly PendingEmbedding[], signal: AbortSignal) {
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
  for (const [namespace, vectors] of byNamespace) await setEmbeddings(store, namespace, vectors);
}

/** Where the namespace's vectors are of another model by now, its memories stay without one. */
async function setEmbeddings(store: MemoryDeps['store'], namespace: string, vectors: LateVector[]): Promise<void> {
  try {
    await store.setEmbeddings({ namespace, vectors });
  } catch (error) {
    const reason = error instanceof MnemeError ? error.reason : undefined;
    if (reason === 'NAMESPACE_NOT_FOUND') return;
    if (reason !== 'MODEL_MISMATCH' && reason !== 'DIMENSION_MISMATCH') throw error;
    await store.setEmbeddings({ namespace, vectors: vectors.map(({ id, checksum }) => ({ id, checksum })) });
  }
}

async function postpone({ store, clock }: EmbedDeps, items: readonly PendingEmbedding[]): Promise<void> {
  const attempts = Math.max(...items.map((item) => item.attempts));
  const backOffUs = Math.min(BACK_OFF_FIRST_US * 2 ** Math.min(attempts, 20), BACK_OFF_MAX_US);
  await store.postponeEmbedding({ items, notBeforeUs: clock.nowUs() + backOffUs });
}
