import { isDamage } from '../../memory/errors.ts';
import type { Found } from '../found-memories.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import type { Follower } from './follower.ts';

interface Stores {
  readonly hot: HotStore;
  readonly mirror: Mirror;
  readonly follower: Follower;
}

/** What is in the hot store: what is damaged there is mended first, if it can be. */
export async function findMended(stores: Stores, read: Parameters<HotStore['find']>[0]): Promise<Found> {
  const found = await stores.hot.find(read);
  return (await mendHot(stores, read.namespace, found.damagedIds)) ? stores.hot.find(read) : found;
}

/**
 * Mends memories that are damaged in the hot store with their copies, where these are whole and of the state that was damaged.
 * False when none was.
 */
export async function mendHot(
  { hot, mirror, follower }: Stores,
  namespace: string,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return false;
  // What was written last before the damage may not have been copied yet.
  await follower.catchUp(namespace);
  const copies: MirroredMemory[] = [];
  for (const id of ids) {
    try {
      copies.push(...(await mirror.copies({ namespace, ids: [id] })));
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  if (copies.length === 0) return false;
  const mended = await hot.mend({ namespace, copies });
  follower.wake(namespace);
  return mended.length > 0;
}
