import { isUnavailable } from '../../memory/errors.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import { UPPER_TIERS } from '../../memory/tiers.ts';
import type { Degradation, ScoredHit } from '../../recall/recall-engine.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';
import { readWithin } from '../memories/get-memories.ts';
import type { RecallHit, RecallRequest } from './recall-request.ts';

interface ReadHits {
  readonly hits: readonly RecallHit[];
  readonly damagedIds: readonly string[];
  readonly goneIds: readonly string[];
  /** Tiers that were lost between the search and the reading. */
  readonly degraded: readonly Degradation[];
}

/** Reads the hits; one that was erased since the search is left out, one that cannot be read is named. */
export async function readHits(
  store: Pick<MemoryStore, 'get'>,
  { namespace, view, bytesMax = Number.POSITIVE_INFINITY }: RecallRequest,
  scored: readonly ScoredHit[],
  nowUs: Micros,
): Promise<ReadHits> {
  const ids = [...new Set(scored.flatMap((hit) => [hit.id, ...hit.before, ...hit.after]))];
  const memories = new Map<string, Memory>();
  const read = await readPresent(store, { namespace, ids, view, nowUs }, bytesMax);
  for (const memory of read.memories) if (memory) memories.set(memory.id, memory);
  const present = (wanted: readonly string[]): Memory[] =>
    wanted.flatMap((id) => {
      const memory = memories.get(id);
      return memory ? [memory] : [];
    });
  const hits = scored.flatMap(({ id, before, after, ...found }) => {
    const memory = memories.get(id);
    return memory ? [{ memory, ...found, before: present(before), after: present(after) }] : [];
  });
  const { damagedIds, degraded } = read;
  const goneIds = scored.flatMap(({ id }) => (memories.has(id) || damagedIds.includes(id) ? [] : [id]));
  return { hits, damagedIds, goneIds, degraded };
}

type Read = Parameters<MemoryStore['get']>[0];

/** Where the store of some tiers is lost by now, what the others have. */
async function readPresent(store: Pick<MemoryStore, 'get'>, read: Read, bytesMax: number) {
  try {
    return { ...(await readWithin(store, read, bytesMax)), degraded: [] };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const memories: (Memory | undefined)[] = [];
    const damagedIds: string[] = [];
    for (const id of read.ids) {
      try {
        const one = await readWithin(store, { ...read, ids: [id] }, bytesMax);
        memories.push(...one.memories);
        damagedIds.push(...one.damagedIds);
      } catch (failure) {
        if (!isUnavailable(failure)) throw failure;
      }
    }
    if (memories.length === 0) throw error;
    const lost = UPPER_TIERS.map((part) => ({ part, reason: error.message }));
    return { memories, damagedIds, degraded: lost };
  }
}
