import { describe, expect, it } from '@jest/globals';
import { stemOf, termsOf, wordsOf } from '../../src/memory/words.ts';

describe('wordsOf', () => {
  it.each([
    ["Caroline's LGBTQ support-group, 2023!", ['caroline', 's', 'lgbtq', 'support', 'group', '2023']],
    ['Élan vital – NAÏVE café', ['elan', 'vital', 'naive', 'cafe']],
    ['Straße und Größe', ['straße', 'und', 'große']],
    ['我喜欢茶 and tea', ['我', '喜', '欢', '茶', 'and', 'tea']],
    ['v2東京3', ['v2', '東', '京', '3']],
    ['😀 \u0000\u0007 …', []],
    ['', []],
  ])('%j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe('stemOf', () => {
  it.each([
    ['painting', 'paint'],
    ['adoptions', 'adopt'],
    ['is', 'is'],
    ['größe', 'größe'],
    ['b2b', 'b2b'],
  ])('%s', (word, stem) => {
    expect(stemOf(word)).toBe(stem);
  });

  it('cuts words that are too long to be words', () => {
    expect(stemOf('9'.repeat(500))).toBe('9'.repeat(64));
  });
});

describe('termsOf', () => {
  it('omits stop words and keeps repetitions', () => {
    expect(termsOf('What did Mel paint, and what is she painting?')).toEqual(['mel', 'paint', 'paint']);
  });
});
