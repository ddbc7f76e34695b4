import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { OpenStreams } from '../../../src/operations/open-streams.ts';
import { StreamWait } from '../../../src/operations/stream-wait.ts';
import { call } from '../../operations/support.ts';

const SILENCE_MS = 10_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('streams that begin together › fall silent one after the other, none later than it says', async () => {
  const streams = new OpenStreams({ perCallerMax: 100 });
  const startedMs = performance.now();
  const waits = Array.from({ length: 8 }, () => new StreamWait(call, streams, SILENCE_MS));
  const order: number[] = [];
  const silences = waits.map(async (wait, at) => {
    expect(await wait.next()).toBe('silent');
    order.push(at);
    return performance.now() - startedMs;
  });
  await jest.advanceTimersByTimeAsync(SILENCE_MS);
  expect(Math.max(...(await Promise.all(silences)))).toBeLessThanOrEqual(SILENCE_MS);
  // 1 less half of 0.618, 0.236, 0.854, 0.472, 0.090, 0.708, 0.326, 0.944 of the whole.
  expect(order).toEqual([7, 2, 5, 0, 3, 6, 1, 4]);
  for (const wait of waits) wait.close();
});

it('shares › lie evenly between 0 and 1, however many are asked for', () => {
  const streams = new OpenStreams({ perCallerMax: 1 });
  const shares = Array.from({ length: 1000 }, () => streams.nextShare()).sort((one, other) => one - other);
  const gaps = shares.slice(1).map((share, at) => share - (shares[at] ?? 0));
  expect(Math.min(...shares)).toBeGreaterThan(0);
  expect(Math.max(...shares)).toBeLessThan(1);
  expect(Math.max(...gaps)).toBeLessThan(0.003);
});
