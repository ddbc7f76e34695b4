import { describe, expect, it } from '@jest/globals';
import { TermIndex } from '../../../src/search/recall/passage-texts.ts';
import { seededRandom } from '../../support/random.ts';

function found(index: TermIndex, term: string): number[] {
  const sequences: number[] = [];
  index.matches(term, 3, (sequence) => sequences.push(sequence));
  return sequences;
}

describe('TermIndex', () => {
  it('forgets replaced and removed terms', () => {
    const index = new TermIndex();
    index.put(1, ['a', 'b']);
    index.put(2, ['a']);
    index.put(1, ['b', 'c']);
    expect([index.frequency('a'), index.frequency('b'), index.frequency('none')]).toEqual([1, 1, 0]);
    index.remove(2);
    expect(found(index, 'a')).toEqual([]);
    expect(found(index, 'c')).toEqual([1]);
  });

  it('knows how often each text has a term, after any changes', () => {
    const random = seededRandom('term-index');
    const index = new TermIndex();
    const texts = new Map<number, string[]>();
    const term = (): string => random.pick(['a', 'b', 'c', 'd']);
    const meanLength = 7;
    for (let round = 0; round < 300; round++) {
      const sequence = 1 + random.int(40);
      // More often than a byte counts, now and then.
      const length = random.chance(0.05) ? 1200 : random.int(12);
      const text = Array.from({ length }, term);
      if (random.chance(0.2)) index.remove(sequence);
      else index.put(sequence, text);
      if (index.numbersOf(sequence).length > 0) texts.set(sequence, text);
      else texts.delete(sequence);
    }
    for (const wanted of ['a', 'b', 'c', 'd']) {
      const found = new Map<number, number>();
      index.matches(wanted, meanLength, (sequence, saturation) => found.set(sequence, saturation));
      const expected = new Map<number, number>();
      for (const [sequence, text] of texts) {
        const times = text.filter((one) => one === wanted).length;
        const saturation = (times * 2.2) / (times + 1.2 * (1 - 0.75 + (0.75 * text.length) / meanLength));
        if (times > 0) expected.set(sequence, saturation);
      }
      expect(new Map([...found].sort(([a], [b]) => a - b))).toEqual(new Map([...expected].sort(([a], [b]) => a - b)));
    }
  });
});
