import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Alarms, EARLY_MS } from '../../../../../src/server/operations/streams/open-streams.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('alarms', () => {
  it('set for any instants › ring then or a moment before, and never later', async () => {
    const alarms = new Alarms();
    const errorsMs: number[] = [];
    const startedMs = performance.now();
    for (let afterMs = 0; afterMs < 1000; afterMs += 7) {
      const atMs = startedMs + afterMs;
      alarms.set(atMs, () => errorsMs.push(performance.now() - atMs));
    }
    await jest.advanceTimersByTimeAsync(1000);
    expect(errorsMs).toHaveLength(143);
    // A timer waits for a millisecond at least.
    expect(Math.max(...errorsMs)).toBeLessThanOrEqual(1);
    expect(Math.min(...errorsMs)).toBeGreaterThan(-EARLY_MS);
  });

  it('of the same moment › have one timer', () => {
    const alarms = new Alarms();
    const atMs = Math.ceil((performance.now() + 1000) / EARLY_MS) * EARLY_MS;
    for (let at = 0; at < 5; at++) alarms.set(atMs + at, () => undefined);
    expect(jest.getTimerCount()).toBe(1);
  });

  it('one is cancelled, before and after the others ring › the others ring, and nothing remains', async () => {
    const alarms = new Alarms();
    const rung: string[] = [];
    const atMs = performance.now() + 1000;
    const takeBack = alarms.set(atMs, () => rung.push('a'));
    const takeBackLate = alarms.set(atMs, () => rung.push('b'));
    takeBack();
    await jest.advanceTimersByTimeAsync(1000);
    const again = alarms.set(atMs, () => rung.push('c'));
    takeBackLate();
    takeBack();
    expect(jest.getTimerCount()).toBe(1);
    again();
    expect(rung).toEqual(['b']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('set for an hour ahead, and one again while it rings › ring when they are to', async () => {
    const alarms = new Alarms();
    const startedMs = performance.now();
    const rungMs: number[] = [];
    const note = () => rungMs.push(Math.round((performance.now() - startedMs) / 1000));
    alarms.set(startedMs + 3_600_000, note);
    const takeBack = alarms.set(startedMs + 3_600_000, note);
    alarms.set(startedMs + 1000, () => {
      note();
      alarms.set(startedMs + 2000, note);
    });
    takeBack();
    await jest.advanceTimersByTimeAsync(3_600_001);
    expect(rungMs).toEqual([1, 2, 3600]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
