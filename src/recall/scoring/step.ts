import type { Scorer, StepScoring } from './scoring.ts';

const SCORE_WITHOUT_REFERENCE = 0.5;

/** 1 at the reference, and half of it, bent by the weight, at the edge of the range. */
export function stepScorer({ reference, range, weight }: StepScoring): Scorer {
  return ({ step }) => {
    if (step === undefined) return undefined;
    if (reference === undefined) return { score: SCORE_WITHOUT_REFERENCE, next: -step };
    const distance = Math.abs(step - reference);
    const share = distance === 0 ? 0 : Math.min(distance / (2 * range), 1);
    return { score: (1 - share) ** (1 / weight), next: -step };
  };
}
