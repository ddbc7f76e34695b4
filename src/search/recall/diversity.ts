import { PASSAGE_LIMITS } from '../../memory/passages.ts';
import { STOP_WORDS, wordsOf } from '../../memory/words.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';
import type { Ranked } from './rank.ts';
import type { RecallQuery, ScoreComponent } from './recall-engine.ts';

/** Number of hits whose positions diversity decides; later hits only lose score for their similarity to these. */
const PLACES_MAX = 10;
/** Best hits that the first places are chosen from. */
const POOL = 30;

export interface Diverse extends Ranked {
  /** Factor of the score, and deduction for similarity to preceding hits; absent without diversity. */
  readonly spread?: { readonly share: number; readonly likeness: number; readonly contribution: number };
}

/** The query as the lanes are asked: more hits than are wanted, to choose from. */
export function withPool(query: RecallQuery): RecallQuery {
  return query.diversity ? { ...query, limit: Math.max(query.limit, POOL) } : query;
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein, "The use of MMR, diversity-based reranking", SIGIR 1998): the
 * next hit is the one with the greatest (1 - d) * relevance - d * similarity to the most similar preceding hit.
 * Relevance is the score as a share of the best one. Ties keep their order.
 */
export function diversified(
  order: readonly Ranked[],
  { diversity = 0, limit }: Pick<RecallQuery, 'diversity' | 'limit'>,
  likenessOf: (one: number, other: number) => number,
): Diverse[] {
  if (diversity === 0) return [...order];
  const best = order[0]?.score ?? 0;
  const share = best > 0 ? (1 - diversity) / best : 0;
  const left = order.map((hit) => ({ hit, likeness: 0 }));
  const marginOf = ({ hit, likeness }: { hit: Ranked; likeness: number }) => share * hit.score - diversity * likeness;
  const chosen: typeof left = [];
  while (left.length > 0 && chosen.length < Math.min(PLACES_MAX, limit)) {
    const next = left.reduce((first, one) => (marginOf(one) > marginOf(first) ? one : first));
    left.splice(left.indexOf(next), 1);
    chosen.push(next);
    for (const one of left) {
      one.likeness = Math.max(one.likeness, likenessOf(one.hit.candidate.sequence, next.hit.candidate.sequence));
    }
  }
  left.sort((a, b) => marginOf(b) - marginOf(a));
  return [...chosen, ...left].slice(0, limit).map((one) => ({
    candidate: one.hit.candidate,
    score: marginOf(one),
    spread: { share, likeness: one.likeness, contribution: -diversity * one.likeness },
  }));
}

/** The components of the score before, made to add up to the score now. */
export function spreadComponents(components: readonly ScoreComponent[], { spread }: Diverse): ScoreComponent[] {
  if (!spread) return [...components];
  const { share, likeness, contribution } = spread;
  return [
    ...components.map((one) => ({ ...one, contribution: one.contribution * share })),
    { name: 'diversity', value: likeness, contribution, rank: 0 },
  ];
}

interface Traits {
  readonly vector: Float32Array | undefined;
  readonly words: ReadonlySet<string>;
}

/**
 * Similarity of two memories, 0 to 1: the cosine of their vectors, stored or pooled from their texts, where both have
 * one of the same length; otherwise the Jaccard index of their words, of long texts only the first words.
 */
export function likenessIn(
  state: NamespaceState,
  source: Pick<NamespaceSource, 'vector' | 'text'>,
): (one: number, other: number) => number {
  const known = new Map<number, Traits>();
  const traitsOf = (sequence: number): Traits => {
    const traits = known.get(sequence) ?? readTraits(state, source, sequence);
    known.set(sequence, traits);
    return traits;
  };
  return (one, other) => likeness(traitsOf(one), traitsOf(other));
}

function readTraits(
  { entry, texts }: NamespaceState,
  source: Pick<NamespaceSource, 'vector' | 'text'>,
  sequence: number,
): Traits {
  const key = entry.firstKey + sequence;
  const pooled = texts?.ranked.vectors;
  const isPooled = pooled !== undefined && pooled.shrinkOf(sequence) > 0;
  const vector = source.vector(key) ?? (isPooled ? Float32Array.from(pooled.bytesOf(sequence)) : undefined);
  const text = (source.text(key)?.text ?? '').slice(0, PASSAGE_LIMITS.wholeMax);
  const words = wordsOf(text).filter((word) => !STOP_WORDS.has(word));
  return { vector, words: new Set(words) };
}

export function likeness(one: Traits, other: Traits): number {
  const { vector: a, words } = one;
  const { vector: b, words: others } = other;
  if (a && b && a.length === b.length) {
    let [dot, aa, bb] = [0, 0, 0];
    for (let d = 0; d < a.length; d++) {
      const [x, y] = [a[d] as number, b[d] as number];
      dot += x * y;
      aa += x * x;
      bb += y * y;
    }
    return aa > 0 && bb > 0 ? Math.min(1, Math.max(0, dot / Math.sqrt(aa * bb))) : 0;
  }
  let both = 0;
  for (const word of words) both += others.has(word) ? 1 : 0;
  const all = words.size + others.size - both;
  return all > 0 ? both / all : 0;
}
