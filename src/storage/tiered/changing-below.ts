import { isDamage, MnemeError } from '../../memory/errors.ts';
import { ChangedBelow } from '../changed-below.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { DeleteOutcome, DeleteWrite, MemoryStore, UpdateWrite, WriteOutcome } from '../memory-store.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import type { Follower } from './follower.ts';

export interface ChangingBelowOptions {
  readonly hot: HotStore;
  readonly cold: MemoryStore & { readonly tiers: Mirror };
  readonly follower: Follower;
}

const ATTEMPTS_MAX = 50;
/** An instant at which nothing has expired. */
const ALWAYS = 0;

/**
 * Changes memories that are at home in the cold store of this server, and perhaps of others over the same hot store. Each
 * holds its own: so the change goes into the hot store's log, and every server, this one included, does to what it holds
 * what the log tells.
 */
export class ChangingBelow {
  private readonly options: ChangingBelowOptions;

  constructor(options: ChangingBelowOptions) {
    this.options = options;
  }

  /** Nothing when there is no log to tell of it, or what is there has to be changed where it is. */
  async update(write: UpdateWrite): Promise<WriteOutcome | undefined> {
    const { hot, follower } = this.options;
    const { namespace, id } = write;
    if (write.dropsFormer || !(await this.isShared(namespace))) return undefined;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      await follower.catchUp(namespace);
      const followedRevision = follower.revisionOf(namespace);
      const below = await this.copyOf(namespace, id);
      if (!below) return undefined;
      try {
        const outcome = await hot.rewrite({ ...write, below, followedRevision });
        await follower.catchUp(namespace);
        return outcome;
      } catch (error) {
        if (!(error instanceof ChangedBelow)) throw error;
      }
    }
    throw new MnemeError('OVERLOADED', `too many memories of namespaces/${namespace} change their tier at once`);
  }

  /** As a whole or not at all, also of memories that are in the hot store. */
  async delete(write: DeleteWrite): Promise<DeleteOutcome | undefined> {
    const { hot, cold, follower } = this.options;
    const { namespace, ids } = write;
    // Each server notices by itself what has expired.
    if (write.cause === 'expired' || !(await this.isShared(namespace))) return undefined;
    await follower.catchUp(namespace);
    const held = await cold.get({ namespace, ids, view: 'metadata', nowUs: ALWAYS });
    const below = held.filter((memory) => memory !== undefined);
    const outcome = await hot.deleteWith({ ...write, below });
    await follower.catchUp(namespace);
    return outcome;
  }

  private async isShared(namespace: string): Promise<boolean> {
    return (await this.options.hot.find({ namespace, ids: [], view: 'metadata' })).isThere;
  }

  private async copyOf(namespace: string, id: string): Promise<MirroredMemory | undefined> {
    try {
      const [copy] = await this.options.cold.tiers.copies({ namespace, ids: [id] });
      return copy;
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }
}
