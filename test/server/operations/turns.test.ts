import { beforeEach, describe, expect, it } from '@jest/globals';
import { Turns } from '../../../src/server/operations/turns.ts';

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

  it('when bulk work waits › it goes on one step in a turn, behind other steps', async () => {
    const order: string[] = [];
    const bulk = Array.from({ length: 4 }, async (_, at) => {
      await turns.waitBehind();
      work(6);
      order.push(`bulk ${at}`);
    });
    await Promise.resolve();
    const short = Array.from({ length: 3 }, async (_, at) => {
      await turns.wait();
      work(2);
      order.push(`short ${at}`);
    });
    await Promise.all([...bulk, ...short]);

    expect(order.slice(0, 4)).toEqual(['short 0', 'short 1', 'short 2', 'bulk 0']);
    expect(order.slice(4)).toEqual(['bulk 1', 'bulk 2', 'bulk 3']);
  });
});
