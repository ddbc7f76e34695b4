import { isOwnerChanged, MnemeError } from '../../memory/errors.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import type { Reembedding, ReembeddingStore, ReembeddingText } from '../reembedding-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { TieredMemoryStore } from './memory-store.ts';

type Write<K extends keyof ReembeddingStore> = Parameters<ReembeddingStore[K]>[0];

export interface TieredReembeddingsOptions {
  readonly hot: HotStore;
  readonly cold: MemoryStore & { readonly reembedding: ReembeddingStore };
  readonly store: TieredMemoryStore;
}

const ROUNDS_MAX = 20;

/** While the cold store recomputes vectors, it owns all memories of the namespace. */
export class TieredReembeddings implements ReembeddingStore {
  private readonly options: TieredReembeddingsOptions;

  constructor(options: TieredReembeddingsOptions) {
    this.options = options;
  }

  async beginReembedding(write: Write<'beginReembedding'>): Promise<boolean> {
    const { cold, store } = this.options;
    await cold.getNamespace(write.namespace);
    store.coldOnly.add(write.namespace);
    const isBegun = await despiteLoss(store.follower, write.namespace, () => this.beginOwning(write));
    if (!isBegun) store.coldOnly.delete(write.namespace);
    return isBegun;
  }
  /** Memories that were moving up before are taken over as well; afterwards none moves up. */
  private async beginOwning(write: Write<'beginReembedding'>): Promise<boolean> {
    const { cold, store } = this.options;
    const { namespace, atUs } = write;
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
      await this.takeOwnership(namespace, atUs);
      try {
        return await cold.reembedding.beginReembedding({ ...write, mustOwn: true });
      } catch (error) {
        if (!isOwnerChanged(error)) throw error;
      }
      await store.ownership.settleAll(namespace);
    }
    throw new MnemeError('OVERLOADED', 'memories change their store faster than they can be embedded again');
  }
  async reembeddings(): Promise<Reembedding[]> {
    const underWay = await this.options.cold.reembedding.reembeddings();
    for (const { namespace } of underWay) this.options.store.coldOnly.add(namespace);
    return underWay;
  }
  reembeddingBatch(read: Write<'reembeddingBatch'>): Promise<ReembeddingText[]> {
    return this.options.cold.reembedding.reembeddingBatch(read);
  }
  setReembedded(write: Write<'setReembedded'>): Promise<void> {
    return this.options.cold.reembedding.setReembedded(write);
  }
  async finishReembedding(write: Write<'finishReembedding'>): Promise<boolean> {
    const isDone = await this.options.cold.reembedding.finishReembedding(write);
    if (isDone) this.options.store.coldOnly.delete(write.namespace);
    return isDone;
  }

  /** Removes the namespace from the hot store, and so the model of the old vectors. */
  private async takeOwnership(namespace: string, atUs: number): Promise<void> {
    const { hot, store } = this.options;
    const { isThere } = await hot.find({ namespace, ids: [], view: 'metadata' });
    if (!isThere) return;
    const ids: string[] = [];
    for await (const id of hot.allIds(namespace)) ids.push(id);
    await store.ownership.takeOver(namespace, ids);
    await hot.deleteNamespace({ name: namespace, force: false, atUs });
  }
}
