import type { Idempotency } from '../../memory/call.ts';
import { isNamespaceMissing, isUnavailable, MnemeError, memoryDamaged } from '../../memory/errors.ts';
import { tierPolicyOf } from '../../memory/tier-settings.ts';
import type { MemoryStore, Namespace, NewMemory, StoreWrite, WriteOutcome } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import type { TierStore } from '../tier-store.ts';
import { despiteLoss, isLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import type { Ownership } from './ownership.ts';
import type { OwnershipLock } from './ownership-lock.ts';
import type { WritableScopes } from './writable-scopes.ts';

export interface StoringOptions {
  readonly hot: HotStore;
  readonly cold: StoreBelowOptions['cold'];
  readonly ownership: Ownership;
  readonly follower: Follower;
  readonly lock: OwnershipLock;
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
  private readonly ownership: Ownership;
  private readonly follower: Follower;
  private readonly lock: OwnershipLock;
  private readonly writable: WritableScopes;
  /** Without a limit, and so without anything that must be asked for before each write. */
  private readonly known = new Map<string, Namespace>();
  private readonly turns = new Turns();
  private readonly below: StoreBelow;

  constructor({ hot, cold, ownership, follower, lock, writable }: StoringOptions) {
    this.lock = lock;
    this.writable = writable;
    this.below = new StoreBelow({ hot, cold, follower });
    this.hot = hot;
    this.cold = cold;
    this.ownership = ownership;
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
      // As a whole or not at all: another server may have stored into it meanwhile, and then it stays.
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
    if (isHot && (await this.ownership.coldOf(namespace, ids)).length === 0) {
      const outcome = await this.hot.store({ ...write, createNamespace: true });
      this.below.recent.note(write, outcome);
      return outcome;
    }
    // What it is about is in both stores, or belongs into the cold one: that one does all of it, as a whole.
    return this.lock.keep(namespace, async () => {
      const inHot = await this.ownership.hotOf(namespace, ids);
      const [damaged] = await this.ownership.takeOver(namespace, [...inHot.keys()]);
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
    await this.ownership.coldOf(namespace, ids);
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

/** Lets those who work on the same thing do it one after the other. */
class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => undefined);
    this.last.set(name, settled);
    try {
      return await mine;
    } finally {
      if (this.last.get(name) === settled) this.last.delete(name);
    }
  }
}

interface StoreBelowOptions {
  readonly hot: Pick<HotStore, 'revision'>;
  readonly cold: MemoryStore & { readonly tiers: Pick<TierStore, 'tierSettings'> };
  readonly follower: Follower;
}

/** An instant at which nothing has expired. */
const ALWAYS = 0;

/** Stores new memories in long-term memory while the hot store does not take them, where the settings ask for it. */
class StoreBelow {
  /** What the hot store has acknowledged: asked for again, it must not be done here once more. */
  readonly recent = new RecentWrites();
  private readonly options: StoreBelowOptions;

  constructor(options: StoreBelowOptions) {
    this.options = options;
  }

  /** `undefined` where the write must fail as it did in the hot store: with the error given. */
  async store(namespace: Namespace, write: StoreWrite, error: unknown): Promise<WriteOutcome | undefined> {
    if (!isLost(error) || !(await this.isAskedFor(namespace, write))) return undefined;
    // Which revisions its memories have is known to the hot store alone.
    if (write.expectedRevisions) return undefined;
    const kept = this.recent.outcomeOf(write);
    if (kept) return kept;
    const { hot, cold, follower } = this.options;
    const ids = write.memories.map(({ id }) => id);
    const known = await cold.get({ namespace: namespace.name, ids, view: 'metadata', nowUs: ALWAYS });
    // Of what is there already the hot store may be the home.
    if (known.some((memory) => memory)) return undefined;
    // The write may have taken effect, and may still do so when the hot store goes on.
    follower.noteDetour(namespace.name);
    const memories = write.memories.map((memory) => ({ ...memory, tier: 'long_term' as const }));
    const detour = { around: 'short_term', storedIn: 'long_term', reason: error.message } as const;
    try {
      const revisionFloor = hot.revision;
      return await cold.store({ ...write, memories, onConflict: 'fail', detour, revisionFloor });
    } catch (failure) {
      // It has taken effect in the hot store after all, which has just gone on: repeated, it is answered from there.
      if (failure instanceof MnemeError && failure.reason === 'MEMORY_EXISTS') return undefined;
      throw failure;
    }
  }

  private async isAskedFor({ name, embeddingDimension }: Namespace, { memories }: StoreWrite): Promise<boolean> {
    // Which vectors a namespace takes is not decided by one of two stores alone.
    if (embeddingDimension === 0 && memories.some(({ embedding }) => embedding)) return false;
    const { tiers } = this.options.cold;
    const { whenLost, longTermTypes } = tierPolicyOf(await tiers.tierSettings(''), await tiers.tierSettings(name));
    if (whenLost !== 'store_below') return false;
    return longTermTypes.length === 0 || memories.every(({ type }) => longTermTypes.includes(type));
  }
}

/** It does not answer, or has no memory left for what is new. */
function isLost(error: unknown): error is MnemeError {
  const isFull = error instanceof MnemeError && error.reason === 'STORAGE_FULL';
  if (!isFull && !isUnavailable(error)) return false;
  // What it has lost is made good, and then it goes on.
  return error.metadata['backend'] === 'redis' && !isLoss(error);
}

/** Receipts of all outcomes together: some 10 MB. */
const RECEIPTS_MAX = 50_000;

interface Write {
  readonly namespace: string;
  readonly idempotency?: Idempotency;
}

/** Outcomes of the latest writes by their request ids, for when the store that keeps them does not answer. */
class RecentWrites {
  private readonly kept = new Map<string, { readonly fingerprint: string; readonly outcome: WriteOutcome }>();

  private receiptCount = 0;

  note({ namespace, idempotency }: Write, outcome: WriteOutcome): void {
    if (!idempotency) return;
    const key = `${namespace}/${idempotency.requestId}`;
    this.forget(key);
    this.kept.set(key, { fingerprint: idempotency.fingerprint, outcome });
    this.receiptCount += outcome.memories.length;
    for (const oldest of this.kept.keys()) {
      if (this.receiptCount <= RECEIPTS_MAX) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.receiptCount -= this.kept.get(key)?.outcome.memories.length ?? 0;
    this.kept.delete(key);
  }

  /** Fails with REQUEST_ID_REUSED. */
  outcomeOf({ namespace, idempotency }: Write): WriteOutcome | undefined {
    if (!idempotency) return undefined;
    const { requestId, fingerprint } = idempotency;
    const kept = this.kept.get(`${namespace}/${requestId}`);
    if (!kept || kept.fingerprint === fingerprint) return kept?.outcome;
    throw new MnemeError('REQUEST_ID_REUSED', `request_id "${requestId}" was used for another request`, {
      metadata: { request_id: requestId },
    });
  }
}
