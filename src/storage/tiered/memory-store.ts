import type { Idempotency } from '../../memory/call.ts';
import type { Clock } from '../../memory/clock.ts';
import { isNamespaceMissing, isUnavailable, MnemeError, memoryDamaged } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import type { DeleteOutcome, MemoryStore, Namespace, StoreStatistics } from '../memory-store.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import type { ScopePolicies } from '../scope-policies.ts';
import type { TierStore } from '../tier-store.ts';
import { Changing } from './changing.ts';
import { despiteLoss } from './despite-loss.ts';
import { Follower, type FollowerOptions } from './follower.ts';
import { findRepaired, Ownership } from './ownership.ts';
import { Storing } from './storing.ts';
import { TieredTiers } from './tiers.ts';
import { WritableScopes } from './writable-scopes.ts';

type Asked<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: never[]) => infer A ? A : never;

export interface TieredOptions extends Pick<FollowerOptions, 'onLoss' | 'onFailure' | 'mayLag'> {
  readonly hot: HotStore;
  readonly cold: MemoryStore & {
    readonly tiers: TierStore & Mirror;
    /** Changes of this store have revisions above it. */
    revisionFloor?: (() => number) | undefined;
  };
  readonly clock: Clock;
  /** Absent: no scope is read-only. */
  readonly policies?: Pick<ScopePolicies, 'list'>;
  /** Called before a namespace is deleted. */
  readonly onDelete?: (namespace: string) => Promise<void>;
}

/**
 * New memories and those of the upper tiers are in a hot store, all others in a cold one, which also has copies of hot
 * memories: it answers reads over many memories, once the copies are complete. The cold store owns namespaces.
 */
export class TieredMemoryStore implements MemoryStore {
  readonly tiers: TieredTiers;
  readonly follower: Follower;
  readonly ownership: Ownership;
  readonly hot: HotStore;
  readonly cold: TieredOptions['cold'];
  readonly clock: Clock;
  readonly onDelete: TieredOptions['onDelete'];
  private readonly storing: Storing;
  private readonly changing: Changing;
  private readonly writable: WritableScopes;
  /** Namespaces whose memories the cold store temporarily owns. */
  readonly coldOnly = new Set<string>();

  constructor(options: TieredOptions) {
    const { hot, cold } = options;
    this.hot = hot;
    this.cold = cold;
    // A change that was acknowledged before another began has the lower revision, whichever stores made them.
    cold.revisionFloor = () => hot.revision;
    this.clock = options.clock;
    this.onDelete = options.onDelete;
    this.follower = new Follower({ ...options, mirror: cold.tiers });
    this.ownership = new Ownership({ hot, cold, mirror: cold.tiers, follower: this.follower, clock: options.clock });
    this.writable = new WritableScopes({ hot, cold }, options.policies);
    const { ownership, follower, writable } = this;
    this.storing = new Storing({ hot, cold, ownership, follower, writable });
    const { storing } = this;
    const getNamespace = (name: string) => this.getNamespace(name);
    this.changing = new Changing({ hot, cold, ownership, follower, storing, writable, getNamespace });
    this.tiers = new TieredTiers({
      hot,
      cold: cold.tiers,
      ownership: this.ownership,
      follower: this.follower,
      revision: () => this.revision,
      checkThere: (namespace) => cold.getNamespace(namespace),
      mayRise: async (namespace) =>
        !this.coldOnly.has(namespace) && (await cold.getNamespace(namespace)).memoryLimit === 0,
    });
  }

  /** Reads wait until the copies have all acknowledged writes of any server. */
  readonly isShared = true;

  get revision(): number {
    return Math.max(this.hot.revision, this.cold.revision);
  }
  reached(): Promise<number> {
    return Promise.resolve(this.revision);
  }

  store(write: Asked<'store'>): Answer<'store'> {
    return this.storing.store(write, !this.coldOnly.has(write.namespace));
  }
  update(write: Asked<'update'>): Answer<'update'> {
    return this.changing.update(write);
  }
  delete(write: Asked<'delete'>): Answer<'delete'> {
    return this.changing.delete(write);
  }
  async touch(write: Asked<'touch'>): Answer<'touch'> {
    const { namespace } = write;
    const usedBelow = await this.changing.touch(write);
    await this.tiers.bringUp(namespace, usedBelow);
    this.follower.wake(namespace);
    return { revision: this.revision };
  }
  async setEmbeddings(write: Asked<'setEmbeddings'>): Answer<'setEmbeddings'> {
    await this.changing.setEmbeddings(write);
    return { revision: this.revision };
  }
  async postponeEmbedding(write: Asked<'postponeEmbedding'>): Answer<'postponeEmbedding'> {
    await this.cold.postponeEmbedding(write);
  }

  createNamespace(write: Asked<'createNamespace'>): Answer<'createNamespace'> {
    return this.cold.createNamespace(write);
  }
  async updateNamespace(write: Asked<'updateNamespace'>): Answer<'updateNamespace'> {
    this.storing.forget(write.name);
    try {
      return await this.cold.updateNamespace(write);
    } finally {
      this.storing.forget(write.name);
    }
  }
  async deleteNamespace(write: Asked<'deleteNamespace'>): Answer<'deleteNamespace'> {
    const kept = await this.storing.keptInCold(write.name, write.idempotency);
    this.storing.forget(write.name);
    try {
      return kept ? (kept as Awaited<Answer<'deleteNamespace'>>) : await deleteNamespace(this, write);
    } finally {
      this.storing.forget(write.name);
    }
  }

  get(read: Asked<'get'>): Answer<'get'> {
    return getMemories({ hot: this.hot, cold: this.cold, mirror: this.cold.tiers, follower: this.follower }, read);
  }
  async list(read: Asked<'list'>): Answer<'list'> {
    await this.current(read.namespace);
    const page = await this.cold.list(read);
    const { damagedIds = [] } = page;
    // A memory that is damaged here may be intact in the hot store.
    const isRepaired = damagedIds.length > 0 && (await this.ownership.repairCopies(read.namespace, damagedIds));
    return isRepaired ? this.cold.list(read) : page;
  }
  async count(read: Asked<'count'>): Answer<'count'> {
    await this.current(read.namespace);
    return this.cold.count(read);
  }
  async revisions(read: Asked<'revisions'>): Answer<'revisions'> {
    await this.current(read.namespace);
    return this.cold.revisions(read);
  }
  outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    return this.storing.outcomeOf(namespace, idempotency);
  }

  getNamespace(name: string): Answer<'getNamespace'> {
    return adopted(this, name);
  }
  listNamespaces(read: Asked<'listNamespaces'>): Answer<'listNamespaces'> {
    return this.cold.listNamespaces(read);
  }
  async listScopes(read: Asked<'listScopes'>): Answer<'listScopes'> {
    await this.current(read.namespace);
    return this.cold.listScopes(read);
  }
  async statistics(namespace?: string): Answer<'statistics'> {
    if (namespace === undefined) return statisticsOfAll(this);
    await this.current(namespace);
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

  /** Resolves with complete copies, or fails as the hot store does. */
  private async current(namespace: string): Promise<void> {
    await this.getNamespace(namespace);
    await this.follower.catchUp(namespace);
  }
}

/** Totals of all namespaces; where the hot store does not answer, those of its copies, with the reason. */
async function statisticsOfAll({
  cold,
  follower,
}: {
  readonly cold: Pick<MemoryStore, 'statistics'>;
  readonly follower: Pick<Follower, 'followed' | 'catchUp'>;
}): Promise<StoreStatistics> {
  const caughtUp = [...follower.followed.keys()].map((namespace) => follower.catchUp(namespace));
  const failures = (await Promise.allSettled(caughtUp)).flatMap((one): unknown[] =>
    // A deleted namespace has no counts.
    one.status === 'rejected' && !isNamespaceMissing(one.reason) ? [one.reason] : [],
  );
  const lost = failures.find(isUnavailable);
  if (failures.length > 0 && !failures.every(isUnavailable)) throw failures.find((failure) => !isUnavailable(failure));
  const statistics = await cold.statistics();
  return lost ? { ...statistics, degraded: `short_term and intermediate: ${lost.message}` } : statistics;
}

interface Stores {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly follower: Follower;
  readonly clock: Clock;
}

/**
 * A namespace, created here where another server has created it in the shared hot store. Fails with
 * NAMESPACE_NOT_FOUND, and with STORAGE_UNAVAILABLE where its existence is unknown.
 */
async function adopted({ hot, cold, follower, clock }: Stores, name: string): Promise<Namespace> {
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

interface DeletionStores {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly follower: Follower;
  /** Called before a namespace is deleted. */
  readonly onDelete: ((namespace: string) => Promise<void>) | undefined;
  getNamespace(name: string): Promise<unknown>;
}

/**
 * First the repeatable deletions, then the namespace in the store that owns it: a process may end between any two
 * steps.
 */
async function deleteNamespace(
  stores: DeletionStores,
  write: Parameters<MemoryStore['deleteNamespace']>[0],
): Promise<DeleteOutcome> {
  const { hot, cold, follower, onDelete } = stores;
  const { name, force, atUs } = write;
  await stores.getNamespace(name);
  await follower.catchUp(name);
  if (!force) {
    const counts = await cold.count({ namespace: name, nowUs: atUs });
    if (counts.size > 0) return cold.deleteNamespace(write);
  }
  await onDelete?.(name);
  // The log has it for every server, and for this one if it ends in between.
  const outcome = await follower.undisturbed(name, async () => {
    const deleteFromHot = async () => {
      const { isThere } = await hot.find({ namespace: name, ids: [], view: 'metadata' });
      if (isThere) await hot.deleteNamespace({ name, force, atUs });
    };
    await deleteFromHot();
    const deleted = await cold.deleteNamespace(write);
    // A move up that had begun may have created it again; none begins any more.
    await hot.fence(name);
    await deleteFromHot();
    return deleted;
  });
  follower.forget(name);
  return outcome;
}

interface ReadStores {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly mirror: Mirror;
  readonly follower: Follower;
}
type Read = Parameters<MemoryStore['get']>[0];

/** The memories of the hot store, and the rest from the cold one, whose copies must not count as memories. */
async function getMemories({ hot, cold, mirror, follower }: ReadStores, read: Read): Promise<(Memory | undefined)[]> {
  const { namespace, ids, view, nowUs } = read;
  let found: Awaited<ReturnType<HotStore['find']>>;
  try {
    found = await despiteLoss(follower, namespace, () =>
      findRepaired({ hot, mirror, follower }, { namespace, ids, view }),
    );
  } catch (error) {
    return getWithoutHot(cold, read, error);
  }
  const [damagedId] = view === 'metadata' ? found.lostIds : found.damagedIds;
  if (damagedId !== undefined) throw memoryDamaged(namespace, damagedId);
  const inHot = (id: string): Memory | undefined => {
    const memory = found.memories.get(id);
    return memory && (memory.expiresAtUs ?? Infinity) > nowUs ? memory : undefined;
  };
  if (ids.every((id) => found.memories.has(id))) return ids.map(inHot);
  const others = ids.filter((id) => !found.memories.has(id));
  // A namespace that never existed was not lost.
  const isCurrent = found.revision === 0 || follower.hasReached(namespace, found.revision);
  // The copy of a deleted memory may still be there, and that of a memory that another server moved down may be
  // missing.
  if (!isCurrent) await follower.catchUp(namespace);
  const rest = await cold.get({ namespace, ids: others, view, nowUs });
  const byId = new Map(others.map((id, at) => [id, rest[at]]));
  return ids.map((id) => inHot(id) ?? byId.get(id));
}
/** Long-term memories can be read without the hot store; copies of other memories may be outdated. */
async function getWithoutHot(cold: MemoryStore, read: Read, error: unknown): Promise<(Memory | undefined)[]> {
  if (!isUnavailable(error)) throw error;
  const memories = await cold.get(read);
  if (memories.every((memory) => memory?.tier === 'long_term')) return memories;
  throw error;
}
