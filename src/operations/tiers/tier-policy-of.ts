import type { Clock } from '../../memory/clock.ts';
import type { TierPolicy } from '../../memory/tier-policy.ts';
import { tierPolicyOf } from '../../memory/tier-settings.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';
import type { TierStore } from '../../storage/tier-store.ts';
import type { MemoryPressure } from './memory-pressure.ts';

/** What operations on tiers work with. */
export interface TierDeps {
  readonly store: MemoryStore;
  readonly tiers: TierStore;
  readonly clock: Clock;
  /** Absent where nothing has a limit. */
  readonly pressure?: MemoryPressure;
  /** What maintenance waits for before each part of its moves: those who are told of writes come first. */
  readonly othersFirst?: () => Promise<void>;
}

/** How the tiers of a namespace are kept: its own settings over those of the server. */
export async function policyOf(
  { tiers }: { readonly tiers: Pick<TierStore, 'tierSettings'> },
  namespace: string,
): Promise<TierPolicy> {
  const [ofServer, own] = await Promise.all([tiers.tierSettings(''), tiers.tierSettings(namespace)]);
  return tierPolicyOf(ofServer, own);
}
