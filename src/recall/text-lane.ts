import type { InstantEmbedder } from '../embedding/embedder.ts';
import { passagesOf } from '../memory/passages.ts';
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

/**
 * Memories whose texts are nearest, by vectors that recall keeps of all texts; none of them is stored. The search is
 * exact: rough vectors choose, and the similarities given are of the texts' own vectors. None while texts are being read.
 */
export function nearestTexts(state: NamespaceState, search: TextSearch): Neighbor[] {
  const { asked, limit, minSimilarity, narrowed, isAllowed } = search;
  const vectors = state.texts?.ranked.vectors;
  if (!vectors) return [];
  const { firstKey } = state.entry;
  const rough = new Nearest(limit);
  const offer = (sequence: number): void => {
    if (!isAllowed(sequence)) return;
    const similarity = vectors.cosine(sequence, asked);
    if (similarity !== 0 && similarity >= minSimilarity - ROUGHNESS) rough.offer(firstKey + sequence, similarity);
  };
  if (narrowed) for (const key of narrowed) offer(key - firstKey);
  else for (let sequence = 1; sequence < state.columns.end; sequence++) offer(sequence);
  const nearest = new Nearest(limit);
  for (const { key } of rough.take()) {
    const similarity = similarityOf(search.source.text(key)?.text ?? '', search);
    if (similarity !== undefined) nearest.offer(key, similarity);
  }
  return nearest.take();
}

/** That of its best passage; `undefined` for a text without a direction. */
function similarityOf(text: string, { texts, asked }: Pick<TextSearch, 'texts' | 'asked'>): number | undefined {
  let best: number | undefined;
  for (const { from, end } of passagesOf(text)) {
    const own = texts.vectorOf(text.slice(from, end));
    if (own) best = Math.max(best ?? -1, Math.min(1, dotProduct(own, asked)));
  }
  return best;
}
