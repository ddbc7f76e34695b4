import type { Embedder } from '../../embedding/embedder.ts';
import { embedTexts } from './embed-texts.ts';

/**
 * Vectors for texts that are stored already, in their order. There is none for an empty text, and none at all where recall
 * derives the vectors of texts by itself: one that was stored would fix the model of the namespace.
 */
export async function vectorsToStore(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(Float32Array | undefined)[]> {
  const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
  const wanted = embedder.isDerived ? [] : texts.flatMap((text, at) => (text === '' ? [] : [at]));
  if (wanted.length === 0) return vectors;
  const made = await embedTexts(
    embedder,
    wanted.map((at) => texts[at] ?? ''),
    signal,
  );
  for (const [i, at] of wanted.entries()) vectors[at] = made[i];
  return vectors;
}
