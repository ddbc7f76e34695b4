import { DEFAULT_IMPORTANCE_SETTINGS, type ImportanceSettings } from './importance.ts';
import type { Micros, Tier } from './memory.ts';
import { FULL_RESOLUTION, type Resolution } from './resolution/resolution.ts';

/** How the tiers of a namespace are kept: what fits in, for how long, at what resolution, and what moves first. */
export interface TierPolicy {
  readonly rules: { readonly [T in Tier]: TierRules };
  readonly importance: ImportanceSettings;
  readonly promotion: PromotionRule;
  /** Rules of single types beside those of the tier; they only tighten. */
  readonly types: readonly TypeRule[];
  /** Types that may go down to long-term memory; empty: all. Others stay in intermediate memory. */
  readonly longTermTypes: readonly string[];
  /** What becomes of new memories while the store of the upper tiers does not answer. */
  readonly whenLost: 'refuse' | 'store_below';
}

export interface TierRules {
  /** Most memories; more are moved down. 0: no limit. */
  readonly memoryLimit: number;
  /** Most bytes of texts and contents as callers gave them; more are moved down. 0: no limit. */
  readonly bytesLimit: number;
  /** How long a memory stays after it came or was last read in focus; then it is moved down. Absent: for ever. */
  readonly ttlUs?: Micros;
  readonly resolution: Resolution;
}

export interface TypeRule {
  readonly type: string;
  readonly tier: 'short_term' | 'intermediate';
  /** 0: no limit. */
  readonly memoryLimit: number;
  readonly ttlUs?: Micros;
}

/** A memory read in focus moves one tier up when both hold. */
export interface PromotionRule {
  readonly retrievalCountMin: number;
  readonly importanceMin: number;
}

const HOUR_US = 3_600_000_000;

/**
 * Limits and lifetimes are those of the reference system, there for each agent. Resolutions are as low as leaves recall
 * within a point of what it is at full resolution: docs/tiers.md has the figures.
 */
export const DEFAULT_TIER_POLICY: TierPolicy = {
  rules: {
    short_term: { memoryLimit: 10_000, bytesLimit: 0, ttlUs: HOUR_US, resolution: FULL_RESOLUTION },
    intermediate: {
      memoryLimit: 50_000,
      bytesLimit: 0,
      ttlUs: 24 * HOUR_US,
      resolution: { abstractBytesMax: 8192, compressionLevel: 3, vector: 'bf16', vectorDimension: 0 },
    },
    long_term: {
      memoryLimit: 0,
      bytesLimit: 0,
      resolution: { abstractBytesMax: 8192, compressionLevel: 9, vector: 'i8', vectorDimension: 0 },
    },
  },
  importance: DEFAULT_IMPORTANCE_SETTINGS,
  promotion: { retrievalCountMin: 2, importanceMin: 0 },
  types: [],
  longTermTypes: [],
  whenLost: 'refuse',
};

/** The tier that a memory read in focus moves up to; `undefined` when it stays. `retrievalCount` counts this reading. */
export function promotionOf(
  { tier, retrievalCount }: { readonly tier: Tier; readonly retrievalCount: number },
  importance: number,
  { retrievalCountMin, importanceMin }: PromotionRule,
): Tier | undefined {
  if (tier === 'short_term' || retrievalCount < retrievalCountMin || importance < importanceMin) return undefined;
  return tier === 'long_term' ? 'intermediate' : 'short_term';
}

/** The tier below, or `undefined` where the memory's type may not go there. */
export function tierBelow(
  tier: Tier,
  type: string,
  { longTermTypes }: Pick<TierPolicy, 'longTermTypes'>,
): Tier | undefined {
  if (tier === 'short_term') return 'intermediate';
  if (tier === 'long_term') return undefined;
  return longTermTypes.length === 0 || longTermTypes.includes(type) ? 'long_term' : undefined;
}
