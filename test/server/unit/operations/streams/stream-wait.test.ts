import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OpenStreams } from '../../../../../src/server/operations/streams/open-streams.ts';
import { StreamWait } from '../../../../../src/server/operations/streams/stream-wait.ts';
import { call } from '../../../operations/support.ts';

const SILENCE_MS = 10_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('streams that start together › fall silent one after the other, none later than its limit', async () => {
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

describe('a wait', () => {
  const open = (signal = call.signal) =>
    new StreamWait({ ...call, signal }, new OpenStreams({ perCallerMax: 1 }), SILENCE_MS);

  it('woken before it began › ends at once, and the next one waits again', async () => {
    const wait = open();
    wait.wake();
    expect(await wait.next()).toBe('woken');
    const next = wait.next();
    await jest.advanceTimersByTimeAsync(1000);
    wait.wake();
    expect(await next).toBe('woken');
    wait.close();
  });

  it('with a limit › ends as woken then, though a timer that rings later is set already', async () => {
    const wait = open();
    const silent = wait.next();
    wait.wake();
    await silent;
    const limited = wait.next(250);
    await jest.advanceTimersByTimeAsync(250);
    expect(await limited).toBe('woken');
    wait.close();
  });

  it('whose timer fires too early for it › continues until it is silent', async () => {
    const wait = open();
    const limited = wait.next(250);
    wait.wake();
    await limited;
    const spokeMs = performance.now();
    wait.spoke();
    let endedMs = 0;
    const silent = wait.next().then((woken) => {
      endedMs = performance.now();
      return woken;
    });
    await jest.advanceTimersByTimeAsync(SILENCE_MS);
    expect(await silent).toBe('silent');
    expect(endedMs - spokeMs).toBeGreaterThan(SILENCE_MS / 2);
    wait.close();
  });

  it('of a call that ends › fails with its reason, before and while it waits', async () => {
    const controller = new AbortController();
    const wait = open(controller.signal);
    const waiting = wait.next();
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(wait.next()).rejects.toThrow('gone');
    wait.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('of a server that stops › ends as draining', async () => {
    const streams = new OpenStreams({ perCallerMax: 1 });
    const wait = new StreamWait(call, streams, SILENCE_MS);
    const waiting = wait.next();
    void streams.drain(0);
    expect(await waiting).toBe('draining');
    expect(await wait.next()).toBe('draining');
    wait.close();
  });
});

it('shares › are evenly distributed between 0 and 1, however many are requested', () => {
  const streams = new OpenStreams({ perCallerMax: 1 });
  const shares = Array.from({ length: 1000 }, () => streams.nextShare()).sort((one, other) => one - other);
  const gaps = shares.slice(1).map((share, at) => share - (shares[at] ?? 0));
  expect(Math.min(...shares)).toBeGreaterThan(0);
  expect(Math.max(...shares)).toBeLessThan(1);
  expect(Math.max(...gaps)).toBeLessThan(0.003);
});
