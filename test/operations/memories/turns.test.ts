import { beforeEach, describe, expect, it } from '@jest/globals';
import { Turns } from '../../../src/operations/memories/store-memories.ts';

let nowMs: number;
let turns: Turns;
beforeEach(() => {
  nowMs = 0;
  turns = new Turns(() => nowMs);
});

/** Keeps the thread busy until the clock has advanced. */
function work(ms: number): void {
  nowMs += ms;
}

describe('turns', () => {
  it('when there is time left › no caller waits', () => {
    expect(turns.wait()).toBeUndefined();
    work(4);
    expect(turns.wait()).toBeUndefined();
  });

  it('when many long works come at once › timers and other work come in between, and each work ends in order', async () => {
    const ended: number[] = [];
    let ticks = 0;
    let isOver = false;
    const tick = () => {
      ticks++;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    const works = Array.from({ length: 20 }, async (_, i) => {
      for (let step = 0; step < 3; step++) {
        await turns.wait();
        work(1);
      }
      ended.push(i);
    });
    await Promise.all(works);
    isOver = true;

    expect(ended).toEqual([...ended].sort((a, b) => a - b));
    // 60 ms of work in turns of 5 ms and a step.
    expect(ticks).toBeGreaterThanOrEqual(8);
  });

  it('when a turn is over › the next one has time again', async () => {
    await turns.wait();
    work(10);
    expect(turns.wait()).toBeInstanceOf(Promise);
    for (let i = 0; i < 3; i++) await new Promise(setImmediate);

    expect(turns.wait()).toBeUndefined();
  });
});
