import type { Span } from '../../memory/passages.ts';
import type { ComparedState } from '../../memory/states/state.ts';
import { type CandidateOptions, vectorCandidatesOf } from '../recall/lanes.ts';
import type { NamespaceState } from '../recall/namespace-state.ts';
import {
  exactCosine,
  ROUGHNESS,
  type RoughText,
  roughlyNearestTexts,
  roughTexts,
  type TextSearch,
} from '../recall/near-texts.ts';
import type { RecallQuery } from '../recall/recall-engine.ts';

/** What is compared, and how it counts beside the rest of the query. */
export interface StateSearch {
  readonly asked: ComparedState;
  readonly isAllowed: (sequence: number) => boolean;
  /** Score of a memory by everything but its state. */
  readonly scoreBeside: (sequence: number) => number;
}

/** Of the text of a memory with that of the state asked for; with the passage, where the text is a long one. */
export interface TextCosine {
  readonly cosine: number;
  readonly passage?: Span;
}

export type CosineOf = (sequence: number) => TextCosine | undefined;

/** A state that has texts, with the vector of its text. */
export interface AskingTexts extends Pick<TextSearch, 'asked' | 'texts'> {
  readonly state: NamespaceState;
  readonly query: RecallQuery;
  readonly options: CandidateOptions;
  readonly search: StateSearch;
}

/** Memories to compare: `sums` has the similarities of their values, `near` those whose texts are compared already. */
interface Compared {
  readonly sequences: readonly number[];
  readonly sums: readonly number[];
  readonly near: readonly RoughText[];
}

/** Rounding of the bounds themselves. */
const SLACK = 1e-6;

/** Least similarity of a match. */
export function leastOf({ minSimilarity }: RecallQuery): number {
  return minSimilarity ?? Number.MIN_VALUE;
}

export function nearTextsOf({ asked, texts, state, query, options, search }: AskingTexts): RoughText[] {
  const { narrowed, source, widening } = options;
  const limit = vectorCandidatesOf(query.limit) * widening;
  const { isAllowed } = search;
  const isExact = query.exact;
  return roughlyNearestTexts(state, { asked, texts, source, limit, minSimilarity: -1, narrowed, isAllowed, isExact });
}

/**
 * Exact for each memory that can be a hit, of the others within `ROUGHNESS`: an exact vector costs as much as thirty
 * comparisons of quantized ones.
 */
export function cosinesOfTexts(asking: AskingTexts, compared: Compared): CosineOf {
  const { asked, texts, state, options } = asking;
  const known = new Map(compared.near.map((text) => [text.sequence, text]));
  const others = compared.sequences.filter((sequence) => !known.has(sequence));
  for (const text of roughTexts(state, asked, others)) known.set(text.sequence, text);
  const cosines = new Map<number, TextCosine>();
  const roughOf = (sequence: number): RoughText => known.get(sequence) ?? { sequence, cosine: 0 };
  const areDecisive = decisive(asking, compared, (sequence) => roughOf(sequence).cosine);
  compared.sequences.forEach((sequence, at) => {
    const text = roughOf(sequence);
    const exact = { asked, texts, source: options.source };
    const cosine = areDecisive[at] ? (exactCosine(state, exact, text) ?? 0) : text.cosine;
    cosines.set(sequence, { cosine, passage: text.passage?.span });
  });
  return (sequence) => cosines.get(sequence);
}

/** By place: whether the exact cosine decides on what is found, or is a part of it. */
function decisive({ query, options, search }: AskingTexts, compared: Compared, roughOf: (sequence: number) => number) {
  const { sequences, sums } = compared;
  const { limit, weights, explain, minRelevance } = query;
  const { asked, scoreBeside } = search;
  const beside = sequences.map((sequence) => scoreBeside(sequence));
  // A rank among all is explained too, and hits that are refused make room for the ones behind them.
  const isRankKnown = !explain || beside.every((score) => score === beside[0]);
  const isWhole = !isRankKnown || options.isFiltered || minRelevance !== undefined || weights.words !== undefined;
  if (isWhole) return sequences.map(() => true);
  const bound = (at: number, by: number): number =>
    (sums[at] ?? 0) + asked.textShare * Math.max(0, roughOf(sequences[at] ?? 0) + by) + Math.sign(by) * SLACK;
  const least = leastOf(query);
  const weight = weights.state ?? 0;
  const ranges = sequences.map((_, at) => ({ low: bound(at, -ROUGHNESS), high: bound(at, ROUGHNESS) }));
  const scoreOf = (at: number, similarity: number): number => (beside[at] ?? 0) + weight * similarity;
  const certain = ranges.flatMap(({ low }, at) => (low >= least ? [scoreOf(at, low)] : []));
  const needed = certain.sort((a, b) => b - a)[limit - 1] ?? Number.NEGATIVE_INFINITY;
  return ranges.map(({ low, high }, at) => scoreOf(at, high) >= needed || (low < least && high >= least));
}
