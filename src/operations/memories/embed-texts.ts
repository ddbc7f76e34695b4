import type { Embedder } from '../../embedding/embedder.ts';
import { PASSAGE_LIMITS, passagesOf } from '../../memory/passages.ts';
import { unitVector } from '../../memory/unit-vector.ts';

/** Passages of a long text that are embedded: no model takes a text of any length, and each call costs time or money. */
export const PASSAGES_EMBEDDED_MAX = 32;

/**
 * A vector for each text, as the embedder gives them; of a long text the mean of its passages, at length 1: of all, or of
 * so many, spread evenly over the text.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(Float32Array | undefined)[]> {
  if (texts.every(({ length }) => length <= PASSAGE_LIMITS.wholeMax)) return embedder.embed(texts, signal);
  const parts = texts.map(partsOf);
  const vectors = await embedder.embed(parts.flat(), signal);
  let from = 0;
  return parts.map(({ length }) => {
    const own = vectors.slice(from, from + length);
    from += length;
    return length === 1 ? own[0] : meanOf(own);
  });
}

function partsOf(text: string): string[] {
  const passages = passagesOf(text);
  const step = Math.max(1, passages.length / PASSAGES_EMBEDDED_MAX);
  const count = Math.min(passages.length, PASSAGES_EMBEDDED_MAX);
  return Array.from({ length: count }, (_, at) => {
    const { from, end } = passages[Math.floor(at * step)] ?? { from: 0, end: 0 };
    return text.slice(from, end);
  });
}

function meanOf(vectors: readonly (Float32Array | undefined)[]): Float32Array | undefined {
  const [first, ...others] = vectors.filter((vector) => vector !== undefined);
  if (!first) return undefined;
  const sum = Float64Array.from(first);
  for (const vector of others)
    vector.forEach((value, at) => {
      sum[at] = (sum[at] ?? 0) + value;
    });
  return unitVector(sum);
}
