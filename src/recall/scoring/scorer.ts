import { attributeScorer } from './attribute.ts';
import { importanceScorer } from './importance.ts';
import type { Scorer, Scoring } from './scoring.ts';
import { stepScorer } from './step.ts';
import { temporalScorer } from './temporal.ts';
import { windowScorer } from './window.ts';

export function scorerOf(scoring: Scoring): Scorer {
  switch (scoring.kind) {
    case 'newest':
      return ({ eventAtUs }) => ({ score: eventAtUs / 1e6 });
    case 'oldest':
      return ({ eventAtUs }) => ({ score: -eventAtUs / 1e6 });
    case 'step_asc':
      return ({ step, eventAtUs }) => (step === undefined ? undefined : { score: -step, next: -eventAtUs });
    case 'step_desc':
      return ({ step }) => (step === undefined ? undefined : { score: step });
    case 'importance':
      return importanceScorer(scoring);
    case 'step':
      return stepScorer(scoring);
    case 'temporal':
      return temporalScorer(scoring);
    case 'window':
      return windowScorer(scoring);
    case 'attribute':
      return attributeScorer(scoring);
  }
}
