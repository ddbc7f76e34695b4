import { expect, test } from '@jest/globals';
import { CommitPace } from '../../../src/storage/sqlite/commit-pace.ts';

test('CommitPace › single writes one after another › none waits', () => {
  const pace = new CommitPace();
  for (let nowMs = 0; nowMs < 100; nowMs++) {
    expect(pace.dueInMs(1, nowMs)).toBe(0);
    pace.sent(1, nowMs);
  }
});

test('CommitPace › fewer writes than last time › wait until 4 ms after those', () => {
  const pace = new CommitPace();
  pace.sent(3, 100);
  expect(pace.dueInMs(2, 101)).toBe(3);
  expect(pace.dueInMs(2, 104)).toBe(0);
  expect(pace.dueInMs(2, 200)).toBe(0);
});

test('CommitPace › fewer writes than last time, when these were many › wait until 8 ms after those', () => {
  const pace = new CommitPace();
  pace.sent(4, 100);
  expect(pace.dueInMs(3, 101)).toBe(7);
  expect(pace.dueInMs(3, 108)).toBe(0);
  pace.sent(3, 108);
  expect(pace.dueInMs(2, 109)).toBe(3);
});

test('CommitPace › as many writes as last time › go out at once', () => {
  const pace = new CommitPace();
  pace.sent(16, 100);
  expect(pace.dueInMs(16, 101)).toBe(0);
});

test('CommitPace › after a burst of writes › soon no write waits any more', () => {
  const pace = new CommitPace();
  pace.sent(512, 0);
  let waitedMs = 0;
  let nowMs = 1;
  for (let write = 0; write < 100; write++) {
    const dueInMs = pace.dueInMs(1, nowMs);
    waitedMs += dueInMs;
    nowMs += dueInMs;
    pace.sent(1, nowMs);
    nowMs += 1;
  }
  expect(waitedMs).toBeLessThan(200);
  expect(pace.dueInMs(1, nowMs)).toBe(0);
});
