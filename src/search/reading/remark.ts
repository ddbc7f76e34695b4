import { isForeign } from '../../memory/languages/languages.ts';
import { wordsOf } from '../../memory/words.ts';

/** Fewer words are keywords; more of them are a page, of which the encoder reads the beginning. */
const WORDS = { min: 4, max: 80 };
const ASKS =
  /[?？؟]|^\W*(?:(?:and|so|but|hey|ok|please)\W+)?(?:who|whose|whom|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|am|may|tell|show|find|list|give|remind|recall|describe|explain|summari[sz]e|search|look)\b/i;
/** What keywords do not have, and few sentences lack. */
const STATES =
  /\b(?:i|i'm|i'd|we|you|he|she|they|it|there|this|that|me|us|him|them|is|are|was|were|am|has|have|had|will|would|can|could|should|must|needs?|wants?)\b/i;

/**
 * Whether a cue is a sentence in English that asks nothing, such as the last message of a conversation: "The doctor wants
 * to put me on antibiotics." Its words are seldom those of the memories that matter then.
 */
export function isRemark(text: string): boolean {
  if (ASKS.test(text) || !STATES.test(text)) return false;
  const count = wordsOf(text).length;
  return count >= WORDS.min && count <= WORDS.max && !isForeign(text);
}

/** As in reciprocal rank fusion; a smaller number favours the first places. */
const RANK_OFFSET = 10;

/**
 * Scores of the same values, in the order of the sum of two ranks, by score and by cosine, each 1 / (offset + rank)
 * (G. Cormack, C. Clarke, S. Büttcher, "Reciprocal rank fusion outperforms Condorcet", SIGIR 2009).
 */
export function byBothRanks(scores: Float64Array, cosines: readonly number[]): Float64Array {
  const rows = Array.from(scores, (_, row) => row);
  const shares = new Float64Array(scores.length);
  const own = rows.toSorted((a, b) => (scores[b] as number) - (scores[a] as number));
  const near = rows.toSorted((a, b) => (cosines[b] as number) - (cosines[a] as number));
  for (const order of [own, near]) {
    order.forEach((row, rank) => {
      shares[row] = (shares[row] as number) + 1 / (RANK_OFFSET + rank);
    });
  }
  const fused = new Float64Array(scores.length);
  rows
    .sort((a, b) => (shares[b] as number) - (shares[a] as number))
    .forEach((row, rank) => {
      fused[row] = scores[own[rank] as number] as number;
    });
  return fused;
}
