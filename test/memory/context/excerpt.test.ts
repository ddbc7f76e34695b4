import { describe, expect, it } from '@jest/globals';
import { askedStems, excerptOf } from '../../../src/memory/context/excerpt.ts';
import { seededRandom } from '../../support/random.ts';

const asked = askedStems('Which instrument does Ada play?');
const PLAIN = 'The weather was fine. ';
const ANSWER = 'Ada plays the cello. ';

describe('excerptOf', () => {
  it('a text that is not longer is given back whole', () => {
    expect(excerptOf(ANSWER, asked, ANSWER.length)).toBe(ANSWER);
  });

  it('has the sentence with the words of the query, and marks what is left out', () => {
    const text = PLAIN.repeat(10) + ANSWER + PLAIN.repeat(10).trim();
    expect(excerptOf(text, asked, 30)).toBe('… Ada plays the cello. …');
    expect(excerptOf(text, asked, 50)).toBe('… Ada plays the cello. The weather was fine. …');
  });

  it('has sentences with other words of the query too, in the order of the text', () => {
    const text = `${PLAIN.repeat(3)}Her instrument is old. ${PLAIN.repeat(3)}${ANSWER}${PLAIN.repeat(3)}`;
    expect(excerptOf(text, asked, 45)).toBe('… Her instrument is old. … Ada plays the cello. …');
  });

  it('without a word of the query it is the beginning', () => {
    expect(excerptOf(`First. ${PLAIN.repeat(10)}`, asked, 30)).toBe('First. The weather was fine. …');
  });

  it('of one sentence that is too long it has the words around those of the query', () => {
    const text = `${'so and so on and '.repeat(20)}Ada plays the cello ${'and so on and on '.repeat(20)}`;
    const excerpt = excerptOf(text, asked, 60);
    expect(excerpt).toMatch(/^… .*Ada plays the cello.* …$/);
    expect(excerpt.length).toBeLessThanOrEqual(64);
  });

  it('of a long word it does not cut a character in halves', () => {
    expect(excerptOf('🚀'.repeat(20), asked, 5)).toBe('🚀🚀 …');
  });

  it('consists of parts of the text, in order, within the length', () => {
    const random = seededRandom('excerpts');
    const words = ['Ada', 'plays', 'cello', 'rain.', 'sun!', 'wood\n', '雨。', '👩‍🚀', 'instrument', 'x'.repeat(60)];
    for (let round = 0; round < 2000; round++) {
      const text = Array.from({ length: 1 + random.int(40) }, () => random.pick(words)).join(' ');
      const lengthMax = 1 + random.int(150);
      const excerpt = excerptOf(text, asked, lengthMax);
      if (text.length <= lengthMax) {
        expect(excerpt).toBe(text);
        continue;
      }
      const parts = excerpt.split('…').map((part) => part.trim());
      expect(parts.join('').length).toBeLessThanOrEqual(lengthMax);
      let at = 0;
      for (const part of parts) {
        const found = text.indexOf(part, at);
        expect([part, found >= at]).toEqual([part, true]);
        at = found + part.length;
      }
    }
  });
});
