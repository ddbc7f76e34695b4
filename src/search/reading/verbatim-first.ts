import type { LearnedHit } from '../ranking/learned-ranker.ts';
import { NO_ADJUSTMENT } from './adjust.ts';

/** Lead over every memory without the words: recency and importance do not make up for it at their default weights. */
const LEAD = 1.01;

/**
 * Puts the memories that have the whole text, word for word, before all others; they keep their order. `verbatim` has the
 * slot of the passage that has it, or -1, by sequence. `hits` are best first.
 */
export function putVerbatimFirst(
  hits: readonly LearnedHit[],
  verbatim: ReadonlyMap<number, number>,
): readonly LearnedHit[] {
  const others = hits.filter(({ sequence }) => !verbatim.has(sequence));
  const quoting = hits.filter(({ sequence }) => verbatim.has(sequence));
  const [best] = others;
  const last = quoting.at(-1);
  if (!best || !last) return hits;
  const lift = Math.max(0, best.score + LEAD - last.score);
  const relevance = others.reduce((most, hit) => Math.max(most, hit.relevance), 0);
  return [...quoting.map((hit) => lifted(hit, lift, relevance, verbatim.get(hit.sequence) ?? -1)), ...others];
}

function lifted(hit: LearnedHit, lift: number, relevanceMin: number, slot: number): LearnedHit {
  const before = hit.adjustment ?? NO_ADJUSTMENT;
  const adjustment = { ...before, total: before.total + lift, parts: { ...before.parts, verbatim: lift } };
  const relevance = Math.max(hit.relevance, relevanceMin);
  return { ...hit, slot: slot < 0 ? hit.slot : slot, score: hit.score + lift, relevance, adjustment };
}
