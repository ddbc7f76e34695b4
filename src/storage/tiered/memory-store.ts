import type { Idempotency } from '../../memory/call.ts';
import type { Clock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import type { MemoryStore, Namespace, StoreWrite } from '../memory-store.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import type { TierStore } from '../tier-store.ts';
import { Follower, type FollowerOptions } from './follower.ts';
import { Homes } from './homes.ts';
import { TieredTiers } from './tiers.ts';
import { Turns } from './turns.ts';

type Asked<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: never[]) => infer A ? A : never;

export interface TieredOptions extends Pick<FollowerOptions, 'onLoss' | 'onFailure'> {
  readonly hot: HotStore;
  readonly cold: MemoryStore & { readonly tiers: TierStore & Mirror };
  readonly clock: Clock;
}

/**
 * New memories and those of the upper tiers in a hot store, all others in a cold one, which also has copies of what is hot:
 * what is asked of many memories at once is asked of it, as soon as the copies are complete. Namespaces are the cold
 * store's.
 */
export class TieredMemoryStore implements MemoryStore {
  readonly tiers: TieredTiers;
  readonly follower: Follower;
  readonly homes: Homes;
  private readonly hot: HotStore;
  private readonly cold: TieredOptions['cold'];
  private readonly turns = new Turns();
  /** Namespaces whose memories are all at home in the cold store for a while. */
  readonly coldOnly = new Set<string>();

  constructor(options: TieredOptions) {
    const { hot, cold } = options;
    this.hot = hot;
    this.cold = cold;
    this.follower = new Follower({ ...options, mirror: cold.tiers });
    this.homes = new Homes({ hot, cold, follower: this.follower });
    this.tiers = new TieredTiers({
      hot,
      cold: cold.tiers,
      homes: this.homes,
      follower: this.follower,
      revision: () => this.revision,
    });
  }

  get revision(): number {
    return Math.max(this.hot.revision, this.cold.revision);
  }

  async store(write: Asked<'store'>): Answer<'store'> {
    const { namespace, idempotency, memories } = write;
    const kept = await this.keptInCold(namespace, idempotency);
    if (kept) return kept as Awaited<Answer<'store'>>;
    const isHot = !this.coldOnly.has(namespace) && memories.every(({ tier }) => tier !== 'long_term');
    const made = await this.madeNamespace(write);
    try {
      return await this.storeInto(made.namespace, write, isHot);
    } catch (error) {
      // As a whole or not at all: somebody else may have stored into it meanwhile, and then it stays.
      const { atUs } = write;
      if (made.isNew) await this.cold.deleteNamespace({ name: namespace, force: false, atUs }).catch(() => undefined);
      throw error;
    }
  }

  private async storeInto(
    { memoryLimit, embeddingDimension }: Namespace,
    write: StoreWrite,
    isHot: boolean,
  ): Answer<'store'> {
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
    this.follower.wake(namespace);
    return outcome;
  }

  async update(write: Asked<'update'>): Answer<'update'> {
    const { namespace, id, idempotency } = write;
    const kept = await this.keptInCold(namespace, idempotency);
    if (kept) return kept as Awaited<Answer<'update'>>;
    const isHot = (await this.homes.hotOf(namespace, [id])).has(id);
    return this.done(
      namespace,
      isHot ? this.hot.update(write) : this.inCold(write, [id], () => this.cold.update(write)),
    );
  }
  async delete(write: Asked<'delete'>): Answer<'delete'> {
    const { namespace, ids, idempotency } = write;
    const kept = await this.keptInCold(namespace, idempotency);
    if (kept) return kept as Awaited<Answer<'delete'>>;
    await this.cold.getNamespace(namespace);
    const hot = await this.homes.hotOf(namespace, ids);
    if (hot.size > 0 && ids.every((id) => hot.has(id))) return this.done(namespace, this.hot.delete(write));
    // As a whole or not at all: where it takes both stores, the cold one takes over.
    await this.homes.takeOver(namespace, [...hot.keys()]);
    return this.done(
      namespace,
      this.inCold(write, ids, () => this.cold.delete(write)),
    );
  }
  async touch(write: Asked<'touch'>): Answer<'touch'> {
    const { namespace, ids, atUs } = write;
    await this.cold.getNamespace(namespace);
    const hot = await this.homes.hotOf(namespace, ids);
    const others = ids.filter((id) => !hot.has(id));
    const inCold = others.length > 0 ? await this.homes.coldOf(namespace, others) : [];
    if (hot.size > 0) await this.hot.touch({ namespace, ids: ids.filter((id) => hot.has(id)), atUs });
    if (inCold.length > 0) await this.cold.touch({ namespace, ids: inCold, atUs });
    return this.done(namespace, Promise.resolve({ revision: this.revision }));
  }
  async setEmbeddings({ namespace, vectors }: Asked<'setEmbeddings'>): Answer<'setEmbeddings'> {
    const hot = await this.homes.hotOf(
      namespace,
      vectors.map(({ id }) => id),
    );
    const [forHot, forCold] = [vectors.filter(({ id }) => hot.has(id)), vectors.filter(({ id }) => !hot.has(id))];
    if (forCold.length > 0) await this.cold.setEmbeddings({ namespace, vectors: forCold });
    if (forHot.length > 0) await this.hot.setEmbeddings({ namespace, vectors: forHot });
    // The queue is the cold store's: it gets shorter with the copies.
    if (forHot.length > 0) await this.follower.catchUp(namespace);
    return { revision: this.revision };
  }
  async postponeEmbedding(write: Asked<'postponeEmbedding'>): Answer<'postponeEmbedding'> {
    await this.cold.postponeEmbedding(write);
  }

  createNamespace(write: Asked<'createNamespace'>): Answer<'createNamespace'> {
    return this.cold.createNamespace(write);
  }
  async updateNamespace(write: Asked<'updateNamespace'>): Answer<'updateNamespace'> {
    return this.cold.updateNamespace(write);
  }
  async deleteNamespace(write: Asked<'deleteNamespace'>): Answer<'deleteNamespace'> {
    const { name, force, atUs, idempotency } = write;
    const kept = await this.keptInCold(name, idempotency);
    if (kept) return kept as Awaited<Answer<'deleteNamespace'>>;
    await this.cold.getNamespace(name);
    await this.follower.catchUp(name);
    if (!force) {
      const counts = await this.cold.count({ namespace: name, nowUs: atUs });
      if (counts.size > 0) return this.cold.deleteNamespace(write);
    }
    const { isThere } = await this.hot.find({ namespace: name, ids: [], view: 'metadata' });
    if (isThere) await this.hot.deleteNamespace({ name, force: true, atUs });
    const outcome = await this.cold.deleteNamespace(write);
    this.follower.forget(name);
    return outcome;
  }

  async get({ namespace, ids, view, nowUs }: Asked<'get'>): Answer<'get'> {
    let found: Awaited<ReturnType<HotStore['find']>>;
    try {
      found = await this.hot.find({ namespace, ids, view });
    } catch (error) {
      return this.getWithoutHot({ namespace, ids, view, nowUs }, error);
    }
    const inHot = (id: string): Memory | undefined => {
      const memory = found.memories.get(id);
      return memory && (memory.expiresAtUs ?? Infinity) > nowUs ? memory : undefined;
    };
    if (found.memories.size === new Set(ids).size) return ids.map(inHot);
    const others = ids.filter((id) => !found.memories.has(id));
    const isCurrent = !found.isThere || this.follower.hasReached(namespace, found.revision);
    if (!isCurrent) {
      const known = await this.cold.get({ namespace, ids: others, view: 'metadata', nowUs });
      if (known.some((memory) => memory)) await this.follower.catchUp(namespace);
    }
    const rest = await this.cold.get({ namespace, ids: others, view, nowUs });
    const byId = new Map(others.map((id, at) => [id, rest[at]]));
    return ids.map((id) => inHot(id) ?? byId.get(id));
  }
  async list(read: Asked<'list'>): Answer<'list'> {
    await this.current(read.namespace);
    return this.cold.list(read);
  }
  async count(read: Asked<'count'>): Answer<'count'> {
    await this.current(read.namespace);
    return this.cold.count(read);
  }
  async revisions(read: Asked<'revisions'>): Answer<'revisions'> {
    await this.current(read.namespace);
    return this.cold.revisions(read);
  }
  async outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    return (await this.cold.outcomeOf(namespace, idempotency)) ?? this.hot.outcomeOf(namespace, idempotency);
  }

  getNamespace(name: string): Answer<'getNamespace'> {
    return this.cold.getNamespace(name);
  }
  listNamespaces(read: Asked<'listNamespaces'>): Answer<'listNamespaces'> {
    return this.cold.listNamespaces(read);
  }
  async listScopes(read: Asked<'listScopes'>): Answer<'listScopes'> {
    await this.current(read.namespace);
    return this.cold.listScopes(read);
  }
  async statistics(namespace?: string): Answer<'statistics'> {
    await (namespace === undefined ? this.follower.settled() : this.current(namespace));
    return this.cold.statistics(namespace);
  }
  async pendingEmbeddings(read: Asked<'pendingEmbeddings'>): Answer<'pendingEmbeddings'> {
    await this.follower.settled();
    return this.cold.pendingEmbeddings(read);
  }
  async expired(read: Asked<'expired'>): Answer<'expired'> {
    await this.follower.settled();
    return this.cold.expired(read);
  }

  describe(): { role: string; technology: string; durability: string }[] {
    return [...this.hot.describe(), ...this.cold.describe()];
  }
  async close(): Promise<void> {
    await this.follower.settled();
    await this.hot.close();
    await this.cold.close();
  }

  /** Copies complete, or the failure of the hot store. */
  private async current(namespace: string): Promise<void> {
    await this.cold.getNamespace(namespace);
    await this.follower.catchUp(namespace);
  }

  private async storeWhereItBelongs(write: StoreWrite, isHot: boolean): Answer<'store'> {
    const { namespace, memories } = write;
    const ids = memories.map(({ id }) => id);
    if (isHot && (await this.homes.coldOf(namespace, ids)).length === 0) {
      return this.hot.store({ ...write, createNamespace: true });
    }
    // What it is about is in both stores, or belongs into the cold one: that one does all of it, as a whole.
    const inHot = await this.homes.hotOf(namespace, ids);
    await this.homes.takeOver(namespace, [...inHot.keys()]);
    return this.inCold(write, ids, () => this.cold.store(write));
  }

  /** Makes sure that nothing of a write was done in the hot store, and that no copy is taken for a memory. */
  private async inCold<O>(
    { namespace, idempotency }: { namespace: string; idempotency?: Idempotency },
    ids: readonly string[],
    write: () => Promise<O>,
  ): Promise<O> {
    const kept = idempotency && (await this.hot.outcomeOf(namespace, idempotency));
    if (kept) return kept as O;
    await this.homes.coldOf(namespace, ids);
    return write();
  }

  private async done<O>(namespace: string, write: Promise<O>): Promise<O> {
    const outcome = await write;
    this.follower.wake(namespace);
    return outcome;
  }

  private async keptInCold(namespace: string, idempotency: Idempotency | undefined): Promise<unknown> {
    return idempotency && this.cold.outcomeOf(namespace, idempotency);
  }

  private async madeNamespace({
    namespace,
    createNamespace,
    atUs,
  }: StoreWrite): Promise<{ readonly namespace: Namespace; readonly isNew: boolean }> {
    try {
      return { namespace: await this.cold.getNamespace(namespace), isNew: false };
    } catch (error) {
      const isMissing = error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND';
      if (!isMissing || !createNamespace) throw error;
    }
    try {
      const write = { name: namespace, description: '', memoryLimit: 0, atUs };
      return { namespace: (await this.cold.createNamespace(write)).namespace, isNew: true };
    } catch (error) {
      if (!(error instanceof MnemeError) || error.reason !== 'NAMESPACE_EXISTS') throw error;
      return { namespace: await this.cold.getNamespace(namespace), isNew: false };
    }
  }

  /** Long-term memories can be read without the hot store; of others a copy may be old. */
  private async getWithoutHot(read: Asked<'get'>, error: unknown): Answer<'get'> {
    const isLost = error instanceof MnemeError && error.reason === 'STORAGE_UNAVAILABLE';
    if (!isLost) throw error;
    const memories = await this.cold.get(read);
    if (memories.every((memory) => memory?.tier === 'long_term')) return memories;
    throw error;
  }
}
