import type { TestRandom } from '../../support/random.ts';

/** The commonest words of English in order: they make up four words in ten, as they do in speech. */
const COMMON =
  `the i to and a of in it that you is was for my on with we have so this but be at me not are do just they what
  about like had up out from if all there as he she her his an when how can your no or were been would will
  then some them get more too really know time going`.split(/\s+/);
const COMMON_SHARE = 0.42;
const VOCABULARY = 30_000;
/** Zipf-Mandelbrot: rank r is drawn with a weight of 1 / (r + offset) ^ exponent. */
const OFFSET = 30;
const EXPONENT = 1.05;
const ONSETS = 'b br c cl d dr f fl g gr h j k l m n p pl pr r s sh sl st t th tr v w y z'.split(' ');
const VOWELS = 'a e i o u ai ea ou ee'.split(' ');
const CODAS = ['', '', '', 'n', 'r', 's', 't', 'l', 'm', 'nd', 'st', 'ck', 'ng'];

export interface TextSource {
  /** Sentences of about `words` words together. */
  text(words: number): string;
  /** A question about a text: `words` of its words that carry meaning. */
  question(text: string, words: number): string;
}

/** Texts that share words as real ones do, made up from the seed alone. */
export function textSource(random: TestRandom): TextSource {
  const vocabulary = madeUpWords(random);
  const common = cumulative(COMMON.length, 1);
  const content = cumulative(VOCABULARY, EXPONENT, OFFSET);
  const isCommon = new Set(COMMON);
  const word = (): string =>
    random.chance(COMMON_SHARE) ? (COMMON[drawn(common, random)] ?? '') : (vocabulary[drawn(content, random)] ?? '');
  const sentence = (words: number): string => {
    const text = Array.from({ length: words }, word).join(' ');
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  };
  return {
    text(words) {
      const sentences: string[] = [];
      for (let left = words; left > 0; ) {
        const length = Math.min(left, 6 + random.int(12));
        sentences.push(sentence(length));
        left -= length;
      }
      return sentences.join(' ');
    },
    question(text, words) {
      const carrying = [...new Set(text.toLowerCase().match(/[a-z]+/g) ?? [])].filter((each) => !isCommon.has(each));
      while (carrying.length > words) carrying.splice(random.int(carrying.length), 1);
      return carrying.join(' ');
    },
  };
}

function madeUpWords(random: TestRandom): string[] {
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    let word = '';
    const syllables = 1 + random.int(words.size < 1000 ? 2 : 3);
    for (let i = 0; i < syllables; i++) word += random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
    if (word.length > 3) words.add(word);
  }
  return [...words];
}

function cumulative(count: number, exponent: number, offset = 1): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + offset) ** exponent;
    sums[rank] = sum;
  }
  return sums;
}

function drawn(sums: Float64Array, random: TestRandom): number {
  const at = random.next() * (sums.at(-1) ?? 0);
  let low = 0;
  for (let high = sums.length - 1; low < high; ) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
