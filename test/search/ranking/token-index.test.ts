import { describe, expect, it } from '@jest/globals';
import { TokenIndex } from '../../../src/search/ranking/token-index.ts';
import { seededRandom } from '../../support/random.ts';

function indexOf(memories: Record<number, number[]>): TokenIndex {
  const index = new TokenIndex();
  for (const [sequence, tokens] of Object.entries(memories)) index.put(Number(sequence), Uint16Array.from(tokens));
  return index;
}

describe('TokenIndex', () => {
  it('returns the tokens of a memory in reading order and the memories of a token in ascending order', () => {
    const index = indexOf({ 3: [7, 8, 7], 1: [7] });
    expect([...index.tokensOf(3)]).toEqual([7, 8, 7]);
    expect([...index.having(7)]).toEqual([1, 3]);
    expect(index.frequency(7)).toBe(2);
    expect(index.size).toBe(2);
  });

  it('replaces the tokens of a memory', () => {
    const index = indexOf({ 1: [7, 8], 2: [7] });
    index.put(1, Uint16Array.of(9));
    expect([...index.having(7)]).toEqual([2]);
    expect([...index.having(8)]).toEqual([]);
    expect([...index.having(9)]).toEqual([1]);
    expect(index.size).toBe(2);
  });

  it('forgets a removed memory, and removing a missing one changes nothing', () => {
    const index = indexOf({ 1: [7], 2: [7], 5: [7] });
    index.remove(2);
    index.remove(2);
    index.remove(4000);
    expect([...index.having(7)]).toEqual([1, 5]);
    expect([...index.tokensOf(2)]).toEqual([]);
    expect(index.size).toBe(2);
  });

  it('keeps other memories of a token when one that has it twice is removed', () => {
    const index = indexOf({ 1: [7], 2: [7, 8, 7, 8] });
    index.remove(2);
    expect([...index.having(7)]).toEqual([1]);
    index.put(3, Uint16Array.of(8));
    expect([...index.having(8)]).toEqual([3]);
  });

  it('any puts and removals › has the memories that a list of all would give', () => {
    const random = seededRandom('token index');
    const index = new TokenIndex();
    const memories = new Map<number, number[]>();
    for (let step = 0; step < 2_000; step++) {
      const sequence = random.int(12);
      const tokens = Array.from({ length: random.int(5) }, () => random.int(6));
      if (random.chance(0.3)) {
        index.remove(sequence);
        memories.delete(sequence);
      } else {
        index.put(sequence, Uint16Array.from(tokens));
        memories.set(sequence, tokens);
      }
      for (let token = 0; token < 6; token++) {
        const having = [...memories].filter(([, all]) => all.includes(token)).map(([key]) => key);
        expect([...index.having(token)]).toEqual(having.sort((a, b) => a - b));
      }
    }
  });

  it('accepts any order and far beyond its initial capacity, and frees replaced tokens', () => {
    const index = new TokenIndex();
    for (let round = 0; round < 3; round++) {
      for (let sequence = 5000; sequence > 0; sequence--) {
        index.put(
          sequence,
          Uint16Array.from({ length: 20 }, (_, at) => (sequence * 31 + at) % 997),
        );
      }
    }
    expect(index.size).toBe(5000);
    expect([...index.tokensOf(4321)]).toEqual(Array.from({ length: 20 }, (_, at) => (4321 * 31 + at) % 997));
    const having = [...index.having(5)];
    expect(having).toEqual([...having].sort((a, b) => a - b));
    for (const sequence of having) expect([...index.tokensOf(sequence)]).toContain(5);
    expect(index.bytes).toBeLessThan(5000 * 400);
  });

  it('keeps a memory without tokens', () => {
    const index = indexOf({ 1: [] });
    expect(index.size).toBe(1);
    expect(index.lengthOf(1)).toBe(0);
  });
});
