import { expect, test } from '@jest/globals';
import { RecentWords } from '../../../src/search/embedding/static/word-piece.ts';

test('keeps words in use and never more than two generations', () => {
  const words = new RecentWords<number>(10);
  words.set('kept', 0);
  for (let n = 1; n <= 1000; n++) {
    words.set(`word ${n}`, n);
    expect(words.get('kept')).toBe(0);
    expect(words.size).toBeLessThanOrEqual(20);
  }
  expect(words.get('word 1000')).toBe(1000);
  expect(words.get('word 1')).toBeUndefined();
});
