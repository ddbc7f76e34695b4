import type { CountTokens } from '../memory/context/context.ts';

/** Tokenizers of `BuildContextRequest.tokenizer`. */
export type LoadTokenizer = (name: string) => Promise<CountTokens>;

interface Encoding {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number;
}

/** Each is read when it is first asked for: it takes about 150 ms and 70 MB. */
const ENCODINGS: Readonly<Record<string, () => Promise<Encoding>>> = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
};

/** What looks like a special token of a model is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** `wordPieces` counts as the `static` embedder does; it serves `wordpiece`, and needs no loading. */
export function tokenizers(wordPieces: CountTokens): LoadTokenizer {
  const loaded = new Map<string, Promise<CountTokens>>();
  return (name) => {
    const load = Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined;
    if (!load) return Promise.resolve(wordPieces);
    const known = loaded.get(name) ?? load().then((encoding) => (text) => encoding.countTokens(text, AS_TEXT));
    loaded.set(name, known);
    return known;
  };
}
