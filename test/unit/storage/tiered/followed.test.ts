import { describe, expect, it } from '@jest/globals';
import { notFollowed, paceOf, pausedUntilMs } from '../../../../src/storage/tiered/followed.ts';

describe('pace of copies', () => {
  it('is close while callers wait for copies repeatedly, and always where the hot store may lose data', () => {
    const state = notFollowed();
    expect(paceOf(state, false, 0).behindMax).toBe(2000);
    expect(paceOf(state, true, 0).behindMax).toBe(10_000);
    state.waitedForMs = 5000;
    expect(paceOf(state, true, 15_000).behindMax).toBe(2000);
    expect(paceOf(state, true, 15_001).behindMax).toBe(10_000);
  });

  it('leaves half of the time to writes, or four fifths, within bounds', () => {
    const state = notFollowed();
    const pauseMs = (mayLag: boolean, tookMs: number) => {
      Object.assign(state, { startedMs: 0, endedMs: tookMs });
      return pausedUntilMs(state, paceOf(state, mayLag, 0)) - tookMs;
    };
    expect([1, 50, 300].map((tookMs) => pauseMs(false, tookMs))).toEqual([10, 50, 100]);
    expect([1, 50, 300].map((tookMs) => pauseMs(true, tookMs))).toEqual([10, 200, 500]);
  });

  it('makes the first copy at once', () => {
    expect(pausedUntilMs(notFollowed(), paceOf(notFollowed(), true, 0))).toBe(Number.NEGATIVE_INFINITY);
  });
});
