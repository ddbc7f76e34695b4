import { describe, expect, it } from '@jest/globals';
import { TermIndex } from '../../../src/recall/passage-texts.ts';

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
});
