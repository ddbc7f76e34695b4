import type { Content, Micros } from './memory.ts';
import { parsedContent } from './parsed-content.ts';

/**
 * How much a memory is worth keeping near, 0 to 1, by what is known of it without reading it:
 *
 *     formula    = (0.4 reward + 0.3 retrieval + 0.2 recency + 0.1 surprise) / (sum of the weights)
 *     importance = priority × decay × (1 − (1 − formula) × (1 − importance the caller gave))
 *
 *     reward     = min(1, |reward| / rewardMax)
 *     retrieval  = min(1, retrieval count / retrievalMax)
 *     recency    = e^(−time since the last access, or since it was stored / recencyUs)
 *     surprise   = the caller's, 0 to 1
 *     decay      = factor^(age / interval), the age in time or in steps
 *
 * Weights, bounds and the shape of each input are those of the reference system (AgentMemory, `_calculate_importance`);
 * that one drops the caller's importance, priority and decay, which count here.
 */
export interface ImportanceTraits {
  /** What the caller gave, 0 to 1. */
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

/** What importance is multiplied by for every interval that has passed; a factor of 1 is no decay. */
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
 * What moves down first: `age factor × (1 − importance)`, the age factor being the share of the tier's time to live that
 * has passed since the memory came into the tier or was last read in focus, 0 to 1.
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
