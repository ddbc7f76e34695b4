import type { Span } from '../../memory/passages.ts';
import type { InstantEmbedder } from '../embedding/embedder.ts';
import { STATIC_MODEL } from '../embedding/static/token-table.ts';
import type { FilterSet } from '../filtering/filter-set.ts';
import { bestOf } from '../ranking/lane-scores.ts';
import { RoughProducts } from '../ranking/rough-products.ts';
import { dotProduct, Nearest } from '../vectors/nearest.ts';
import type { Neighbor } from '../vectors/vector-index.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';
import type { NamespaceTexts } from './namespace-texts.ts';

/** Maximum difference between the cosine of two quantized vectors and that of the exact ones. */
export const ROUGHNESS = 0.02;
/** Candidates asked of a graph for each one that is wanted: its order is rough. */
const GRAPH_SPARE = 5;
/** Memories with long texts, from which on all texts are scanned: the graph has only texts that are whole. */
const LONG_TEXTS_MAX = 1000;

export interface TextSearch {
  /** Vector of the query's text. */
  readonly asked: Float32Array;
  readonly texts: InstantEmbedder;
  readonly source: Pick<NamespaceSource, 'text'>;
  readonly limit: number;
  readonly minSimilarity: number;
  /** Compares all texts, without an approximate index. */
  readonly isExact?: boolean;
  /** Memories that a filter leaves; all when absent. */
  readonly narrowed: FilterSet | undefined;
  readonly isAllowed: (sequence: number) => boolean;
}

/** A memory with the passage that is nearest, where its text is a long one. */
export interface NearText extends Neighbor {
  readonly passage?: Span;
}

interface NearPassage {
  readonly span: Span;
  readonly slot: number;
}

/** The text of a memory, or the nearest passage of a long one, compared by its quantized vector. */
export interface RoughText {
  readonly sequence: number;
  /** At most `ROUGHNESS` from the exact one; 0 without a vector. */
  readonly cosine: number;
  readonly passage?: NearPassage;
}

/**
 * Memories whose texts are nearest, by vectors that recall computes for all texts and never stores. The search is
 * exact: quantized vectors preselect, and the returned similarities are of the exact vectors. Empty while texts are
 * being read.
 */
export function nearestTexts(state: NamespaceState, search: TextSearch): NearText[] {
  const { firstKey } = state.entry;
  const nearest = new Nearest(search.limit);
  const passages = new Map<number, Span>();
  for (const text of roughlyNearestTexts(state, search)) {
    const cosine = exactCosine(state, search, text);
    if (cosine === undefined) continue;
    nearest.offer(firstKey + text.sequence, cosine);
    if (text.passage) passages.set(firstKey + text.sequence, text.passage.span);
  }
  return nearest.take().map((neighbor) => {
    const passage = passages.get(neighbor.key);
    return { ...neighbor, passage };
  });
}

/** The nearest by quantized vectors, nearest first. */
export function roughlyNearestTexts(state: NamespaceState, search: TextSearch): RoughText[] {
  const { asked, limit, minSimilarity, narrowed, isAllowed } = search;
  const { texts } = state;
  if (!texts) return [];
  texts.isSought = true;
  const few = narrowed?.few;
  const sequences = few ? Array.from(few).filter(isAllowed) : candidatesOf(texts, state.columns.end, search);
  const nearest = new Nearest(limit);
  const found = new Map<number, RoughText>();
  for (const text of roughTexts(state, asked, sequences)) {
    if (text.cosine === 0 || text.cosine < minSimilarity - ROUGHNESS) continue;
    nearest.offer(text.sequence, text.cosine);
    found.set(text.sequence, text);
  }
  return nearest.take().map(({ key, similarity }) => found.get(key) ?? { sequence: key, cosine: similarity });
}

/** The texts of some memories, in their order. */
export function roughTexts(
  { texts }: Pick<NamespaceState, 'texts'>,
  asked: Float32Array,
  sequences: readonly number[],
): RoughText[] {
  const nearnesses = texts?.nearnesses(sequences, asked) ?? [];
  return sequences.map((sequence, at): RoughText => {
    const { cosine = 0, span, slot } = nearnesses[at] ?? {};
    return { sequence, cosine, passage: span && slot !== undefined ? { span, slot } : undefined };
  });
}

/** Sequences that are allowed. */
function candidatesOf(texts: NamespaceTexts, end: number, search: TextSearch): number[] {
  return byGraph(texts, end, search) ?? scan.candidates(texts, end, search);
}

/** Candidates by the graph; `undefined` where it is incomplete, or finds too few that are allowed. */
function byGraph({ graph, passages }: NamespaceTexts, end: number, search: TextSearch): number[] | undefined {
  const { isAllowed } = search;
  if (!graph || search.isExact || passages.memoryCount > LONG_TEXTS_MAX) return undefined;
  const nearby = graph.nearest(search.asked, GRAPH_SPARE * search.limit, end);
  const allowed = nearby?.found.filter(isAllowed) ?? [];
  if (!nearby || allowed.length < search.limit) return undefined;
  const others = [...nearby.waiting, ...passages.longSequences()].filter(isAllowed);
  return others.length > 0 ? [...new Set([...allowed, ...others])] : allowed;
}

/** By the exact vector of the text or passage; `undefined` without one. */
export function exactCosine(
  { texts, entry }: Pick<NamespaceState, 'texts' | 'entry'>,
  search: Pick<TextSearch, 'asked' | 'texts' | 'source'>,
  text: RoughText,
): number | undefined {
  const own = texts && exactVector(texts, search, text, entry.firstKey);
  return own && Math.max(-1, Math.min(1, dotProduct(own, search.asked)));
}

/** By tokens the same to the bit as by the text, without a read of the store. */
function exactVector(
  { ranked, passages }: NamespaceTexts,
  { source, texts }: Pick<TextSearch, 'texts' | 'source'>,
  { passage, sequence }: RoughText,
  firstKey: number,
): Float32Array | undefined {
  const byTokens = () => (passage ? passages.ranked.exactVector(passage.slot) : ranked.exactVector(sequence));
  const own = texts.model === STATIC_MODEL ? byTokens() : undefined;
  if (own) return own;
  const { text = '', whole = '' } = source.text(firstKey + sequence) ?? {};
  return texts.vectorOf(passage ? whole.slice(passage.span.from, passage.span.end) : text);
}

/**
 * Cosines of all texts by sequence, accurate to a hundredth: `values` of the sequences of `found`, in ascending order.
 * Good until the next search.
 */
export function roughTextCosines({ texts, columns }: NamespaceState, asked: Float32Array): RoughCosines {
  if (!texts) return { values: new Float64Array(0), found: new Uint32Array(0) };
  texts.isSought = true;
  return scan.read(texts, columns.end, asked);
}

export interface RoughCosines {
  readonly values: Float64Array;
  readonly found: Uint32Array;
}

/** Preselection over all texts of a namespace, by products of quantized vectors. One instance serves one thread. */
class TextScan {
  private readonly rough = new RoughProducts();
  private values = new Float64Array(0);
  private found = new Uint32Array(0);

  /** Allowed sequences among which the `limit` nearest by the cosine of their quantized vectors are, in ascending order. */
  candidates(texts: NamespaceTexts, end: number, { asked, limit, isAllowed }: TextSearch): number[] {
    const { found } = this.read(texts, end, asked);
    const best = bestOf({ values: this.values, found }, limit, isAllowed);
    const last = best.at(-1);
    if (best.length < limit || last === undefined) return best.sort((a, b) => a - b);
    // A cosine may be wrong by the slack, so that it may belong elsewhere among those that differ by less than twice of it.
    const least = (this.values[last] ?? 0) - 2 * this.rough.slack;
    const near = found.filter((sequence) => (this.values[sequence] ?? 0) >= least);
    return Array.from(near).filter(isAllowed);
  }

  /** Of all memories that have a vector. */
  read(texts: NamespaceTexts, end: number, asked: Float32Array): RoughCosines {
    if (this.values.length < end) {
      this.values = new Float64Array(Math.ceil(end * 1.5));
      this.found = new Uint32Array(this.values.length);
    }
    const { rough, values, found } = this;
    let count = 0;
    rough.ask(asked);
    texts.ranked.vectors.roughCosines(rough, (sequence, cosine) => {
      values[sequence] = cosine;
      found[count++] = sequence;
    });
    const { passages } = texts;
    if (passages.size === 0) return { values, found: found.subarray(0, count) };
    const wholes = count;
    const isFound = new Set<number>();
    passages.ranked.vectors.roughCosines(rough, (slot, cosine) => {
      const sequence = passages.ownerOf(slot);
      if (!isFound.has(sequence)) {
        isFound.add(sequence);
        values[sequence] = cosine;
        found[count++] = sequence;
      } else if (cosine > (values[sequence] ?? 0)) values[sequence] = cosine;
    });
    const all = found.subarray(0, count);
    return { values, found: count === wholes ? all : all.sort() };
  }
}

const scan = new TextScan();
