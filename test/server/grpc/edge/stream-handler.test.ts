import { once } from 'node:events';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { ServiceError } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../../../src/memory/errors.ts';
import { refusalOf } from '../support/ask.ts';
import { type OddServer, startOddServer } from '../support/odd-server.ts';

let odd: OddServer | undefined;
afterEach(async () => {
  await odd?.stop();
  odd = undefined;
});

const SERVING = { service: 'x' };
const never = () => new Promise<never>(() => {});
const fail = (thrown: unknown): never => {
  throw thrown;
};

/** Status at the end of a stream. */
async function endOf(stream: NodeJS.EventEmitter) {
  const [error] = (await once(
    stream.on('data', () => {}),
    'error',
  )) as [ServiceError];
  return refusalOf(error);
}

describe('a server stream', () => {
  it('when it throws between answers › the answers arrive and then the status', async () => {
    odd = await startOddServer({
      async *stream() {
        yield SERVING;
        throw new MnemeError('MEMORY_NOT_FOUND', 'gone');
      },
    });
    const stream = odd.stream();
    const answers: unknown[] = [];
    stream.on('data', (answer) => answers.push(answer));

    expect(await endOf(stream)).toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
    expect(answers).toEqual([SERVING]);
  });

  it('when it throws an unusual value, or is not a stream › INTERNAL', async () => {
    for (const stream of [() => fail('x'), () => undefined, () => ({})]) {
      odd = await startOddServer({ stream: stream as never });
      expect(await endOf(odd.stream())).toMatchObject({ code: 'INTERNAL', reason: 'INTERNAL' });
      await odd.stop();
    }
  });

  it('when three quarters of the calls in flight are streams › one more is refused, other calls are served', async () => {
    odd = await startOddServer({
      unary: () => SERVING,
      async *stream() {
        yield SERVING;
        await never();
      },
    });
    const streams = Array.from({ length: 3 }, () => (odd as OddServer).stream());
    for (const stream of streams) {
      stream.on('error', () => undefined);
      await once(stream, 'data');
    }

    expect(await endOf(odd.stream())).toMatchObject({ code: 'UNAVAILABLE', reason: 'OVERLOADED', retryDelayMs: 200 });
    expect(await odd.call()).toEqual(SERVING);
    streams[0]?.cancel();
    while (odd.edge.callsInFlight > 2) await nextTick();
    const next = odd.stream();
    await once(next, 'data');
    for (const stream of [...streams, next]) stream.on('error', () => undefined).cancel();
  });

  it('when the reader stalls › no more is made than fits in the buffers, and all of it arrives in the end', async () => {
    let made = 0;
    const total = 1_000;
    const large = { service: 'x'.repeat(32_768) };
    odd = await startOddServer({
      unary: () => SERVING,
      async *stream() {
        for (; made < total; made++) yield large;
      },
    });
    const stream = odd.stream();
    await once(stream, 'data');
    stream.pause();
    // The server makes no progress once the buffers are full: some calls later nothing has been added.
    let before = -1;
    while (made !== before) {
      before = made;
      for (let i = 0; i < 20; i++) await odd.call();
    }

    expect(made).toBeLessThan(total);
    stream.resume();
    await once(
      stream.on('data', () => {}),
      'end',
    );
    expect(made).toBe(total);
  });

  it('when the caller cancels › the generator is closed', async () => {
    const closed = Promise.withResolvers<void>();
    odd = await startOddServer({
      async *stream(_, { signal }) {
        try {
          for (;;) {
            yield SERVING;
            await new Promise(setImmediate);
            signal.throwIfAborted();
          }
        } finally {
          closed.resolve();
        }
      },
    });
    const stream = odd.stream().on('error', () => {});
    await once(stream, 'data');
    stream.cancel();

    await closed.promise;
    while (odd.edge.callsInFlight > 0) await new Promise(setImmediate);
  });

  it('when it never answers › headers arrive all the same, and the deadline of the caller ends it', async () => {
    odd = await startOddServer({
      unary: () => SERVING,
      // biome-ignore lint/correctness/useYield: it is about a stream that yields nothing
      async *stream() {
        await never();
      },
    });
    // The connection is there before the time runs.
    await odd.call();
    const stream = odd.stream({ deadline: Date.now() + 3000 });
    const ended = endOf(stream);
    await once(stream, 'metadata');

    expect(await ended).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });
});

describe('a bidirectional stream', () => {
  it('when it stops reading early with an error › the caller gets the status', async () => {
    odd = await startOddServer({
      async *bidi(requests) {
        for await (const { service } of requests) {
          if (service === 'bad') throw new MnemeError('MEMORY_EXISTS', 'there already');
          yield SERVING;
        }
      },
    });
    const stream = odd.bidi();
    const ended = endOf(stream);
    for (const service of ['a', 'bad', ...Array.from({ length: 100 }, () => 'more')]) stream.write({ service });

    expect(await ended).toMatchObject({ code: 'ALREADY_EXISTS', reason: 'MEMORY_EXISTS' });
  });

  it('when the caller cancels in the middle › no failure is logged', async () => {
    const left = Promise.withResolvers<void>();
    odd = await startOddServer({
      async *bidi(requests) {
        try {
          for await (const _ of requests) yield SERVING;
        } finally {
          left.resolve();
        }
      },
    });
    const stream = odd.bidi().on('error', () => {});
    stream.write({ service: 'a' });
    await once(stream, 'data');
    stream.cancel();
    await left.promise;
    while (odd.edge.callsInFlight > 0) await new Promise(setImmediate);

    expect(odd.log).toEqual([]);
  });
});
