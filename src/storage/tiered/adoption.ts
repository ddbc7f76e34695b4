import type { Clock } from '../../memory/clock.ts';
import { isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import type { MemoryStore, Namespace } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';

interface Stores {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly follower: Follower;
  readonly clock: Clock;
}

/**
 * A namespace, made here where another server has made it in the hot store that both share. Fails with
 * NAMESPACE_NOT_FOUND, and with STORAGE_UNAVAILABLE where nobody can tell.
 */
export async function adopted({ hot, cold, follower, clock }: Stores, name: string): Promise<Namespace> {
  try {
    return await cold.getNamespace(name);
  } catch (error) {
    const find = () => hot.find({ namespace: name, ids: [], view: 'metadata' });
    if (!isNamespaceMissing(error) || !(await despiteLoss(follower, name, find)).isThere) throw error;
  }
  try {
    const write = { name, description: '', memoryLimit: 0, atUs: clock.nowUs() };
    return (await cold.createNamespace(write)).namespace;
  } catch (error) {
    if (!(error instanceof MnemeError) || error.reason !== 'NAMESPACE_EXISTS') throw error;
    return cold.getNamespace(name);
  }
}
