import type { MemoryStore, PastState } from '../../storage/memory-store.ts';
import type { MemoryDeps } from './operation-deps.ts';

export interface ListRevisionsRequest {
  readonly namespace: string;
  readonly id: string;
  readonly limit: number;
  /** A page ends before its texts and contents pass this size, but holds at least one state. */
  readonly bytesMax: number;
  readonly beforeRevision?: number;
}

/**
 * Reads states of a memory, newest first; `nextBefore` leads to older ones and is absent when there are none. Those that cannot
 * be read are counted.
 */
export async function listRevisions(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { limit, bytesMax, ...read }: ListRevisionsRequest,
): Promise<{ states: readonly PastState[]; damagedCount: number; nextBefore?: number }> {
  const found = await store.revisions({ ...read, limit: limit + 1, nowUs: clock.nowUs() });
  const page = found.slice(0, Math.min(limit, countWithin(found, bytesMax)));
  const states = page.filter(({ isDamaged }) => !isDamaged);
  const last = page.length < found.length ? page.at(-1) : undefined;
  return { states, damagedCount: page.length - states.length, ...(last && { nextBefore: last.memory.revision }) };
}

function countWithin(states: Awaited<ReturnType<MemoryStore['revisions']>>, bytesMax: number): number {
  let bytes = 0;
  for (const [at, { memory }] of states.entries()) {
    bytes += Buffer.byteLength(memory.text) + (memory.content?.data.byteLength ?? 0);
    if (at > 0 && bytes > bytesMax) return at;
  }
  return states.length;
}
