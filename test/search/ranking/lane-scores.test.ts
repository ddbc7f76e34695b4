import { describe, expect, it } from '@jest/globals';
import { bestOf, type LaneScores, laneOf } from '../../../src/search/ranking/lane-scores.ts';
import { SequenceScores } from '../../../src/search/recall/sequence-scores.ts';
import { seededRandom } from '../../support/random.ts';

function laneOfMap(scores: ReadonlyMap<number, number>, size: number): LaneScores {
  const { values, found } = SequenceScores.from(scores);
  return laneOf(values, found, size);
}

describe('bestOf', () => {
  it('is the head of the whole order, for lanes of any size and with equal scores', () => {
    const random = seededRandom('bestOf');
    for (let round = 0; round < 50; round++) {
      const scores = new Map<number, number>();
      for (let at = random.int(400); at >= 0; at--) scores.set(random.int(5000), random.int(60) / 7 + 0.01);
      const order = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([sequence]) => sequence);
      expect(bestOf(laneOfMap(scores, 5000), 100)).toEqual(order.slice(0, 100));
    }
  });

  it('skips disallowed memories', () => {
    const lane = laneOfMap(
      new Map([
        [1, 3],
        [2, 2],
        [3, 1],
      ]),
      3,
    );
    expect(bestOf(lane, 2, (sequence) => sequence !== 1)).toEqual([2, 3]);
  });

  it('finds the same among the few that may be allowed as among all', () => {
    const random = seededRandom('best of');
    for (let round = 0; round < 100; round++) {
      const scores = new Map<number, number>();
      for (let i = 0; i < 300; i++) scores.set(random.int(1000), 1 + random.int(8));
      const lane = laneOfMap(scores, 1000);
      const few = Array.from({ length: random.int(400) }, () => random.int(1000));
      const among = [...new Set(few)].sort((a, b) => a - b);
      const isAllowed = (sequence: number) => among.includes(sequence) && sequence % 5 !== 0;
      const count = random.int(60);
      expect(bestOf(lane, count, isAllowed, among)).toEqual(bestOf(lane, count, isAllowed));
      const allowed = [...scores].filter(([sequence]) => isAllowed(sequence));
      const expected = allowed.sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([sequence]) => sequence);
      expect(bestOf(lane, count, isAllowed)).toEqual(expected.slice(0, count));
    }
  });

  it('returns nothing for an empty lane', () => {
    expect(bestOf(laneOfMap(new Map(), 10), 5)).toEqual([]);
  });
});

describe('laneOf', () => {
  it('compares with all memories of the namespace, including those not found', () => {
    const lane = laneOf(Float32Array.of(0, 1, 0, 3), Uint32Array.of(1, 3), 4);
    expect(lane.best).toBe(3);
    expect(lane.mean).toBe(1);
    expect(lane.deviation).toBeCloseTo(Math.sqrt(1.5), 6);
  });

  it('has no spread in an empty namespace', () => {
    expect(laneOf(new Float32Array(0), new Uint32Array(0), 0)).toMatchObject({ best: 0, mean: 0, deviation: 0 });
  });
});
