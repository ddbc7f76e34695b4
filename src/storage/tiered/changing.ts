import { MnemeError, memoryDamaged } from '../../memory/errors.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import type { Ownership } from './ownership.ts';
import type { Storing } from './storing.ts';
import type { WritableScopes } from './writable-scopes.ts';

type Asked<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: never[]) => infer A ? A : never;

export interface ChangingOptions {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly follower: Follower;
  readonly ownership: Ownership;
  readonly storing: Storing;
  readonly writable: WritableScopes;
  /** Fails where the namespace does not exist. */
  readonly getNamespace: (name: string) => Promise<unknown>;
}

/** Changes memories in the store that owns them, or fails with OVERLOADED while they change their store. */
export class Changing {
  private readonly options: ChangingOptions;

  constructor(options: ChangingOptions) {
    this.options = options;
  }

  update(write: Asked<'update'>): Answer<'update'> {
    const { namespace, id, successor } = write;
    if (!successor) return this.atOwner(namespace, [id], () => this.updateOnce(write));
    const { storing } = this.options;
    const ids = [id, successor.id];
    return storing.inTurn(namespace, successor, () => this.atOwner(namespace, ids, () => this.updateOnce(write)));
  }
  delete(write: Asked<'delete'>): Answer<'delete'> {
    return this.atOwner(write.namespace, write.ids, () => this.deleteOnce(write));
  }
  /** Returns the ids of memories of the upper tiers that the cold store owns. */
  touch(write: Asked<'touch'>): Promise<string[]> {
    const left = new Set(write.ids);
    return this.atOwner(write.namespace, write.ids, () => this.touchOnce(write, left));
  }
  setEmbeddings(write: Asked<'setEmbeddings'>): Promise<void> {
    const ids = write.vectors.map(({ id }) => id);
    return this.atOwner(write.namespace, ids, () => this.setEmbeddingsOnce(write));
  }

  private atOwner<T>(namespace: string, ids: readonly string[], change: () => Promise<T>): Promise<T> {
    const { follower, ownership } = this.options;
    return despiteLoss(follower, namespace, () => ownership.lookingAgain(namespace, ids, change));
  }

  private async updateOnce(write: Asked<'update'>): Answer<'update'> {
    const { hot, cold, ownership, storing, writable } = this.options;
    const { namespace, id, idempotency } = write;
    const kept = await storing.keptInCold(namespace, idempotency);
    if (kept) return kept as Awaited<Answer<'update'>>;
    await writable.checkUpdate(write);
    const ids = write.successor ? [id, write.successor.id] : [id];
    const isAllCold = write.successor !== undefined && (await this.isForCold(namespace, write.successor.id));
    const inCold = () => storing.inCold(write, ids, () => cold.update({ ...write, mustOwn: true }));
    const isHot = (await ownership.hotOf(namespace, [id])).has(id);
    if (isAllCold && isHot) {
      const [damaged] = await ownership.takeOver(namespace, [id]);
      if (damaged !== undefined) throw memoryDamaged(namespace, damaged);
      return this.done(namespace, inCold());
    }
    return this.done(namespace, isHot ? hot.update(write).catch(unlessMoved(inCold)) : inCold());
  }

  /** Whether a new memory belongs to the cold store, or one of its id exists there, so that the write is refused. */
  private async isForCold(namespace: string, id: string): Promise<boolean> {
    const { cold, ownership } = this.options;
    return (await cold.getNamespace(namespace)).memoryLimit > 0 || (await ownership.coldOf(namespace, [id])).length > 0;
  }

  private async deleteOnce(write: Asked<'delete'>): Answer<'delete'> {
    const { hot, cold, ownership, storing, writable } = this.options;
    const { namespace, ids, idempotency } = write;
    const kept = await storing.keptInCold(namespace, idempotency);
    if (kept) return kept as Awaited<Answer<'delete'>>;
    await this.options.getNamespace(namespace);
    if (write.cause !== 'expired') await writable.check(namespace, ids);
    const found = await ownership.hotOf(namespace, ids);
    const inCold = async () => {
      // Atomic: where it concerns both stores, the cold one takes over.
      const damaged = await ownership.takeOver(namespace, [...found.keys()]);
      await ownership.disown(namespace, damaged);
      const outcome = await storing.inCold(write, ids, () => cold.delete({ ...write, mustOwn: true }));
      const { idempotency: _, ...rest } = write;
      if (damaged.length > 0) await hot.delete({ ...rest, ids: damaged, mustExist: false });
      return outcome;
    };
    const isHot = found.size > 0 && ids.every((id) => found.has(id));
    return this.done(namespace, isHot ? hot.delete({ ...write, heldIds: ids }).catch(unlessMoved(inCold)) : inCold());
  }

  /** `left`: the memories that are not touched yet. */
  private async touchOnce({ namespace, atUs }: Asked<'touch'>, left: Set<string>): Promise<string[]> {
    const { hot, cold, ownership } = this.options;
    await this.options.getNamespace(namespace);
    const hotIds = [...(await ownership.hotOf(namespace, [...left])).keys()];
    if (hotIds.length > 0) await hot.touch({ namespace, ids: hotIds, atUs, heldIds: hotIds });
    for (const id of hotIds) left.delete(id);
    const inCold = left.size > 0 ? await ownership.coldOf(namespace, [...left]) : [];
    if (inCold.length === 0) return [];
    await cold.touch({ namespace, ids: inCold, atUs, mustOwn: true });
    const touched = await cold.get({ namespace, ids: inCold, view: 'metadata', nowUs: atUs });
    return touched.flatMap((memory) => (memory && memory.tier !== 'long_term' ? [memory.id] : []));
  }

  private async setEmbeddingsOnce({ namespace, vectors }: Asked<'setEmbeddings'>): Promise<void> {
    const { hot, cold, ownership, follower } = this.options;
    const ids = vectors.map(({ id }) => id);
    const found = await ownership.hotOf(namespace, ids);
    const [forHot, forCold] = [vectors.filter(({ id }) => found.has(id)), vectors.filter(({ id }) => !found.has(id))];
    if (forCold.length > 0) await cold.setEmbeddings({ namespace, vectors: forCold, mustOwn: true });
    if (forHot.length === 0) return;
    await hot.setEmbeddings({ namespace, vectors: forHot });
    // The queue is the cold store's: copies shorten it.
    await follower.catchUp(namespace);
  }

  private async done<O>(namespace: string, write: Promise<O>): Promise<O> {
    const outcome = await write;
    this.options.follower.wake(namespace);
    return outcome;
  }
}

/** Memories missing in the hot store may have moved down after they were found there. */
function unlessMoved<O>(inCold: () => Promise<O>): (error: unknown) => Promise<O> {
  return (error) => {
    if (error instanceof MnemeError && error.reason === 'MEMORY_NOT_FOUND') return inCold();
    throw error;
  };
}
