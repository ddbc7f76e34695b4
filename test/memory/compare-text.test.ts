import { describe, expect, it } from '@jest/globals';
import { afterPrefix, compareTexts, firstCharacters } from '../../src/memory/values.ts';
import { seededRandom } from '../support/random.ts';
import { randomText } from '../support/random-memories.ts';

const CHARACTERS = ['\0', 'a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'];

describe('compareTexts', () => {
  it('well-formed texts › order of code points, which is that of UTF-8 bytes', () => {
    const random = seededRandom('compare-text');
    for (let time = 0; time < 20_000; time++) {
      const word = () => Array.from({ length: random.int(4) }, () => random.pick(CHARACTERS)).join('');
      const [one, other] = random.chance(0.5) ? [word(), word()] : [randomText(random), randomText(random)];
      expect(Math.sign(compareTexts(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
    }
  });

  it('lone surrogates › are ordered among the code points', () => {
    const sorted = ['a', '\ud800', '\ud83d', '\ud83d\ue000', '\ud83da', '\udc00', '\ue000', '\u{1f600}'];
    sorted.sort(compareTexts);
    expect(sorted).toEqual(['a', '\ud800', '\ud83d', '\ud83da', '\ud83d\ue000', '\udc00', '\ue000', '\u{1f600}']);
  });
});

describe('afterPrefix', () => {
  it.each([
    ['a', 'b'],
    ['az', 'a{'],
    ['\ud7ff', '\ue000'],
    ['\uffff', '\u{10000}'],
    ['a\u{10ffff}', 'b'],
    ['\u{1f600}', '\u{1f601}'],
  ])('%j › %j', (prefix, after) => {
    expect(afterPrefix(prefix)).toBe(after);
  });

  it('an empty prefix, or only the last code point › no text is after them', () => {
    expect(afterPrefix('')).toBeUndefined();
    expect(afterPrefix('\u{10ffff}\u{10ffff}')).toBeUndefined();
  });
});

describe('firstCharacters', () => {
  it('characters beyond U+FFFF › count once and are never cut in two', () => {
    expect(firstCharacters('\u{1f600}\u{1f601}a', 2)).toBe('\u{1f600}\u{1f601}');
    expect(firstCharacters('a\u{1f600}b', 2)).toBe('a\u{1f600}');
    expect(firstCharacters('ab', 2)).toBe('ab');
    expect(firstCharacters('abc', 0)).toBe('');
  });
});
