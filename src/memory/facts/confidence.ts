import type { Micros } from '../memory.ts';

/** Share of a repetition's confidence that counts: the same source may be behind both. */
const REPETITION_WEIGHT = 0.5;
const CONFIDENCE_MAX = 0.99;

export const DEFAULT_HALF_LIFE_DAYS = 365;
const DAY_US = 86_400_000_000;

/** `1 − (1 − c)(1 − c′/2)`, at most 0.99: confidence after an assertion of confidence c′ repeats a fact of confidence c. */
export function reinforcedConfidence(confidence: number, repeated: number): number {
  const risen = 1 - (1 - confidence) * (1 - REPETITION_WEIGHT * repeated);
  return Math.max(confidence, Math.min(CONFIDENCE_MAX, Math.round(risen * 1e6) / 1e6));
}

/**
 * `c × 2^(−age / half-life)`, the age since the fact was last asserted; to four decimals. The stored value does not
 * change.
 */
export function decayedConfidence(
  confidence: number,
  { assertedAtUs, nowUs, halfLifeDays }: { assertedAtUs: Micros; nowUs: Micros; halfLifeDays: number },
): number {
  const ageDays = Math.max(0, nowUs - assertedAtUs) / DAY_US;
  return Math.round(confidence * 2 ** (-ageDays / halfLifeDays) * 1e4) / 1e4;
}
