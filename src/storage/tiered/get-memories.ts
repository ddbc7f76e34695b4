import { isUnavailable, memoryDamaged } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import { findMended } from './mend-hot.ts';

interface Stores {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly mirror: Mirror;
  readonly follower: Follower;
}
type Read = Parameters<MemoryStore['get']>[0];

/** What the hot store has, and for the rest the cold one, whose copies must not be taken for memories. */
export async function getMemories(
  { hot, cold, mirror, follower }: Stores,
  read: Read,
): Promise<(Memory | undefined)[]> {
  const { namespace, ids, view, nowUs } = read;
  let found: Awaited<ReturnType<HotStore['find']>>;
  try {
    found = await despiteLoss(follower, namespace, () =>
      findMended({ hot, mirror, follower }, { namespace, ids, view }),
    );
  } catch (error) {
    return getWithoutHot(cold, read, error);
  }
  const [damagedId] = view === 'metadata' ? found.lostIds : found.damagedIds;
  if (damagedId !== undefined) throw memoryDamaged(namespace, damagedId);
  const inHot = (id: string): Memory | undefined => {
    const memory = found.memories.get(id);
    return memory && (memory.expiresAtUs ?? Infinity) > nowUs ? memory : undefined;
  };
  if (ids.every((id) => found.memories.has(id))) return ids.map(inHot);
  const others = ids.filter((id) => !found.memories.has(id));
  // A room that was never there has nothing to tell of.
  const isCurrent = found.revision === 0 || follower.hasReached(namespace, found.revision);
  // The copy of one that was deleted may be there still, and that of one that another server moved down may be missing.
  if (!isCurrent) await follower.catchUp(namespace);
  const rest = await cold.get({ namespace, ids: others, view, nowUs });
  const byId = new Map(others.map((id, at) => [id, rest[at]]));
  return ids.map((id) => inHot(id) ?? byId.get(id));
}
/** Long-term memories can be read without the hot store; of others a copy may be old. */
async function getWithoutHot(cold: MemoryStore, read: Read, error: unknown): Promise<(Memory | undefined)[]> {
  if (!isUnavailable(error)) throw error;
  const memories = await cold.get(read);
  if (memories.every((memory) => memory?.tier === 'long_term')) return memories;
  throw error;
}
