import { describe, expect, it } from '@jest/globals';
import { putSaidFirst } from '../../../src/search/ranking/learned-ranker.ts';

/** Each row: score of the trees, share of the question, whether it has a word of it, and whether it is a question. */
function order(rows: readonly (readonly [score: number, share: number, hasAny: boolean, asks?: boolean])[]) {
  const scores = Float64Array.from(rows, ([score]) => score);
  const moved = putSaidFirst(scores, (row) => {
    const [, share = 0, hasAny = false, asks = false] = rows[row] ?? [];
    return { share, hasAny, asks };
  });
  const places = rows.map((_, row) => row).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  return { places, scores, moved };
}

describe('putSaidFirst', () => {
  it('none of the words › behind all that have every one, in the order they had', () => {
    const { places } = order([
      [9, 0, false],
      [5, 1, true],
      [8, 0, false],
      [2, 1, true],
      [1, 0, false],
    ]);
    expect(places).toEqual([1, 3, 0, 2, 4]);
  });

  it('some of the words, or another form of one › stays where it was', () => {
    const { places, moved } = order([
      [9, 0.5, true],
      [8, 0, true],
      [7, 1, true],
    ]);
    expect(places).toEqual([0, 1, 2]);
    expect([...moved]).toEqual([0, 0, 0]);
  });

  it('no memory has every word › nothing is moved', () => {
    expect(
      order([
        [3, 0, false],
        [2, 0.9, true],
      ]).places,
    ).toEqual([0, 1]);
  });

  it('a question with all of the words › directly behind the best statement, before memories with none', () => {
    const { places, moved } = order([
      [9, 1, true, true],
      [5, 1, true],
      [8, 1, true, true],
      [6, 0, false],
      [1, 1, true],
      [4, 0.5, true],
    ]);
    expect(places).toEqual([1, 0, 2, 5, 4, 3]);
    expect([...moved].map((by) => by < 0)).toEqual([true, false, true, true, false, false]);
  });

  it('questions alone have all of the words, or one is behind already › stays where it was', () => {
    const alone = order([
      [9, 1, true, true],
      [5, 0.5, true],
    ]);
    expect(alone.places).toEqual([0, 1]);
    const behind = order([
      [5, 1, true, true],
      [9, 1, true],
    ]);
    expect([...behind.moved]).toEqual([0, 0]);
  });

  it('returns the change of each score', () => {
    const { scores, moved } = order([
      [4, 0, false],
      [3, 1, true],
    ]);
    expect((scores[0] ?? 0) - (moved[0] ?? 0)).toBe(4);
    expect([...order([]).moved]).toEqual([]);
  });
});
