import { stemmer } from 'stemmer';
import { splitByWords } from '../../ui/words.ts';

/** Of a longer text only the beginning is looked at. */
const LOOKED_AT = 20_000;
/** Begins the stems of texts in another language than English: `_de_katz`. */
const FOREIGN = /^_[a-z]{2}_/;
/** Letters by which a word of another language is longer than its stem. */
const ENDING_MAX = 5;
const ENGLISH = /^[a-z]{3,}$/;
/** Scripts without spaces: their stems are one or two signs of a run. */
const UNSPACED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+$/u;

/** The stem of a word among those that matched, or `undefined`. */
export type StemOf = (word: string) => string | undefined;

/** Finds the words of a text that matched: the server names stems, and people read words. */
export function stemFinder(stems: readonly string[]): StemOf {
  const known = new Map<string, string | undefined>();
  return (word) => {
    if (!known.has(word)) {
      const folded = foldedOf(word);
      known.set(
        word,
        stems.find((stem) => hasStem(folded, stem)),
      );
    }
    return known.get(word);
  };
}

/** Words of the text that matched, with their stems, each once, in the order of the text. */
export function matchedWords(text: string, stemOf: StemOf): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [at, word] of splitByWords(text.slice(0, LOOKED_AT)).entries()) {
    const stem = at % 2 === 1 ? stemOf(word) : undefined;
    if (stem !== undefined) found.set(word.toLowerCase(), stem);
  }
  return found;
}

/** In lower case and without accents. */
function foldedOf(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function hasStem(word: string, term: string): boolean {
  const stem = term.replace(FOREIGN, '').normalize('NFKD').replace(/\p{M}/gu, '');
  if (word === stem) return true;
  if (UNSPACED.test(stem)) return word.includes(stem);
  if (!FOREIGN.test(term) && ENGLISH.test(word)) return stemmer(word) === stem;
  return stem.length > 2 && word.startsWith(stem) && word.length <= stem.length + ENDING_MAX;
}
