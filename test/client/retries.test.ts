import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { Retries } from '../../clients/typescript/src/retries.ts';
import type { Timing } from '../../clients/typescript/src/streams/timing.ts';

const STORE = '/mneme.v1.MemoryService/StoreMemory';
const RECALL = '/mneme.v1.RecallService/Recall';

/** Time that passes only by waits. */
function clock(): Timing & { readonly waitsMs: number[] } {
  let nowMs = 0;
  const waitsMs: number[] = [];
  return {
    waitsMs,
    nowMs: () => nowMs,
    setTimer(callback, afterMs) {
      waitsMs.push(afterMs);
      nowMs += afterMs;
      callback();
      return () => {};
    },
    random: () => 0.5,
  };
}

function failure(code: status, pushback?: string): ServiceError {
  const metadata = new Metadata();
  if (pushback !== undefined) metadata.set('grpc-retry-pushback-ms', pushback);
  return Object.assign(new Error('failed'), { code, details: 'failed', metadata });
}

/** Number of attempts of a call that fails so each time. */
async function attemptsOf(retries: Retries, path: string, error: ServiceError, timeoutMs = 10_000): Promise<number> {
  let attempts = 0;
  const { answer } = retries.call(path, timeoutMs, (done) => {
    attempts += 1;
    queueMicrotask(() => done(error));
    return () => {};
  });
  await expect(answer).rejects.toBe(error);
  return attempts;
}

describe('retries of unary calls', () => {
  it('policy › attempts and waits are those of the method', async () => {
    const timing = clock();
    const retries = new Retries(timing, () => true);

    expect(await attemptsOf(retries, STORE, failure(status.UNAVAILABLE))).toBe(4);
    expect(await attemptsOf(retries, RECALL, failure(status.UNAVAILABLE))).toBe(3);
    expect(await attemptsOf(retries, STORE, failure(status.INTERNAL))).toBe(1);

    expect(timing.waitsMs).toEqual([25, 50, 100, 10, 20]);
  });

  it('pushback › is waited for, and a value that is no number ends the attempts', async () => {
    const timing = clock();
    const retries = new Retries(timing, () => true);

    expect(await attemptsOf(retries, STORE, failure(status.UNAVAILABLE, '700'))).toBe(4);
    expect(await attemptsOf(retries, STORE, failure(status.UNAVAILABLE, '-1'))).toBe(1);

    expect(timing.waitsMs).toEqual([700, 700, 700]);
  });

  it('deadline › no attempt begins after it', async () => {
    const retries = new Retries(clock(), () => true);

    expect(await attemptsOf(retries, STORE, failure(status.UNAVAILABLE), 70)).toBe(2);
  });

  it('close during the wait › the error of the last attempt reaches the caller', async () => {
    const asked = [true, false];
    const retries = new Retries(clock(), () => asked.shift() ?? false);

    expect(await attemptsOf(retries, STORE, failure(status.UNAVAILABLE))).toBe(1);
  });

  it('cancel during the wait › fails with CANCELLED and makes no other attempt', async () => {
    const retries = new Retries({ ...clock(), setTimer: () => () => {} }, () => true);
    const failed = Promise.withResolvers<void>();
    let attempts = 0;
    const call = retries.call(STORE, 10_000, (done) => {
      attempts += 1;
      queueMicrotask(() => {
        done(failure(status.UNAVAILABLE));
        failed.resolve();
      });
      return () => {};
    });
    await failed.promise;
    call.cancel();

    await expect(call.answer).rejects.toMatchObject({ code: status.CANCELLED });
    expect(attempts).toBe(1);
  });

  it('throttling › a connection whose calls mostly fail repeats none until calls succeed again', async () => {
    const retries = new Retries(clock(), () => true);
    const failing = failure(status.UNAVAILABLE);
    let attempts = 0;
    for (let calls = 0; calls < 20; calls += 1) attempts += await attemptsOf(retries, STORE, failing);
    // 50 of 100 tokens: the 50th failure that might be followed by an attempt is not.
    expect(attempts).toBe(20 + 49);
    expect(await attemptsOf(retries, STORE, failing)).toBe(1);

    for (let calls = 0; calls < 1000; calls += 1) {
      const { answer } = retries.call(STORE, 10_000, (done) => {
        done(null, 'stored');
        return () => {};
      });
      await expect(answer).resolves.toBe('stored');
    }
    expect(await attemptsOf(retries, STORE, failing)).toBe(4);
  });
});
