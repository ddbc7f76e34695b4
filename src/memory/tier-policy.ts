import { parsedContent } from './derive-text.ts';
import type { Content, Micros, Tier } from './memory.ts';
import { FULL_RESOLUTION, type Resolution } from './resolution/resolution.ts';

/**
 * How much a memory is worth keeping in an upper tier, 0 to 1, computed from its traits without reading it:
 *
 *     formula    = (0.4 reward + 0.3 retrieval + 0.2 recency + 0.1 surprise) / (sum of the weights)
 *     importance = priority × decay × (1 − (1 − formula) × (1 − the caller's importance))
 *
 *     reward     = min(1, |reward| / rewardMax)
 *     retrieval  = min(1, retrieval count / retrievalMax)
 *     recency    = e^(−time since the last access, or since it was stored / recencyUs)
 *     surprise   = the caller's, 0 to 1
 *     decay      = factor^(age / interval), the age in time or in steps
 *
 * Weights, bounds and the shape of each input are those of the reference system (AgentMemory, `_calculate_importance`);
 * that system ignores the caller's importance, priority and decay, which count here.
 */
export interface ImportanceTraits {
  /** The caller's importance, 0 to 1. */
  readonly importance: number;
  readonly priority: number;
  readonly retrievalCount: number;
  readonly createdAtUs: Micros;
  readonly lastAccessedAtUs?: Micros;
  readonly step?: number;
  /** 0 where the content has none. */
  readonly reward?: number;
  readonly surprise?: number;
}

export interface ImportanceSettings {
  readonly rewardWeight: number;
  readonly retrievalWeight: number;
  readonly recencyWeight: number;
  readonly surpriseWeight: number;
  /** Reward that counts in full. */
  readonly rewardMax: number;
  /** Retrievals that count in full. */
  readonly retrievalMax: number;
  /** Time in which recency falls to 1/e. */
  readonly recencyUs: Micros;
  readonly decay: Decay;
}

/** Factor by which importance is multiplied for every interval that has passed; 1 is no decay. */
export interface Decay {
  readonly factor: number;
  readonly per: 'time' | 'step';
  /** Microseconds or steps. */
  readonly interval: number;
}

const DAY_US = 86_400_000_000;
/** Age that counts in full in a tier without a time to live. */
const AGE_SCALE_US = 3_600_000_000;

export const DEFAULT_IMPORTANCE_SETTINGS: ImportanceSettings = {
  rewardWeight: 0.4,
  retrievalWeight: 0.3,
  recencyWeight: 0.2,
  surpriseWeight: 0.1,
  rewardMax: 10,
  retrievalMax: 5,
  recencyUs: DAY_US,
  decay: { factor: 0.95, per: 'time', interval: DAY_US },
};

/** Where the agent is now: the instant, and the newest step where it counts steps. */
export interface Now {
  readonly nowUs: Micros;
  readonly step?: number;
}

export function importanceOf(traits: ImportanceTraits, settings: ImportanceSettings, now: Now): number {
  const worth = 1 - (1 - formula(traits, settings, now.nowUs)) * (1 - traits.importance);
  return share(traits.priority * decayOf(traits, settings.decay, now) * worth);
}

/**
 * Order of demotion: `age factor × (1 − importance)`, the age factor being the share of the tier's time to live that
 * has passed since the memory entered the tier or was last read in focus, 0 to 1.
 */
export function demotionScore(
  traits: ImportanceTraits & { readonly tierSinceUs: Micros },
  settings: ImportanceSettings,
  { ttlUs = AGE_SCALE_US, ...now }: Now & { readonly ttlUs?: Micros },
): number {
  const sinceUs = Math.max(traits.tierSinceUs, traits.lastAccessedAtUs ?? 0);
  return share((now.nowUs - sinceUs) / ttlUs) * (1 - importanceOf(traits, settings, now));
}

/** `reward` of the content's top level, or of the object `metadata` in it; 0 where there is none. */
export function rewardOf(content: Content | undefined): number {
  return rewardIn(parsedContent(content));
}

/** The same of a content that is parsed already. */
export function rewardIn(json: unknown): number {
  return numberIn(json, ['reward']);
}

/** `surprise` or `surprise_factor` of the content's top level, or of the object `metadata` in it, cut to 0 to 1. */
export function surpriseOf(content: Content | undefined): number {
  return surpriseIn(parsedContent(content));
}

/** The same of a content that is parsed already. */
export function surpriseIn(json: unknown): number {
  return share(numberIn(json, ['surprise', 'surprise_factor']));
}

function formula(traits: ImportanceTraits, settings: ImportanceSettings, nowUs: Micros): number {
  const { rewardWeight, retrievalWeight, recencyWeight, surpriseWeight } = settings;
  const weights = rewardWeight + retrievalWeight + recencyWeight + surpriseWeight;
  if (weights === 0) return 0;
  const idleUs = Math.max(0, nowUs - (traits.lastAccessedAtUs ?? traits.createdAtUs));
  const sum =
    rewardWeight * share(Math.abs(traits.reward ?? 0) / settings.rewardMax) +
    retrievalWeight * share(traits.retrievalCount / settings.retrievalMax) +
    recencyWeight * Math.exp(-idleUs / settings.recencyUs) +
    surpriseWeight * share(traits.surprise ?? 0);
  return sum / weights;
}

/** 1 where ages are counted in steps and the memory, or the agent, counts none. */
function decayOf({ createdAtUs, step }: ImportanceTraits, { factor, per, interval }: Decay, now: Now): number {
  const age = per === 'time' ? now.nowUs - createdAtUs : (now.step ?? 0) - (step ?? now.step ?? 0);
  return factor ** (Math.max(0, age) / interval);
}

function numberIn(value: unknown, names: readonly string[]): number {
  for (const place of [value, property(value, 'metadata')]) {
    for (const name of names) {
      const found = property(place, name);
      if (typeof found === 'number') return found;
    }
  }
  return 0;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function share(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Rules for the tiers of a namespace: capacity, time to live, resolution and order of demotion. */
export interface TierPolicy {
  readonly rules: { readonly [T in Tier]: TierRules };
  readonly importance: ImportanceSettings;
  readonly promotion: PromotionRule;
  /** Rules for single types, in addition to those of the tier; they can only tighten them. */
  readonly types: readonly TypeRule[];
  /** Types that may go down to long-term memory; empty: all. Others stay in intermediate memory. */
  readonly longTermTypes: readonly string[];
}

export interface TierRules {
  /** Most memories; more are moved down. 0: no limit. */
  readonly memoryLimit: number;
  /** Maximum total of original texts and contents in bytes; memories above it are moved down. 0: no limit. */
  readonly bytesLimit: number;
  /**
   * Time that a memory stays after it entered the tier or was last read in focus; then it is moved down. Absent:
   * unlimited.
   */
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
 * Limits and lifetimes are those of the reference system, where they apply to each agent. Resolutions are the lowest
 * that keep recall within a point of full resolution: docs/tiers.md has the figures.
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

/** The next lower tier, or `undefined` where the memory's type may not be moved there. */
export function tierBelow(
  tier: Tier,
  type: string,
  { longTermTypes }: Pick<TierPolicy, 'longTermTypes'>,
): Tier | undefined {
  if (tier === 'short_term') return 'intermediate';
  if (tier === 'long_term') return undefined;
  return longTermTypes.length === 0 || longTermTypes.includes(type) ? 'long_term' : undefined;
}
