import type { Scorer, TemporalScoring } from './scoring.ts';

const BASE = 0.5;
const YEAR_US = 365 * 86_400_000_000;
const STEPS = 1000;
/** What short-term memories gain. */
const FRESHNESS = 1.2;

export function temporalScorer({ atUs, step, recencyWeight, stepWeight }: TemporalScoring): Scorer {
  return (memory) => {
    const byTime =
      atUs === undefined ? undefined : recencyWeight * (1 - Math.min(Math.abs(memory.eventAtUs - atUs) / YEAR_US, 1));
    const byStep =
      step === undefined || memory.step === undefined
        ? undefined
        : 1 - Math.min(Math.abs(memory.step - step) / STEPS, 1);
    const near = nearness(byTime, byStep, stepWeight);
    const fresh = memory.tier === 'short_term' ? near * FRESHNESS : near;
    // The cap would make the nearest all equal: what is above it still decides the order.
    return { score: Math.min(1, fresh), next: fresh };
  };
}

function nearness(byTime: number | undefined, byStep: number | undefined, stepWeight: number): number {
  if (byStep === undefined) return byTime ?? BASE;
  if (byTime === undefined || stepWeight >= 1) return byStep;
  return (byTime + byStep) / 2;
}
