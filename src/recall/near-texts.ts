import type { InstantEmbedder } from '../embedding/embedder.ts';
import { STATIC_MODEL } from '../embedding/static/token-table.ts';
import type { Span } from '../memory/passages.ts';
import { dotProduct, Nearest } from '../vector-index/nearest.ts';
import type { Neighbor } from '../vector-index/vector-index.ts';
import type { FilterSet } from './filtering/filter-set.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';
import type { NamespaceTexts } from './namespace-texts.ts';
import { bestOf } from './ranking/lane-scores.ts';
import { RoughProducts } from './ranking/rough-products.ts';

/** Maximum difference between the cosine of two quantized vectors and that of the exact ones. */
const ROUGHNESS = 0.02;
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

interface Place {
  readonly key: number;
  readonly sequence: number;
  readonly passage: NearPassage | undefined;
}

/**
 * Memories whose texts are nearest, by vectors that recall computes for all texts and never stores. The search is
 * exact: quantized vectors preselect, and the returned similarities are of the exact vectors. Empty while texts are
 * being read.
 */
export function nearestTexts(state: NamespaceState, search: TextSearch): NearText[] {
  const { asked, limit, minSimilarity, narrowed, isAllowed } = search;
  const { texts } = state;
  if (!texts) return [];
  texts.isSought = true;
  const { firstKey } = state.entry;
  const rough = new Nearest(limit);
  const passages = new Map<number, NearPassage>();
  const offer = (sequence: number): void => {
    if (!isAllowed(sequence)) return;
    const { cosine, span, slot } = texts.nearness(sequence, asked);
    if (cosine === 0 || cosine < minSimilarity - ROUGHNESS) return;
    rough.offer(firstKey + sequence, cosine);
    if (span && slot !== undefined) passages.set(firstKey + sequence, { span, slot });
  };
  const few = narrowed?.few;
  if (few) for (const sequence of few) offer(sequence);
  else for (const sequence of candidatesOf(texts, state.columns.end, search)) offer(sequence);
  const nearest = new Nearest(limit);
  for (const { key } of rough.take()) {
    const own = exactVector(texts, search, { key, sequence: key - firstKey, passage: passages.get(key) });
    if (own) nearest.offer(key, Math.max(-1, Math.min(1, dotProduct(own, asked))));
  }
  return nearest.take().map((neighbor) => {
    const passage = passages.get(neighbor.key)?.span;
    return { ...neighbor, ...(passage && { passage }) };
  });
}

function candidatesOf(texts: NamespaceTexts, end: number, search: TextSearch): Iterable<number> {
  return byGraph(texts, end, search) ?? scan.candidates(texts, end, search);
}

/** Candidates by the graph; `undefined` where it is incomplete, or finds too few that are allowed. */
function byGraph({ graph, passages }: NamespaceTexts, end: number, search: TextSearch): Iterable<number> | undefined {
  if (!graph || search.isExact || passages.memoryCount > LONG_TEXTS_MAX) return undefined;
  const nearby = graph.nearest(search.asked, GRAPH_SPARE * search.limit, end);
  const allowed = nearby?.found.filter(search.isAllowed) ?? [];
  return nearby && allowed.length >= search.limit
    ? new Set([...allowed, ...nearby.waiting, ...passages.longSequences()])
    : undefined;
}

/** By tokens the same to the bit as by the text, without a read of the store. */
function exactVector(texts: NamespaceTexts, search: TextSearch, at: Place): Float32Array | undefined {
  const { passage, sequence } = at;
  const { ranked, passages } = texts;
  const byTokens = () => (passage ? passages.ranked.exactVector(passage.slot) : ranked.exactVector(sequence));
  return (search.texts.model === STATIC_MODEL ? byTokens() : undefined) ?? vectorOfText(search, at);
}

function vectorOfText({ source, texts }: TextSearch, { key, passage }: Place): Float32Array | undefined {
  const { text = '', whole = '' } = source.text(key) ?? {};
  return texts.vectorOf(passage ? whole.slice(passage.span.from, passage.span.end) : text);
}

/** Cosines of some memories' texts with the query's text, with the passage that is nearest; 0 without a vector. */
export function textCosines(state: NamespaceState, search: TextSearch, sequences: readonly number[]): NearText[] {
  const { texts, entry } = state;
  return sequences.map((sequence) => {
    const key = entry.firstKey + sequence;
    const { span, slot } = texts?.nearness(sequence, search.asked) ?? { cosine: 0 };
    const passage = span && slot !== undefined ? { span, slot } : undefined;
    const own = texts && exactVector(texts, search, { key, sequence, passage });
    const similarity = own ? Math.max(-1, Math.min(1, dotProduct(own, search.asked))) : 0;
    return { key, similarity, ...(passage && { passage: passage.span }) };
  });
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

  /** Sequences among which the `limit` nearest by the cosine of their quantized vectors are, in ascending order. */
  candidates(texts: NamespaceTexts, end: number, { asked, limit, isAllowed }: TextSearch): Iterable<number> {
    const { found } = this.read(texts, end, asked);
    const best = bestOf({ values: this.values, found }, limit, isAllowed);
    const last = best.at(-1);
    if (best.length < limit || last === undefined) return found;
    // A cosine may be wrong by the slack, so that it may belong elsewhere among those that differ by less than twice of it.
    const least = (this.values[last] ?? 0) - 2 * this.rough.slack;
    return found.filter((sequence) => (this.values[sequence] ?? 0) >= least);
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
