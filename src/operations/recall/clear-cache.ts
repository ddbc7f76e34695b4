import type { MemoryStore } from '../../storage/memory-store.ts';
import type { RecallCache } from './cached-search.ts';

/** Forgets the answers of a namespace, or all of them. Fails with NAMESPACE_NOT_FOUND. */
export async function clearCache(
  { cache, store }: { readonly cache: RecallCache; readonly store: Pick<MemoryStore, 'getNamespace'> },
  namespace?: string,
): Promise<{ readonly count: number; readonly bytes: number }> {
  if (namespace !== undefined) await store.getNamespace(namespace);
  return cache.answers.clear(namespace);
}
