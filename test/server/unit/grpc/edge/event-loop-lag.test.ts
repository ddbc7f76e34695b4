import { describe, expect, it } from '@jest/globals';
import { EventLoopLag } from '../../../../../src/server/grpc/edge/event-loop-lag.ts';

/** A lag whose turns end when the test says so. */
function lagOfTest() {
  let nowMs = 0;
  let end: (() => void) | undefined;
  const lag = new EventLoopLag(
    () => nowMs,
    (callback) => {
      end = callback;
    },
  );
  return {
    look: () => lag.look(),
    after(ms: number) {
      nowMs += ms;
    },
    endTurn() {
      end?.();
      end = undefined;
    },
    turn(ms: number) {
      lag.look();
      nowMs += ms;
      this.endTurn();
    },
  };
}

describe('the lag of the event loop', () => {
  it('after one long turn › is small: the next calls need not pay for it', () => {
    const lag = lagOfTest();
    lag.turn(5);
    lag.turn(3000);
    expect(lag.look()).toBe(5);
  });

  it('after two long turns › is that of the shorter one', () => {
    const lag = lagOfTest();
    lag.turn(400);
    lag.turn(300);
    expect(lag.look()).toBe(300);
  });

  it('when a turn that is under way is long as well › counts it', () => {
    const lag = lagOfTest();
    lag.turn(5);
    lag.turn(400);
    lag.look();
    lag.after(350);
    expect(lag.look()).toBe(350);
  });

  it('when turns are short again, or a long time without calls has passed › is over', () => {
    const lag = lagOfTest();
    lag.turn(400);
    lag.turn(400);
    lag.turn(1);
    expect(lag.look()).toBe(1);
    lag.endTurn();
    lag.turn(400);
    lag.turn(400);
    lag.after(5000);
    expect(lag.look()).toBe(0);
  });

  it('of this process › is measured', async () => {
    const lag = new EventLoopLag();
    lag.look();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(lag.look()).toBeGreaterThanOrEqual(0);
  });
});
