import { describe, expect, it } from '@jest/globals';
import { inParts } from '../../../../../src/server/operations/tiers/carry-out-moves.ts';

describe('inParts', () => {
  it('processes that many parts concurrently and returns their results in order', async () => {
    const begun: (readonly number[])[] = [];
    const ends: (() => void)[] = [];
    const done = inParts([1, 2, 3, 4, 5], { size: 2, atOnce: 2 }, (part) => {
      begun.push(part);
      return new Promise<number>((resolve) => ends.push(() => resolve(part.length)));
    });
    expect(begun).toEqual([
      [1, 2],
      [3, 4],
    ]);
    ends[1]?.();
    while (begun.length < 3) await new Promise(setImmediate);
    expect(begun[2]).toEqual([5]);
    ends[2]?.();
    ends[0]?.();
    expect(await done).toEqual([2, 2, 1]);
  });

  it('starts no further part after a failure, and fails once running ones have ended', async () => {
    const begun: (readonly number[])[] = [];
    const done = inParts([1, 2, 3], { size: 1, atOnce: 2 }, async (part) => {
      begun.push(part);
      await new Promise(setImmediate);
      throw new Error(`part ${part[0]}`);
    });
    await expect(done).rejects.toThrow('part 1');
    expect(begun).toEqual([[1], [2]]);
  });

  it('returns nothing for an empty list', async () => {
    expect(await inParts([], { size: 2, atOnce: 2 }, () => Promise.resolve(1))).toEqual([]);
  });
});
