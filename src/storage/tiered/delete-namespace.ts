import type { DeleteOutcome, MemoryStore } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import type { Follower } from './follower.ts';

interface Stores {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly follower: Follower;
  /** Told before a namespace is deleted. */
  readonly onDelete: ((namespace: string) => Promise<void>) | undefined;
  getNamespace(name: string): Promise<unknown>;
}

/** First what can be deleted twice, then the namespace in the store whose it is: a process may end between any two steps. */
export async function deleteNamespace(
  stores: Stores,
  write: Parameters<MemoryStore['deleteNamespace']>[0],
): Promise<DeleteOutcome> {
  const { hot, cold, follower, onDelete } = stores;
  const { name, force, atUs } = write;
  await stores.getNamespace(name);
  await follower.catchUp(name);
  if (!force) {
    const counts = await cold.count({ namespace: name, nowUs: atUs });
    if (counts.size > 0) return cold.deleteNamespace(write);
  }
  await onDelete?.(name);
  // The log tells of it to every server, and to this one if it ends in between.
  const outcome = await follower.undisturbed(name, async () => {
    const { isThere } = await hot.find({ namespace: name, ids: [], view: 'metadata' });
    if (isThere) await hot.deleteNamespace({ name, force, atUs });
    return cold.deleteNamespace(write);
  });
  follower.forget(name);
  return outcome;
}
