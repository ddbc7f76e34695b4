import { stemsOf } from './read-statement.ts';

const ENDS = /(?<=[.!?…]["'”’)\]]*)\s+|(?<=[。！？])|\n+/u;
/** A longer sentence is cut. */
const CHARACTERS_MAX = 300;

/**
 * The sentence of a passage that has most words of the question, the shortest of them; undefined where none has any. What
 * one sentence says is lost in the vector of a passage about other things.
 */
export function sentenceAbout(question: string, passage: string): string | undefined {
  const asked = stemsOf(question);
  let best: { readonly sentence: string; readonly shared: number } | undefined;
  for (const sentence of passage === '' ? [] : passage.split(ENDS)) {
    const cut = sentence.slice(0, CHARACTERS_MAX);
    const stems = stemsOf(cut);
    const shared = [...asked].filter((stem) => stems.has(stem)).length;
    if (shared === 0 || shared < (best?.shared ?? 0)) continue;
    if (!best || shared > best.shared || cut.length < best.sentence.length) best = { sentence: cut, shared };
  }
  return best?.sentence;
}
