import { once } from 'node:events';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../../../src/memory/errors.ts';
import { refusal } from '../support/ask.ts';
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

describe('a unary method', () => {
  const secret = 'secret detail';
  const thrown: Record<string, unknown> = {
    'an Error': new Error(secret),
    'an error with a status of HTTP': Object.assign(new Error(secret), { code: 404 }),
    'an error of a driver': Object.assign(new Error(secret), { code: 'SQLITE_BUSY' }),
    'an error that looks like a status': { code: status.OK, details: secret },
    'a text': secret,
    nothing: undefined,
    'a bigint': 1n,
    'an object that cannot be read': {
      get message(): string {
        throw new Error(secret);
      },
    },
  };

  for (const [what, value] of Object.entries(thrown)) {
    it.each([
      ['throws', () => fail(value)],
      ['rejects', () => Promise.reject(value)],
    ])(`when it %s ${what} › INTERNAL without a word of it, and the log has it under the call id`, async (_, unary) => {
      odd = await startOddServer({ unary });
      const refused = await refusal(odd.call());

      expect(refused).toMatchObject({ code: 'INTERNAL', reason: 'INTERNAL' });
      expect(refused.message).not.toContain(secret);
      expect(refused.requestId).toBe(refused.metadata.request_id);
      expect(odd.log).toMatchObject([{ level: 'error', call: refused.requestId, method: 'odd.v1.Odd/Unary' }]);
    });
  }

  it('when its answer cannot be encoded › INTERNAL, and the next answer is complete', async () => {
    const answers: unknown[] = [null, { service: Object.create(null) }, undefined, SERVING];
    odd = await startOddServer({ unary: () => answers.shift() as never });
    const { call } = odd;

    for (let i = 0; i < 3; i++) expect(await refusal(call())).toMatchObject({ code: 'INTERNAL' });
    expect(await call('x'.repeat(100))).toEqual(SERVING);
  });

  it('when it never answers › DEADLINE_EXCEEDED at the default deadline, and the call counts no longer', async () => {
    odd = await startOddServer({ unary: never }, { defaultDeadlineMs: 300 });

    expect(await refusal(odd.callForever())).toMatchObject({ code: 'DEADLINE_EXCEEDED', reason: 'DEADLINE_EXCEEDED' });
    expect(odd.edge.callsInFlight).toBe(0);
  });

  it('when the caller asks for longer than is allowed › DEADLINE_EXCEEDED at the longest deadline', async () => {
    odd = await startOddServer({ unary: never }, { maxDeadlineMs: 600 });
    const startedAtMs = Date.now();

    expect(await refusal(odd.call('', { deadlineMs: 60_000 }))).toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
    expect(Date.now() - startedAtMs).toBeLessThan(20_000);
  });

  it('when it observes its signal › its answer arrives before the deadline', async () => {
    const notYet = new MnemeError('REVISION_NOT_YET', 'not yet', { metadata: { revision: '1' } });
    const unary = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      await once(signal, 'abort');
      expect(signal.reason).toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
      throw notYet;
    };
    odd = await startOddServer({ unary }, { maxDeadlineMs: 600 });

    expect(await refusal(odd.call())).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'REVISION_NOT_YET',
      metadata: { revision: '1' },
    });
  });

  it('when the deadline has passed on arrival › it is not begun', async () => {
    let begun = 0;
    odd = await startOddServer({
      unary: () => {
        begun++;
        return SERVING;
      },
    });
    const { call } = odd;
    await call();
    const calls = Array.from({ length: 50 }, () =>
      call('', { deadlineMs: 0 }).catch((error: ServiceError) => error.code),
    );

    expect(new Set(await Promise.all(calls))).toEqual(new Set([status.DEADLINE_EXCEEDED]));
    await call();
    expect(begun).toBe(2);
  });

  it('when the caller cancels › the signal is aborted', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<void>();
    odd = await startOddServer({
      unary: async (_, { signal }) => {
        begun.resolve();
        await once(signal, 'abort');
        aborted.resolve(signal.reason);
        throw signal.reason;
      },
    });
    const ended = Promise.withResolvers<unknown>();
    const call = odd.startUnary(ended.resolve);
    await begun.promise;
    call.cancel();

    expect(await aborted.promise).toMatchObject({ reason: 'CANCELLED' });
    expect(await ended.promise).toMatchObject({ code: status.CANCELLED });
    expect(odd.edge.callsInFlight).toBe(0);
  });

  it('when there are more calls than allowed in flight › OVERLOADED names the retry delay', async () => {
    const release = Promise.withResolvers<void>();
    odd = await startOddServer({ unary: () => release.promise.then(() => SERVING) });
    const { call } = odd;
    const served = Array.from({ length: 4 }, () => call());
    const refused = await refusal(call());
    release.resolve();

    expect(refused).toMatchObject({ code: 'UNAVAILABLE', reason: 'OVERLOADED', retryDelayMs: 200 });
    expect(refused.trailer.get('grpc-retry-pushback-ms')).toEqual(['200']);
    expect(await Promise.all(served)).toHaveLength(4);
    expect(await call()).toEqual(SERVING);
  });

  it('when the error is long and not ASCII › the trailer stays under 4 KB', async () => {
    const long = 'é🙂\ud800'.repeat(5_000);
    const violations = Array.from({ length: 100 }, (_, i) => ({ field: `f[${i}]${long}`, description: long }));
    odd = await startOddServer({
      unary: () => fail(new MnemeError('FIELD_INVALID', long, { violations, metadata: { name: long } })),
    });
    const refused = await refusal(odd.call());

    expect(refused.reason).toBe('FIELD_INVALID');
    expect(refused.fields.length).toBeGreaterThan(0);
    expect(refused.trailerBytes).toBeLessThan(4096);
  });

  it.each([
    ['bytes that are no message', Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff])],
    ['a message that ends too early', Buffer.from([0x0a, 0x05, 0x61])],
    ['a text that is not UTF-8', Buffer.from([0x0a, 0x02, 0xc3, 0x28])],
    ['a long text that is not UTF-8', Buffer.concat([Buffer.from([0x0a, 0x64]), Buffer.alloc(100, 0xc3)])],
    ['a message with bytes behind it', Buffer.from([0x0a, 0x01, 0x61, 0x00, 0x01, 0x02])],
    ['a group that is not closed', Buffer.from([0x0b, 0x0b, 0x0b])],
  ])('when it gets %s › INVALID_ARGUMENT', async (_, bytes) => {
    odd = await startOddServer({ unary: () => SERVING });

    expect(await refusal(odd.call(bytes))).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'MESSAGE_MALFORMED' });
  });
});
