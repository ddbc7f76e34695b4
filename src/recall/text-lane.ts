import type { InstantEmbedder } from '../embedding/embedder.ts';
import type { Span } from '../memory/passages.ts';
import { dotProduct } from '../vector-index/dot-product.ts';
import { Nearest } from '../vector-index/nearest.ts';
import type { Neighbor } from '../vector-index/vector-index.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';

/** What the cosine of two vectors of bytes may differ by from that of the vectors they stand for. */
const ROUGHNESS = 0.02;

export interface TextSearch {
  /** Vector of the query's text. */
  readonly asked: Float32Array;
  readonly texts: InstantEmbedder;
  readonly source: Pick<NamespaceSource, 'text'>;
  readonly limit: number;
  readonly minSimilarity: number;
  /** Keys that a filter leaves; all when absent. */
  readonly narrowed: readonly number[] | undefined;
  readonly isAllowed: (sequence: number) => boolean;
}

/** A memory with the passage that is nearest, where its text is a long one. */
export interface NearText extends Neighbor {
  readonly passage?: Span;
}

/**
 * Memories whose texts are nearest, by vectors that recall keeps of all texts; none of them is stored. The search is
 * exact: rough vectors choose, and the similarities given are of the texts' own vectors. None while texts are being read.
 */
export function nearestTexts(state: NamespaceState, search: TextSearch): NearText[] {
  const { asked, limit, minSimilarity, narrowed, isAllowed } = search;
  const { texts } = state;
  if (!texts) return [];
  const { firstKey } = state.entry;
  const rough = new Nearest(limit);
  const passages = new Map<number, Span>();
  const offer = (sequence: number): void => {
    if (!isAllowed(sequence)) return;
    const { cosine, span } = texts.nearness(sequence, asked);
    if (cosine === 0 || cosine < minSimilarity - ROUGHNESS) return;
    rough.offer(firstKey + sequence, cosine);
    if (span) passages.set(firstKey + sequence, span);
  };
  if (narrowed) for (const key of narrowed) offer(key - firstKey);
  else for (let sequence = 1; sequence < state.columns.end; sequence++) offer(sequence);
  const nearest = new Nearest(limit);
  for (const { key } of rough.take()) {
    const span = passages.get(key);
    const { text = '', whole = '' } = search.source.text(key) ?? {};
    const own = search.texts.vectorOf(span ? whole.slice(span.from, span.end) : text);
    if (own) nearest.offer(key, Math.max(-1, Math.min(1, dotProduct(own, asked))));
  }
  return nearest.take().map((neighbor) => {
    const passage = passages.get(neighbor.key);
    return { ...neighbor, ...(passage && { passage }) };
  });
}
