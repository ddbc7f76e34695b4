import { expect, it } from '@jest/globals';
import { MovePace } from '../../../../src/operations/tiers/carry-out-moves.ts';

/** When so many parts of 50 moves begin, asked for one after the other, each of which takes so long; in milliseconds. */
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

it('parts that are quick › begin at even distances, 5,100 moves a second, but for what lies 100 ms back', async () => {
  const begun = await beginnings(100, 1);
  const gaps = begun.slice(1).map((atMs, at) => atMs - (begun[at] ?? 0));
  expect(gaps.slice(0, 10)).toEqual(Array(10).fill(1));
  for (const gap of gaps.slice(12)) expect(gap).toBeCloseTo((50 / 5100) * 1000, 6);
});

it('parts that are slow › do not wait, and no more than 100 ms of what they lost are made up for', async () => {
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
