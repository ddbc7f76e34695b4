import { isDamage, MnemeError, memoryDamaged } from '../../memory/errors.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { DeleteOutcome, DeleteWrite, MemoryStore, UpdateWrite, WriteOutcome } from '../memory-store.ts';
import { ChangedBelow, type HotStore, type Mirror } from '../mirror-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import type { Ownership } from './ownership.ts';
import type { OwnershipLock } from './ownership-lock.ts';
import type { Storing } from './storing.ts';
import type { WritableScopes } from './writable-scopes.ts';

type Asked<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: never[]) => infer A ? A : never;

export interface ChangingOptions extends ChangingBelowOptions {
  readonly ownership: Ownership;
  readonly lock: OwnershipLock;
  readonly storing: Storing;
  readonly writable: WritableScopes;
  /** Fails where the namespace is not there. */
  readonly getNamespace: (name: string) => Promise<unknown>;
}

/** Changes memories in the store that owns them. Meanwhile no memory may pass to the hot store (`OwnershipLock`). */
export class Changing {
  private readonly options: ChangingOptions;
  private readonly below: ChangingBelow;

  constructor(options: ChangingOptions) {
    this.options = options;
    this.below = new ChangingBelow(options);
  }

  update(write: Asked<'update'>): Answer<'update'> {
    const { namespace, successor } = write;
    if (!successor) return this.kept(namespace, () => this.updateKept(write));
    const { storing } = this.options;
    return storing.inTurn(namespace, successor, () => this.kept(namespace, () => this.updateKept(write)));
  }
  delete(write: Asked<'delete'>): Answer<'delete'> {
    return this.kept(write.namespace, () => this.deleteKept(write));
  }
  /** Returns the ids of memories of the upper tiers that the cold store owns. */
  touch(write: Asked<'touch'>): Promise<string[]> {
    return this.kept(write.namespace, () => this.touchKept(write));
  }
  setEmbeddings(write: Asked<'setEmbeddings'>): Promise<void> {
    return this.kept(write.namespace, () => this.setEmbeddingsKept(write));
  }

  private kept<T>(namespace: string, change: () => Promise<T>): Promise<T> {
    const { follower, lock } = this.options;
    return despiteLoss(follower, namespace, () => lock.keep(namespace, change));
  }

  private async updateKept(write: Asked<'update'>): Answer<'update'> {
    const { hot, cold, ownership, storing, writable } = this.options;
    const { namespace, id, idempotency } = write;
    const kept = await storing.keptInCold(namespace, idempotency);
    if (kept) return kept as Awaited<Answer<'update'>>;
    await writable.checkUpdate(write);
    const ids = write.successor ? [id, write.successor.id] : [id];
    const isAllCold = write.successor !== undefined && (await this.isForCold(namespace, write.successor.id));
    const inCold = async () =>
      (isAllCold ? undefined : await this.below.update(write)) ?? storing.inCold(write, ids, () => cold.update(write));
    const isHot = (await ownership.hotOf(namespace, [id])).has(id);
    if (isAllCold && isHot) {
      const [damaged] = await ownership.takeOver(namespace, [id]);
      if (damaged !== undefined) throw memoryDamaged(namespace, damaged);
      return this.done(namespace, inCold());
    }
    return this.done(namespace, isHot ? hot.update(write).catch(unlessMoved(inCold)) : inCold());
  }

  /** Whether a new memory belongs into the cold store, or one of its id is there, which then refuses it. */
  private async isForCold(namespace: string, id: string): Promise<boolean> {
    const { cold, ownership } = this.options;
    return (await cold.getNamespace(namespace)).memoryLimit > 0 || (await ownership.coldOf(namespace, [id])).length > 0;
  }

  private async deleteKept(write: Asked<'delete'>): Answer<'delete'> {
    const { hot, cold, ownership, storing, writable } = this.options;
    const { namespace, ids, idempotency } = write;
    const kept = await storing.keptInCold(namespace, idempotency);
    if (kept) return kept as Awaited<Answer<'delete'>>;
    await this.options.getNamespace(namespace);
    if (write.cause !== 'expired') await writable.check(namespace, ids);
    const found = await ownership.hotOf(namespace, ids);
    const inCold = async () => {
      const told = await this.below.delete(write);
      if (told) return told;
      // As a whole or not at all: where it takes both stores, the cold one takes over.
      await ownership.takeOver(namespace, [...found.keys()]);
      return storing.inCold(write, ids, () => cold.delete(write));
    };
    const isHot = found.size > 0 && ids.every((id) => found.has(id));
    return this.done(namespace, isHot ? hot.delete(write).catch(unlessMoved(inCold)) : inCold());
  }

  private async touchKept({ namespace, ids, atUs }: Asked<'touch'>): Promise<string[]> {
    const { hot, cold, ownership } = this.options;
    await this.options.getNamespace(namespace);
    const found = await ownership.hotOf(namespace, ids);
    const others = ids.filter((id) => !found.has(id));
    const inCold = others.length > 0 ? await ownership.coldOf(namespace, others) : [];
    if (found.size > 0) await hot.touch({ namespace, ids: ids.filter((id) => found.has(id)), atUs });
    if (inCold.length === 0) return [];
    await cold.touch({ namespace, ids: inCold, atUs });
    const touched = await cold.get({ namespace, ids: inCold, view: 'metadata', nowUs: atUs });
    return touched.flatMap((memory) => (memory && memory.tier !== 'long_term' ? [memory.id] : []));
  }

  private async setEmbeddingsKept({ namespace, vectors }: Asked<'setEmbeddings'>): Promise<void> {
    const { hot, cold, ownership, follower } = this.options;
    const ids = vectors.map(({ id }) => id);
    const found = await ownership.hotOf(namespace, ids);
    const [forHot, forCold] = [vectors.filter(({ id }) => found.has(id)), vectors.filter(({ id }) => !found.has(id))];
    if (forCold.length > 0) await cold.setEmbeddings({ namespace, vectors: forCold });
    if (forHot.length === 0) return;
    await hot.setEmbeddings({ namespace, vectors: forHot });
    // The queue is the cold store's: it gets shorter with the copies.
    await follower.catchUp(namespace);
  }

  private async done<O>(namespace: string, write: Promise<O>): Promise<O> {
    const outcome = await write;
    this.options.follower.wake(namespace);
    return outcome;
  }
}

/** What the hot store no longer has may have moved down after it was found there. */
function unlessMoved<O>(inCold: () => Promise<O>): (error: unknown) => Promise<O> {
  return (error) => {
    if (error instanceof MnemeError && error.reason === 'MEMORY_NOT_FOUND') return inCold();
    throw error;
  };
}

interface ChangingBelowOptions {
  readonly hot: HotStore;
  readonly cold: MemoryStore & { readonly tiers: Mirror };
  readonly follower: Follower;
}

const ATTEMPTS_MAX = 50;
/** An instant at which nothing has expired. */
const ALWAYS = 0;

/**
 * Changes memories that the cold store of this server owns, and perhaps those of others over the same hot store. Each
 * holds its own: so the change goes into the hot store's log, and every server, this one included, does to what it holds
 * what the log has.
 */
class ChangingBelow {
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
