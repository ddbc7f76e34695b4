import type { TokenTable } from '../../embedding/static/token-table.ts';
import type { PassageTexts } from '../passage-texts.ts';
import type { SequenceScores } from '../sequence-scores.ts';
import type { WeightedToken } from './question.ts';
import { scoreIn } from './signals.ts';
import { SoftMatcher } from './soft-match.ts';

/** What a memory's best passage has of the question: MaxSim of itself, and together with the passages beside it. */
export interface PassageMatch {
  readonly sequence: number;
  readonly slot: number;
  readonly own: number;
  readonly window: number;
}

/** Chooses of each long text the passage that a question is compared with. One instance serves one thread. */
export class BestPassages {
  private readonly soft: SoftMatcher;

  constructor(table: TokenTable) {
    this.soft = new SoftMatcher(table);
  }

  /** One for each memory of which any passage matches. `keyword` is BM25 by slot. Of equal ones the first in the text. */
  choose(query: readonly WeightedToken[], passages: PassageTexts, keyword: SequenceScores): PassageMatch[] {
    if (passages.size === 0) return [];
    const { own, window } = this.soft.match(query, passages.ranked.tokens, passages);
    let bestKeyword = 0;
    for (const slot of keyword.found) bestKeyword = Math.max(bestKeyword, keyword.get(slot));
    const scoreOf = (slot: number): number =>
      (own.best > 0 ? scoreIn(own, slot) / own.best : 0) + (bestKeyword > 0 ? keyword.get(slot) / bestKeyword : 0);
    const best = new Map<number, { readonly slot: number; readonly score: number }>();
    for (const found of [own.found, keyword.found]) {
      for (const slot of found) {
        const sequence = passages.ownerOf(slot);
        const score = scoreOf(slot);
        const known = best.get(sequence);
        const isBetter = !known || score > known.score;
        if (isBetter || (score === known.score && isBefore(passages, slot, known.slot)))
          best.set(sequence, { slot, score });
      }
    }
    return Array.from(best, ([sequence, { slot }]) => {
      return { sequence, slot, own: scoreIn(own, slot), window: scoreIn(window, slot) };
    });
  }
}

function isBefore(passages: PassageTexts, slot: number, other: number): boolean {
  return passages.spanOf(slot).from < passages.spanOf(other).from;
}
