import type { Idempotency } from '../../memory/call.ts';
import { isNamespaceMissing, MnemeError, memoryDamaged } from '../../memory/errors.ts';
import type { MemoryStore, Namespace, NewMemory, StoreWrite, WriteOutcome } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import type { HomeLock } from './home-lock.ts';
import type { Homes } from './homes.ts';
import { StoreBelow, type StoreBelowOptions } from './store-below.ts';
import { Turns } from './turns.ts';
import type { WritableScopes } from './writable-scopes.ts';

export interface StoringOptions {
  readonly hot: HotStore;
  readonly cold: StoreBelowOptions['cold'];
  readonly homes: Homes;
  readonly follower: Follower;
  readonly lock: HomeLock;
  readonly writable: WritableScopes;
}

const NAMESPACES_KEPT = 1000;

interface Made {
  readonly namespace: Namespace;
  readonly isNew: boolean;
}

/** Finds the store that a write belongs into. */
export class Storing {
  private readonly hot: HotStore;
  private readonly cold: MemoryStore;
  private readonly homes: Homes;
  private readonly follower: Follower;
  private readonly lock: HomeLock;
  private readonly writable: WritableScopes;
  /** Without a limit, and so without anything that must be asked for before each write. */
  private readonly known = new Map<string, Namespace>();
  private readonly turns = new Turns();
  private readonly below: StoreBelow;

  constructor({ hot, cold, homes, follower, lock, writable }: StoringOptions) {
    this.lock = lock;
    this.writable = writable;
    this.below = new StoreBelow({ hot, cold, follower });
    this.hot = hot;
    this.cold = cold;
    this.homes = homes;
    this.follower = follower;
  }

  store(write: StoreWrite, mayBeHot: boolean): Promise<WriteOutcome> {
    return despiteLoss(this.follower, write.namespace, () => this.storeOnce(write, mayBeHot));
  }

  private async storeOnce(write: StoreWrite, mayBeHot: boolean): Promise<WriteOutcome> {
    await this.writable.checkStore(write);
    const { namespace, idempotency, memories } = write;
    const kept = await this.keptInCold(namespace, idempotency);
    if (kept) return kept as WriteOutcome;
    const isHot = mayBeHot && memories.every(({ tier }) => tier !== 'long_term');
    const made = this.knownNamespace(write) ?? (await this.madeNamespace(write));
    try {
      return await this.storeInto(made.namespace, write, isHot);
    } catch (error) {
      const below = await this.below.store(made.namespace, write, error);
      if (below) return below;
      // As a whole or not at all: somebody else may have stored into it meanwhile, and then it stays.
      const { atUs } = write;
      this.forget(namespace);
      if (made.isNew) await this.cold.deleteNamespace({ name: namespace, force: false, atUs }).catch(() => undefined);
      throw error;
    }
  }

  private async storeInto(
    { memoryLimit, embeddingDimension }: Namespace,
    write: StoreWrite,
    isHot: boolean,
  ): Promise<WriteOutcome> {
    const { namespace, memories } = write;
    const isFirstVector = embeddingDimension === 0 && memories.some(({ embedding }) => embedding);
    // The limit of a namespace and the model of its vectors are of both stores together.
    if (memoryLimit > 0 || isFirstVector) {
      return this.turns.take(namespace, async () => {
        await this.follower.catchUp(namespace);
        const outcome = await this.storeWhereItBelongs(write, isHot && memoryLimit === 0);
        await this.follower.catchUp(namespace);
        return outcome;
      });
    }
    const outcome = await this.storeWhereItBelongs(write, isHot);
    await this.follower.keepUp(namespace, memories.length);
    return outcome;
  }

  /** Runs what stores one more memory; the limit of a namespace and the model of its vectors are of both stores together. */
  async inTurn<O>(namespace: string, { embedding }: NewMemory, store: () => Promise<O>): Promise<O> {
    const { memoryLimit, embeddingDimension } = await this.cold.getNamespace(namespace);
    if (memoryLimit === 0 && (embeddingDimension > 0 || !embedding)) return store();
    return this.turns.take(namespace, async () => {
      await this.follower.catchUp(namespace);
      const outcome = await store();
      await this.follower.catchUp(namespace);
      return outcome;
    });
  }

  /** Outcome of a write that was done in the cold store. */
  async keptInCold(namespace: string, idempotency: Idempotency | undefined): Promise<unknown> {
    return idempotency && this.cold.outcomeOf(namespace, idempotency);
  }

  async outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    const kept = await this.keptInCold(namespace, idempotency);
    return kept ?? despiteLoss(this.follower, namespace, () => this.hot.outcomeOf(namespace, idempotency));
  }

  private async storeWhereItBelongs(write: StoreWrite, isHot: boolean): Promise<WriteOutcome> {
    const { namespace, memories } = write;
    const ids = memories.map(({ id }) => id);
    if (isHot && (await this.homes.coldOf(namespace, ids)).length === 0) {
      const outcome = await this.hot.store({ ...write, createNamespace: true });
      this.below.recent.note(write, outcome);
      return outcome;
    }
    // What it is about is in both stores, or belongs into the cold one: that one does all of it, as a whole.
    return this.lock.keep(namespace, async () => {
      const inHot = await this.homes.hotOf(namespace, ids);
      const [damaged] = await this.homes.takeOver(namespace, [...inHot.keys()]);
      // It stays where it is: stored in the cold store as well it would have two homes.
      if (damaged !== undefined) throw memoryDamaged(namespace, damaged);
      return this.inCold(write, ids, () => this.cold.store(write));
    });
  }

  /** Makes sure that nothing of a write was done in the hot store, and that no copy is taken for a memory. */
  async inCold<O>(
    { namespace, idempotency }: { namespace: string; idempotency?: Idempotency },
    ids: readonly string[],
    write: () => Promise<O>,
  ): Promise<O> {
    const kept = idempotency && (await this.hot.outcomeOf(namespace, idempotency));
    if (kept) return kept as O;
    await this.homes.coldOf(namespace, ids);
    return write();
  }

  /** To be called before a namespace is changed or deleted, and after. */
  forget(namespace: string): void {
    this.known.delete(namespace);
  }

  private knownNamespace({ namespace, memories }: StoreWrite): Made | undefined {
    const known = this.known.get(namespace);
    if (!known || (known.embeddingDimension === 0 && memories.some(({ embedding }) => embedding))) return undefined;
    return { namespace: known, isNew: false };
  }

  private async madeNamespace({ namespace, createNamespace, atUs }: StoreWrite): Promise<Made> {
    try {
      const found = await this.cold.getNamespace(namespace);
      if (this.known.size >= NAMESPACES_KEPT) this.known.clear();
      if (found.memoryLimit === 0) this.known.set(namespace, found);
      return { namespace: found, isNew: false };
    } catch (error) {
      if (!isNamespaceMissing(error) || !createNamespace) throw error;
    }
    try {
      const write = { name: namespace, description: '', memoryLimit: 0, atUs };
      return { namespace: (await this.cold.createNamespace(write)).namespace, isNew: true };
    } catch (error) {
      if (!(error instanceof MnemeError) || error.reason !== 'NAMESPACE_EXISTS') throw error;
      return { namespace: await this.cold.getNamespace(namespace), isNew: false };
    }
  }
}
