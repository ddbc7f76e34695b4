import { describe, expect, it } from '@jest/globals';
import { type Wait, Waits } from '../../src/memory/waits.ts';
import { ManualTimers } from '../support/manual-timers.ts';
import { seededRandom } from '../support/random.ts';

describe('waits with one time for all', () => {
  it('items that begin and end at random › exactly those that waited for the whole time are late, oldest first', () => {
    const random = seededRandom('waits');
    const timers = new ManualTimers();
    const late: number[] = [];
    const waits = new Waits<number>(100, timers, (item) => late.push(item));
    const open = new Map<number, { wait: Wait<number>; atMs: number }>();
    const expected: number[] = [];
    for (let item = 0; item < 2000; item++) {
      if (random.int(3) > 0) open.set(item, { wait: waits.begin(item), atMs: timers.nowMs() });
      for (const [ended, { wait }] of open) {
        if (random.int(20) > 0) continue;
        waits.end(wait);
        waits.end(wait);
        open.delete(ended);
      }
      timers.advance(random.int(10));
      for (const [overdue, { atMs }] of open) {
        if (atMs + 100 > timers.nowMs()) continue;
        expected.push(overdue);
        open.delete(overdue);
      }
      expect(waits.size).toBe(open.size);
    }
    expect(late).toEqual(expected);
    const rest = [...open.keys()];
    for (const item of rest) expect(waits.takeOldest()).toBe(item);
    expect(waits.takeOldest()).toBeUndefined();
    timers.advance(1000);
    expect(late).toEqual(expected);
  });
});
