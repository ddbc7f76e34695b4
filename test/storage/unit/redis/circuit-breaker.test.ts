import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from '../../../../src/storage/redis/open-connection.ts';

function breakerAt(clock: { nowMs: number }): CircuitBreaker {
  return new CircuitBreaker({ failuresMax: 3, retryAfterMs: 100, nowMs: () => clock.nowMs });
}

describe('CircuitBreaker', () => {
  it('when calls fail occasionally › admits all: only failures in a row count', () => {
    const breaker = breakerAt({ nowMs: 0 });
    for (let round = 0; round < 5; round++) {
      breaker.failed(0);
      breaker.failed(0);
      breaker.succeeded();
    }

    expect(breaker.isOpen).toBe(false);
    expect(breaker.admits()).toBe(true);
  });

  it('when three fail in a row › opens once, and admits one call after each wait', () => {
    const clock = { nowMs: 0 };
    const breaker = breakerAt(clock);

    expect([breaker.failed(0), breaker.failed(0), breaker.failed(0), breaker.failed(0)]).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(breaker.admits()).toBe(false);
    clock.nowMs = 100;
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
    clock.nowMs = 200;
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
  });

  it('when the admitted call succeeds › closes; when it fails › waits again from then', () => {
    const clock = { nowMs: 0 };
    const breaker = breakerAt(clock);
    for (let count = 0; count < 3; count++) breaker.failed(0);
    clock.nowMs = 150;
    breaker.admits();
    clock.nowMs = 190;
    breaker.failed(150);

    clock.nowMs = 289;
    expect(breaker.admits()).toBe(false);
    clock.nowMs = 290;
    expect(breaker.admits()).toBe(true);
    expect(breaker.succeeded()).toBe(true);
    expect([breaker.isOpen, breaker.admits(), breaker.admits()]).toEqual([false, true, true]);
  });

  it('when calls from before the last success fail › stays closed, however many they are', () => {
    const clock = { nowMs: 0 };
    const breaker = breakerAt(clock);
    clock.nowMs = 50;
    breaker.succeeded();
    clock.nowMs = 2000;
    for (let count = 0; count < 5; count++) expect(breaker.failed(49)).toBe(false);
    expect(breaker.isOpen).toBe(false);
    for (let count = 0; count < 3; count++) breaker.failed(50);
    expect(breaker.isOpen).toBe(true);
  });
});
