import { describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '../../../../../src/memory/principal.ts';
import { Edge, type OpenCall } from '../../../../../src/server/grpc/edge/edge.ts';
import { EventLoopLag } from '../../../../../src/server/grpc/edge/event-loop-lag.ts';
import { loggerInto } from '../../../grpc/support/test-server.ts';

const LIMITS = {
  maxCallsInFlight: 4,
  maxEventLoopLagMs: 100,
  maxRequestBytes: 1024,
  maxResponseBytes: 1024,
  defaultDeadlineMs: 1000,
  maxDeadlineMs: 1000,
  maxStreamStallMs: 1000,
};

/** An edge whose turns of the event loop take `turnMs`, and what its meter counted. */
function edgeOf(turnMs: number) {
  let nowMs = 0;
  const lag = new EventLoopLag(
    () => nowMs,
    (end) => {
      nowMs += turnMs;
      end();
    },
  );
  const edge = new Edge({ limits: LIMITS, logger: loggerInto([]), lag });
  const refused: string[] = [];
  edge.meter = {
    callStarted: () => undefined,
    callEnded: () => undefined,
    callRefused: (rule) => void refused.push(rule),
    quotaExceeded: () => undefined,
  };
  return { edge, refused };
}

const call = (isStream = false): OpenCall => ({
  method: 'mneme.v1.MemoryService/GetMemory',
  isStream,
  principal: ANONYMOUS,
  connection: {},
  seat: undefined,
  fail: () => undefined,
});

describe('admission', () => {
  it('while turns are long › refuses calls with OVERLOADED and counts them, but not calls of operators', () => {
    const { edge, refused } = edgeOf(150);
    edge.admit(call());
    expect(() => edge.admit(call())).toThrow('calls wait 150 ms for their turn; at most 100 ms are allowed');
    expect(() => edge.admit(call())).toThrow(expect.objectContaining({ reason: 'OVERLOADED' }));
    edge.admit(call(), true);
    expect(refused).toEqual(['event_loop_lag', 'event_loop_lag']);
  });

  it('with as many calls in flight as allowed › refuses more, but not calls of operators', () => {
    const { edge, refused } = edgeOf(1);
    for (let calls = 0; calls < 4; calls++) edge.admit(call());
    expect(() => edge.admit(call())).toThrow('limit of 4 calls in flight');
    for (let calls = 0; calls < 16; calls++) edge.admit(call(), true);
    expect(() => edge.admit(call(), true)).toThrow('limit of 4 calls in flight');
    expect(refused).toEqual(['calls_in_flight', 'calls_in_flight']);
  });

  it('while a credential is looked up › the call is in flight, and a stop waits for it', async () => {
    const { edge } = edgeOf(1);
    const { promise, resolve } = Promise.withResolvers<typeof ANONYMOUS>();
    const late = call();
    const entered = edge.afterLookup(promise, () => edge.admit(late));
    expect(edge.callsInFlight).toBe(1);
    let isDrained = false;
    const drained = edge.drain(60_000).then(() => {
      isDrained = true;
    });
    await new Promise((next) => setImmediate(next));
    expect(isDrained).toBe(false);
    resolve(ANONYMOUS);
    await entered;
    await new Promise((next) => setImmediate(next));
    expect([isDrained, edge.callsInFlight]).toEqual([false, 1]);
    edge.leave(late);
    await drained;
  });

  it('while as many credentials are looked up as calls may be in flight › refuses more', async () => {
    const { edge, refused } = edgeOf(1);
    const { promise, reject } = Promise.withResolvers<typeof ANONYMOUS>();
    const lookups = Array.from({ length: 5 }, () => edge.afterLookup(promise, () => undefined));
    await expect(lookups[4]).rejects.toMatchObject({ reason: 'OVERLOADED' });
    reject(new Error('no such key'));
    expect((await Promise.allSettled(lookups)).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect([refused, edge.callsInFlight]).toEqual([['calls_in_flight'], 0]);
  });

  it('while the server stops › serves unary calls that were sent before, refuses streams, and ends with the last call', async () => {
    const { edge, refused } = edgeOf(1);
    const first = call();
    edge.admit(first);
    let isDrained = false;
    const drained = edge.drain(60_000).then(() => {
      isDrained = true;
    });
    const second = call();
    edge.admit(second);
    expect(() => edge.admit(call(true))).toThrow(expect.objectContaining({ reason: 'DRAINING' }));
    edge.leave(first);
    await Promise.resolve();
    expect(isDrained).toBe(false);
    edge.leave(second);
    await drained;
    edge.endCalls();
    expect(() => edge.admit(call())).toThrow(expect.objectContaining({ reason: 'DRAINING' }));
    expect(refused).toEqual(['draining', 'draining']);
  });
});
