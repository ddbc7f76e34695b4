import { isUnavailable, MnemeError } from '../../memory/errors.ts';
import { tierPolicyOf } from '../../memory/tier-settings.ts';
import type { MemoryStore, Namespace, StoreWrite, WriteOutcome } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import type { TierStore } from '../tier-store.ts';
import { isLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import { RecentWrites } from './recent-writes.ts';

export interface StoreBelowOptions {
  readonly hot: Pick<HotStore, 'revision'>;
  readonly cold: MemoryStore & { readonly tiers: Pick<TierStore, 'tierSettings'> };
  readonly follower: Follower;
}

/** An instant at which nothing has expired. */
const ALWAYS = 0;

/** Stores new memories in long-term memory while the hot store does not take them, where the settings ask for it. */
export class StoreBelow {
  /** What the hot store has acknowledged: asked for again, it must not be done here once more. */
  readonly recent = new RecentWrites();
  private readonly options: StoreBelowOptions;

  constructor(options: StoreBelowOptions) {
    this.options = options;
  }

  /** `undefined` where the write must fail as it did in the hot store: with the error given. */
  async store(namespace: Namespace, write: StoreWrite, error: unknown): Promise<WriteOutcome | undefined> {
    if (!isLost(error) || !(await this.isAskedFor(namespace, write))) return undefined;
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
