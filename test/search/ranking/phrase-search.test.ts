import { describe, expect, it } from '@jest/globals';
import { wordsOf } from '../../../src/memory/words.ts';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { PhraseSearch } from '../../../src/search/ranking/phrase-search.ts';
import { TokenIndex } from '../../../src/search/ranking/token-index.ts';
import { seededRandom } from '../../support/random.ts';

const { table, tokenizer } = new StaticTexts().load();
const phrases = new PhraseSearch(table, tokenizer);

function indexOf(texts: readonly string[]): TokenIndex {
  const index = new TokenIndex();
  texts.forEach((text, at) => {
    index.put(at, tokenizer.encode(text));
  });
  return index;
}

function found(text: string, texts: readonly string[]): number[] | undefined {
  const phrase = phrases.phraseOf(text);
  return phrase && phrases.find(phrase, indexOf(texts));
}

describe('PhraseSearch', () => {
  const TEXTS = [
    "Wow! Did you make that? It's so pretty.",
    'You did make that, and it is so pretty.',
    'They said: did you make that its own way?',
  ];

  it.each([
    ['Wow did you make that It', [0]],
    ['did YOU make that, it', [0]],
    ['make that and it is so', [1]],
    ['you did make that and pretty', []],
    ['it is so pretty wow did', []],
  ])('finds "%s" across punctuation, whatever the case', (text, expected) => {
    expect(found(text, TEXTS)).toEqual(expected);
  });

  it('the last word is a whole word', () => {
    const texts = ['we put all of it on the carpetbagger', 'we put all of it on the car.'];
    expect(found('all of it on the car', texts)).toEqual([1]);
  });

  it.each(['ORD-48213', 'r0l5n3x0', ' Xanthippe\n', '2026-11-05', 'ord-48213?'])(
    'finds "%s", which is all of a text',
    (text) => {
      const texts = [
        'about ORD-48214 and r0l5n3x1',
        `it is ${text.trim().toUpperCase()}, she said`,
        'on 2026-11-06',
        'Xanthi',
      ];
      expect(found(text, texts)).toEqual([1]);
    },
  );

  it.each([
    ['a common word', 'garden'],
    ['common words joined by marks', 'state-of-the-art'],
    ['a rare word and a common one', 'garden r0l5n3x0'],
    ['fewer than five words', 'did you make that'],
    ['no words', '?!'],
    ['more than 64 tokens', 'word '.repeat(65)],
    ['a word without a token', `one two three four five ${'x'.repeat(101)}`],
  ])('does not look for %s', (_, text) => {
    expect(phrases.phraseOf(text)).toBeUndefined();
  });

  it('finds the same texts as a search through all of them', () => {
    const random = seededRandom('phrases');
    const words = 'the a of to it dog dogs house carpet car garden Bruno naïve 12'.split(' ');
    const texts = Array.from({ length: 400 }, () =>
      Array.from({ length: 4 + random.int(20) }, () => random.pick(words)).join(random.chance(0.2) ? ', ' : ' '),
    );
    for (let round = 0; round < 200; round++) {
      const own = wordsOf(random.pick(texts));
      const from = random.int(Math.max(1, own.length - 4));
      const asked = own.slice(from, from + 5 + random.int(2));
      if (asked.length < 5) continue;
      const expected = texts.flatMap((text, at) =>
        ` ${wordsOf(text).join(' ')} `.includes(` ${asked.join(' ')} `) ? [at] : [],
      );
      expect(found(asked.join(' '), texts)).toEqual(expected.reverse().slice(0, 100));
    }
  });

  it('compares at most 20,000 texts, and finds at most 100, those stored last', () => {
    const texts = Array.from({ length: 20_200 }, (_, at) =>
      at >= 100 ? 'the the the the' : 'and so on and on and on the',
    );
    expect(found('on the the the the', texts)).toEqual([]);
    expect(found('and on and on the', texts)).toEqual(Array.from({ length: 100 }, (_, at) => 99 - at));
    expect(found('the the the the x9y8', [...texts, 'the the the the x9y8'])).toEqual([20_200]);
  });

  it('texts that are not allowed do not count', () => {
    const texts = ['about Xanthippe', ...Array.from({ length: 150 }, () => 'Xanthippe again')];
    const phrase = phrases.phraseOf('Xanthippe');
    expect(phrase && phrases.find(phrase, indexOf(texts), (place) => place === 0)).toEqual([0]);
  });
});
