import { isNamespaceMissing, isUnavailable } from '../../memory/errors.ts';
import type { Follower } from './follower.ts';

/** The hot store answers, but has lost data that was seen in it. */
const LOSSES: ReadonlySet<string | undefined> = new Set(['flushed', 'rolled_back']);

/** Whether it failed because of an unrepaired loss in the hot store: nothing was written then. */
export function isLoss(error: unknown): boolean {
  return isUnavailable(error) && LOSSES.has(error.metadata['fault']);
}

/**
 * Runs work, and after a loss in the hot store runs all of it once more when the loss is repaired: the owners of
 * memories have changed then, and the work looks them up again. Not to be called where copying is suspended
 * (`Follower.undisturbed`).
 */
export async function despiteLoss<T>(
  follower: Pick<Follower, 'catchUp' | 'onFailure'>,
  namespace: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isLoss(error)) throw error;
    if (!(await isMadeGood(follower, namespace))) throw error;
    return work();
  }
}

async function isMadeGood(follower: Pick<Follower, 'catchUp' | 'onFailure'>, namespace: string): Promise<boolean> {
  try {
    await follower.catchUp(namespace);
    return true;
  } catch (error) {
    // A namespace that does not exist was never copied, so it has lost nothing.
    if (isNamespaceMissing(error)) return true;
    follower.onFailure(namespace, error);
    return false;
  }
}
