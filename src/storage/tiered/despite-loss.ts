import { isNamespaceMissing, isUnavailable } from '../../memory/errors.ts';
import type { Follower } from './follower.ts';

/** The hot store answers, and lacks what was seen in it. */
const LOSSES: ReadonlySet<string | undefined> = new Set(['flushed', 'rolled_back']);

/** Whether it failed because the hot store has lost something that is not made good yet: nothing was written then. */
export function isLoss(error: unknown): boolean {
  return isUnavailable(error) && LOSSES.has(error.metadata['fault']);
}

/**
 * Does work, and where it meets a loss of the hot store all of it once more, as soon as the loss is made good: memories have
 * other homes then, and the work looks for them anew. Not to be called where copies are kept from being made
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
    // Nothing was copied of a namespace that is not there: nothing of it is missing.
    if (isNamespaceMissing(error)) return true;
    follower.onFailure(namespace, error);
    return false;
  }
}
