import type { Idempotency } from '../../memory/call.ts';
import { isNamespaceMissing, isUnavailable, MnemeError, memoryDamaged, requestIdReused } from '../../memory/errors.ts';
import { tierPolicyOf } from '../../memory/tier-settings.ts';
import { idsOfStore } from '../changed-memory.ts';
import type { MemoryStore, Namespace, NewMemory, StoreWrite, WriteOutcome } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import type { TierStore } from '../tier-store.ts';
import { despiteLoss, isLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import type { Ownership } from './ownership.ts';
import type { WritableScopes } from './writable-scopes.ts';

export interface StoringOptions {
  readonly hot: HotStore;
  readonly cold: StoreBelowOptions['cold'];
  readonly ownership: Ownership;
  readonly follower: Follower;
  readonly writable: WritableScopes;
}

const NAMESPACES_KEPT = 1000;

interface Made {
  readonly namespace: Namespace;
  readonly isNew: boolean;
}

/** Selects the store of a write. */
export class Storing {
  private readonly hot: HotStore;
  private readonly cold: MemoryStore;
  private readonly ownership: Ownership;
  private readonly follower: Follower;
  private readonly writable: WritableScopes;
  /** Without a limit, so that writes need no request before them. */
  private readonly known = new Map<string, Namespace>();
  private readonly turns = new Turns();
  private readonly below: StoreBelow;

  constructor({ hot, cold, ownership, follower, writable }: StoringOptions) {
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
      // Atomic: if another server has stored into it meanwhile, it stays.
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
    // The limit of a namespace and the model of its vectors hold for both stores together.
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

  /**
   * Runs a write that stores one more memory; the limit of a namespace and the model of its vectors hold for both
   * stores together.
   */
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

  private storeWhereItBelongs(write: StoreWrite, isHot: boolean): Promise<WriteOutcome> {
    const { namespace } = write;
    const ids = idsOfStore(write);
    return this.ownership.lookingAgain(namespace, ids, async () => {
      const ownership = isHot ? await this.ownership.seen(namespace) : '';
      if (isHot && (await this.ownership.coldOf(namespace, ids)).length === 0) {
        const outcome = await this.hot.store({ ...write, createNamespace: true, ownership });
        this.below.recent.note(write, outcome);
        return outcome;
      }
      // Its memories are in both stores, or belong to the cold one, which then runs all of it atomically.
      const inHot = await this.ownership.hotOf(namespace, ids);
      const [damaged] = await this.ownership.takeOver(namespace, [...inHot.keys()]);
      // It stays in its store: stored in the cold store as well, it would have two owners.
      if (damaged !== undefined) throw memoryDamaged(namespace, damaged);
      return this.inCold(write, ids, () => this.cold.store({ ...write, mustOwn: true }));
    });
  }

  /** Makes sure that the hot store has not run a write, and that no copy counts as a memory. */
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

/** Runs work on the same key in sequence. */
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

/** An instant before any expiry. */
const ALWAYS = 0;

/** Stores new memories in long-term memory while the hot store does not accept them, where the settings allow it. */
class StoreBelow {
  /** The hot store has acknowledged it: a repeated request must not be run here. */
  readonly recent = new RecentWrites();
  private readonly options: StoreBelowOptions;

  constructor(options: StoreBelowOptions) {
    this.options = options;
  }

  /** `undefined` where the write must fail with the hot store's error. */
  async store(namespace: Namespace, write: StoreWrite, error: unknown): Promise<WriteOutcome | undefined> {
    if (!isLost(error) || !(await this.isAskedFor(namespace, write))) return undefined;
    // Only the hot store knows the revisions of its memories.
    if (write.expectedRevisions || write.erasedIds) return undefined;
    const kept = this.recent.outcomeOf(write);
    if (kept) return kept;
    const { hot, cold, follower } = this.options;
    const ids = write.memories.map(({ id }) => id);
    const known = await cold.get({ namespace: namespace.name, ids, view: 'metadata', nowUs: ALWAYS });
    // The hot store may own existing memories.
    if (known.some((memory) => memory)) return undefined;
    // The write may have taken effect, or may still do so when the hot store recovers.
    follower.noteDetour(namespace.name);
    const memories = write.memories.map((memory) => ({ ...memory, tier: 'long_term' as const }));
    const detour = { around: 'short_term', storedIn: 'long_term', reason: error.message } as const;
    try {
      const revisionFloor = hot.revision;
      return await cold.store({ ...write, memories, onConflict: 'fail', detour, revisionFloor });
    } catch (failure) {
      // It has taken effect in the hot store after all, which has just recovered: a repeated request gets its answer
      // there.
      if (failure instanceof MnemeError && failure.reason === 'MEMORY_EXISTS') return undefined;
      throw failure;
    }
  }

  private async isAskedFor({ name, embeddingDimension }: Namespace, { memories }: StoreWrite): Promise<boolean> {
    // One store alone cannot decide the model of a namespace's vectors.
    if (embeddingDimension === 0 && memories.some(({ embedding }) => embedding)) return false;
    const { tiers } = this.options.cold;
    const { whenLost, longTermTypes } = tierPolicyOf(await tiers.tierSettings(''), await tiers.tierSettings(name));
    if (whenLost !== 'store_below') return false;
    return longTermTypes.length === 0 || memories.every(({ type }) => longTermTypes.includes(type));
  }
}

/** It does not answer, or has no memory left for new data. */
function isLost(error: unknown): error is MnemeError {
  const isFull = error instanceof MnemeError && error.reason === 'STORAGE_FULL';
  if (!isFull && !isUnavailable(error)) return false;
  // The loss is being repaired; then it continues.
  return error.metadata['backend'] === 'redis' && !isLoss(error);
}

/** Maximum receipts of all outcomes together: some 10 MB. */
const RECEIPTS_MAX = 50_000;

interface Write {
  readonly namespace: string;
  readonly idempotency?: Idempotency;
}

/** Outcomes of the latest writes by their request ids, for when the store that holds them does not answer. */
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
    throw requestIdReused(requestId);
  }
}
