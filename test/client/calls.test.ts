import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  CancelledError,
  connect,
  DeadlineExceededError,
  UnavailableError,
} from '../../clients/typescript/src/index.ts';
import {
  type GetMemoryRequest,
  GetMemoryResponse,
  type StoreMemoryRequest,
  type StoreMemoryResponse,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { freePort } from '../support/free-port.ts';
import { cleanUp, client, onCleanUp, serve } from './support/clean-up.ts';
import { bareMemoryMessage } from './support/proto-memory.ts';
import { startService, statusError, unary } from './support/start-service.ts';

afterEach(cleanUp);

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const never = () => new Promise<never>(() => {});
/** No server listens there. */
const NOBODY = '127.0.0.1:1';

function stored(revision = 7n): StoreMemoryResponse {
  return {
    memory: {
      name: 'namespaces/default/memories/m1',
      version: 7n,
      createTime: { seconds: 1_700_000_000n, nanos: 123_456_000 },
      checksum: 'abc',
      embeddingPending: false,
    },
    revision,
  };
}

describe('client › retries', () => {
  it('when the server fails once with UNAVAILABLE › the second attempt carries the same request id and succeeds', async () => {
    const requests: StoreMemoryRequest[] = [];
    const store = unary<StoreMemoryRequest, StoreMemoryResponse>((request) => {
      requests.push(request);
      if (requests.length === 1) throw statusError(status.UNAVAILABLE, 'draining', { reason: 'DRAINING' });
      return stored();
    });
    const { mneme } = await serve({ memory: { storeMemory: store } });

    const receipt = await mneme.store({ text: 'tea at five' });

    expect(requests).toHaveLength(2);
    expect(requests[0]?.requestId).toMatch(UUID_V4);
    expect(requests[1]?.requestId).toBe(requests[0]?.requestId);
    expect(receipt).toMatchObject({ id: 'm1', version: 7, revision: 7 });
  });

  it('when the server keeps failing with UNAVAILABLE › fails after four attempts with UnavailableError', async () => {
    let attempts = 0;
    const store = unary(() => {
      attempts += 1;
      throw statusError(status.UNAVAILABLE, 'overloaded', { reason: 'OVERLOADED', retryDelayMs: 1500 });
    });
    const { mneme } = await serve({ memory: { storeMemory: store } });

    const error = await mneme.store({ text: 'x' }).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', reason: 'OVERLOADED', retryable: true, retryDelayMs: 1500 });
    expect(attempts).toBe(4);
  });

  it('when any other status comes back › does not repeat the call', async () => {
    let attempts = 0;
    const store = unary(() => {
      attempts += 1;
      throw statusError(status.ABORTED, 'etag');
    });
    const { mneme } = await serve({ memory: { storeMemory: store } });

    await expect(mneme.store({ text: 'x' })).rejects.toMatchObject({ code: 'ABORTED', retryable: false });
    expect(attempts).toBe(1);
  });

  it('when switched off › makes one attempt', async () => {
    let attempts = 0;
    const store = unary(() => {
      attempts += 1;
      throw statusError(status.UNAVAILABLE, 'no');
    });
    const { mneme } = await serve({ memory: { storeMemory: store } }, { retry: false });

    await expect(mneme.store({ text: 'x' })).rejects.toBeInstanceOf(UnavailableError);
    expect(attempts).toBe(1);
  });
});

describe('client › request ids', () => {
  it('every mutation › carries its own, or the one of the caller', async () => {
    const ids: string[] = [];
    const store = unary<StoreMemoryRequest, StoreMemoryResponse>((request) => {
      ids.push(request.requestId);
      return stored();
    });
    const { mneme } = await serve({ memory: { storeMemory: store } });

    await mneme.store({ text: 'a' });
    await mneme.store({ text: 'a' });
    await mneme.store({ text: 'a' }, { requestId: 'mine' });

    expect(ids[0]).toMatch(UUID_V4);
    expect(ids[1]).toMatch(UUID_V4);
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids[2]).toBe('mine');
  });
});

describe('client › deadlines', () => {
  it('when the server does not answer in time › fails with DeadlineExceededError', async () => {
    const { mneme } = await serve({ memory: { getMemory: unary(never) } }, { timeoutMs: 150 });

    const error = await mneme.get('m1').catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      reason: undefined,
      retryable: false,
      message: expect.stringMatching(/^GetMemory had no answer after [\d.]+ s$/),
    });
  });

  it('each call › sends a deadline: ten seconds, five for recall, or its own', async () => {
    const deadlines: { readonly atMs: number; readonly inMs: number }[] = [];
    const watch = (call: { getDeadline(): Date | number }, callback: (error: unknown) => void) => {
      const atMs = Number(call.getDeadline());
      deadlines.push({ atMs, inMs: atMs - Date.now() });
      callback(statusError(status.NOT_FOUND, 'no'));
    };
    const { service } = await serve({ memory: { getMemory: watch }, recall: { recall: watch } });
    const mneme = connect(service.address);
    onCleanUp(() => mneme.close());
    // Only while it connects may a call be slow: the shortest of the three comes last.
    for (const [timeoutMs, call] of [
      [60_000, () => mneme.get('m1', { timeoutMs: 60_000 })],
      [10_000, () => mneme.get('m1')],
      [5_000, () => mneme.recall('tea')],
    ] as const) {
      const askedAtMs = Date.now();
      await expect(call()).rejects.toThrow('no');
      const { atMs = 0, inMs = 0 } = deadlines.pop() ?? {};
      // However long the call was on its way; a little is won or lost where milliseconds are rounded.
      expect(atMs).toBeGreaterThanOrEqual(askedAtMs + timeoutMs - 100);
      expect(inMs).toBeLessThanOrEqual(timeoutMs + 100);
    }
  });
});

describe('client › cancellation', () => {
  it('when the signal aborts during the call › fails with CancelledError and cancels at the server', async () => {
    const seen = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const get = (call: { on(event: 'cancelled', listener: () => void): void }) => {
      call.on('cancelled', () => cancelled.resolve());
      seen.resolve();
    };
    const { mneme } = await serve({ memory: { getMemory: get } });
    const abort = new AbortController();

    const call = mneme.get('m1', { signal: abort.signal }).catch((thrown: unknown) => thrown);
    await seen.promise;
    abort.abort('enough');

    const error = await call;
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ code: 'CANCELLED', cause: 'enough' });
    await cancelled.promise;
  });

  it('when the signal was aborted before › sends nothing', async () => {
    let calls = 0;
    const get = unary(() => {
      calls += 1;
      throw statusError(status.NOT_FOUND, 'no');
    });
    const { mneme } = await serve({ memory: { getMemory: get } });

    await expect(mneme.get('m1', { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(CancelledError);
    expect(calls).toBe(0);
  });

  it('when the client is being closed › calls in flight get their answers, then the promise resolves', async () => {
    const asked = Promise.withResolvers<() => void>();
    const get = unary(async () => {
      await new Promise<void>((answer) => asked.resolve(answer));
      return GetMemoryResponse.fromPartial({ memory: bareMemoryMessage('m1') });
    });
    const { mneme } = await serve({ memory: { getMemory: get } });
    const call = mneme.get('m1');
    const answer = await asked.promise;
    const closing = mneme.close();
    expect(mneme.close()).toBe(closing);
    await expect(mneme.get('m2')).rejects.toBeInstanceOf(CancelledError);
    answer();

    expect(await Promise.race([call, closing])).toMatchObject({ id: 'm1' });
    await closing;
  });

  it('when the client is closed › refuses calls with CancelledError', async () => {
    const { mneme } = await serve({});
    await mneme.close();

    await expect(mneme.get('m1')).rejects.toBeInstanceOf(CancelledError);
    await expect(mneme.exportMemories().next()).rejects.toBeInstanceOf(CancelledError);
  });
});

describe('client › waiting for the server', () => {
  it('when the server starts after the call › answers as soon as it is up', async () => {
    const port = await freePort();
    const mneme = client(`127.0.0.1:${port}`);
    const call = mneme.store({ text: 'early' });

    const service = await startService({ memory: { storeMemory: unary(() => stored()) } }, port);
    onCleanUp(() => service.stop());

    await expect(call).resolves.toMatchObject({ id: 'm1' });
  });

  it('when no server is reachable in time › reports that there was no connection', async () => {
    const mneme = client(NOBODY, { timeoutMs: 300 });

    await expect(mneme.get('m1')).rejects.toThrow(`connection refused at ${NOBODY}`);
    await expect(mneme.exportMemories().next()).rejects.toThrow(`connection refused at ${NOBODY}`);
  });

  it.each(['http://', 'https://', 'GRPC://'])('an address that begins with %s › is refused', (scheme) => {
    expect(() => connect(`${scheme}a:50051`)).toThrow(
      `address: expected host:port without ${scheme}, got ${scheme}a:50051`,
    );
  });

  it('without waiting › fails with UnavailableError as soon as the connection is refused', async () => {
    const mneme = client(NOBODY, { waitForReady: false });

    const error = await mneme.get('m1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnavailableError);
    const refused = `connection refused at ${NOBODY}: is it running? (mneme serve) [connect ECONNREFUSED ${NOBODY}]`;
    expect(error).toMatchObject({ message: refused, reason: undefined, retryable: true });
    await expect(mneme.exportMemories().next()).rejects.toBeInstanceOf(UnavailableError);
  });
});

describe('client › read your writes', () => {
  const get = (asked: bigint[]) =>
    unary<GetMemoryRequest, never>((request) => {
      asked.push(request.minRevision);
      throw statusError(status.NOT_FOUND, 'no');
    });

  it('after a write › reads ask for its revision, in every namespace of the connection', async () => {
    const asked: bigint[] = [];
    const { mneme } = await serve({ memory: { storeMemory: unary(() => stored(42n)), getMemory: get(asked) } });

    await expect(mneme.get('m1')).rejects.toThrow();
    await mneme.store({ text: 'x' });
    await expect(mneme.get('m1')).rejects.toThrow();
    await expect(mneme.withNamespace('other').get('m1')).rejects.toThrow();
    await expect(mneme.get('m1', { minRevision: 3 })).rejects.toThrow();

    expect(asked).toEqual([0n, 42n, 42n, 3n]);
  });

  it('when switched off › reads ask for no revision', async () => {
    const asked: bigint[] = [];
    const services = { memory: { storeMemory: unary(() => stored(42n)), getMemory: get(asked) } };
    const { mneme } = await serve(services, { readYourWrites: false });

    await mneme.store({ text: 'x' });
    await expect(mneme.get('m1')).rejects.toThrow();

    expect(asked).toEqual([0n]);
  });
});

describe('client › credentials', () => {
  it('with a token › sends it with every call', async () => {
    const headers: unknown[] = [];
    const store = unary<StoreMemoryRequest, StoreMemoryResponse>((_, metadata) => {
      headers.push(metadata.get('authorization')[0], metadata.get('user-agent')[0]);
      return stored();
    });
    const { mneme } = await serve({ memory: { storeMemory: store } }, { token: 'secret' });

    await mneme.store({ text: 'x' });
    await mneme.store({ text: 'y' });

    expect(headers).toEqual([
      'Bearer secret',
      expect.stringMatching(/^mneme-typescript\//),
      'Bearer secret',
      expect.stringMatching(/^mneme-typescript\//),
    ]);
  });
});
