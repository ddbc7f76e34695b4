import { expect, it } from '@jest/globals';
import { MovePace } from '../../../../../src/server/operations/tiers/carry-out-moves.ts';

/** Start times of parts of 50 moves, requested in sequence, each of the given duration; in milliseconds. */
async function beginnings(count: number, partMs: number, pausesMs: readonly number[] = []): Promise<number[]> {
  let nowMs = 1000;
  const timing = {
    nowMs: () => nowMs,
    async sleep(forMs: number) {
      nowMs += forMs;
    },
  };
  const pace = new MovePace(timing);
  const begun: number[] = [];
  for (let at = 0; at < count; at++) {
    await pace.take(50);
    begun.push(nowMs);
    nowMs += partMs + (pausesMs[at] ?? 0);
  }
  return begun;
}

it('fast parts › start at even distances, 5,100 moves a second, except for a backlog of 100 ms', async () => {
  const begun = await beginnings(100, 1);
  const gaps = begun.slice(1).map((atMs, at) => atMs - (begun[at] ?? 0));
  expect(gaps.slice(0, 10)).toEqual(Array(10).fill(1));
  for (const gap of gaps.slice(12)) expect(gap).toBeCloseTo((50 / 5100) * 1000, 6);
});

it('slow parts › do not wait, and catch up no more than 100 ms', async () => {
  const slow = await beginnings(20, 20);
  expect(slow.map((atMs, at) => atMs - at * 20)).toEqual(Array(20).fill(1000));
  const paused = await beginnings(
    60,
    1,
    Array.from({ length: 60 }, (_, at) => (at === 30 ? 10_000 : 0)),
  );
  const after = paused.slice(31);
  const gaps = after.slice(1).map((atMs, at) => atMs - (after[at] ?? 0));
  expect(gaps.filter((gap) => gap === 1).length).toBe(11);
});
