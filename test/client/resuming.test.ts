import { type ServerWritableStream, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  CancelledError,
  type ConnectOptions,
  InvalidArgumentError,
  type Mneme,
  OutOfRangeError,
  type StandingAnswer,
  UnavailableError,
  type WatchEvent,
} from '../../clients/typescript/src/index.ts';
import type { ListMemoriesRequest, ListMemoriesResponse } from '../../gen/ts/mneme/v1/memory_service.ts';
import {
  SubscribeRecallResponse,
  type WatchMemoriesRequest,
  WatchMemoriesResponse,
} from '../../gen/ts/mneme/v1/recall_service.ts';
import { ManualTiming } from '../support/manual-timing.ts';
import { cleanUp, serve } from './support/clean-up.ts';
import { bareMemoryMessage } from './support/proto-memory.ts';
import { statusError, unary } from './support/start-service.ts';

afterEach(cleanUp);

type WatchCall = ServerWritableStream<WatchMemoriesRequest, WatchMemoriesResponse>;
type Play = (call: WatchCall) => void;

const token = (revision: number) => `after ${revision}`;
const created = WatchMemoriesResponse.fromPartial({
  resumeToken: token(0),
  event: { $case: 'created', value: { heartbeatInterval: { seconds: 1n, nanos: 0 } } },
});
const stored = (revision: number) =>
  WatchMemoriesResponse.fromPartial({
    revision: BigInt(revision),
    resumeToken: token(revision),
    event: {
      $case: 'batch',
      value: { changes: [{ revision: BigInt(revision), kind: 1, name: `namespaces/n/memories/m${revision}` }] },
    },
  });

/** A server that plays these streams one after the other, and the timing of its client. */
async function playing(streams: readonly Play[], more: Record<string, unknown> = {}, options: ConnectOptions = {}) {
  const requests: WatchMemoriesRequest[] = [];
  const timing = new ManualTiming(0);
  const watch = (call: WatchCall) => {
    requests.push(call.request);
    call.on('error', () => {});
    (streams[requests.length - 1] ?? (() => call.emit('error', statusError(status.NOT_FOUND, 'no more'))))(call);
  };
  const { mneme } = await serve(
    { recall: { watchMemories: watch, ...more }, memory: more },
    { timing, namespace: 'n', ...options },
  );
  return { mneme, requests, timing };
}

async function failureOf(stream: AsyncIterator<unknown>): Promise<unknown> {
  return stream.next().then(
    ({ value }) => ({ value }),
    (error: unknown) => error,
  );
}

async function take(events: AsyncGenerator<WatchEvent>, count: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done) break;
    taken.push(`${next.value.kind} ${'id' in next.value ? next.value.id : ''}`.trim());
  }
  return taken;
}

describe('client › watch', () => {
  it.each([
    ['UNAVAILABLE', status.UNAVAILABLE],
    ['a CANCELLED that nobody here asked for', status.CANCELLED],
    ['INTERNAL of a proxy', status.INTERNAL],
  ])('when the stream ends with %s › it continues after the last message, and repeats nothing', async (_, code) => {
    const breaks = Promise.withResolvers<void>();
    const { mneme, requests } = await playing([
      (call) => {
        call.write(created);
        call.write(stored(1));
        call.write(stored(2));
        // Messages in transit when a stream fails may be lost, as with a server that dies.
        void breaks.promise.then(() => call.emit('error', statusError(code, 'gone')));
      },
      (call) => {
        call.write(stored(2));
        call.write(stored(3));
      },
    ]);
    const received: string[] = [];
    const options = { onBroken: () => received.push('broken'), onOpen: () => received.push('open') };
    const events = mneme.watch({}, options);
    expect(await take(events, 2)).toEqual(['stored m1', 'stored m2']);
    breaks.resolve();
    expect(await take(events, 1)).toEqual(['stored m3']);
    expect(requests.map(({ resumeToken }) => resumeToken)).toEqual(['', 'after 2']);
    expect(received).toEqual(['open', 'broken', 'open']);
    await events.return();
  });

  it('when the server ends the stream with OK › that is a break, too', async () => {
    const { mneme } = await playing([
      (call) => {
        call.write(stored(1));
        call.end();
      },
      (call) => call.write(stored(2)),
    ]);
    const events = mneme.watch();
    expect(await take(events, 2)).toEqual(['stored m1', 'stored m2']);
    await events.return();
  });

  it('when silent for three heartbeats › the stream is abandoned and reopened', async () => {
    const opened = Promise.withResolvers<void>();
    const { mneme, timing } = await playing([
      (call) => {
        call.write(created);
        call.write(stored(1));
      },
      (call) => {
        call.write(stored(2));
        opened.resolve();
      },
    ]);
    const events = mneme.watch();
    expect(await take(events, 1)).toEqual(['stored m1']);
    const next = take(events, 1);
    timing.pass(2_900);
    // A whole turn: the timer's callback has run.
    await new Promise((resolve) => setImmediate(resolve));
    const isOpened = await Promise.race([opened.promise.then(() => true), Promise.resolve(false)]);
    expect(isOpened).toBe(false);
    timing.pass(3_200);
    expect(await next).toEqual(['stored m2']);
    await events.return();
  });

  it('when changes are no longer retained › it lists all memories and continues from there, or fails on request', async () => {
    const compacted: Play = (call) =>
      call.emit('error', statusError(status.OUT_OF_RANGE, 'compacted', { reason: 'REVISION_COMPACTED' }));
    const list = unary<ListMemoriesRequest, ListMemoriesResponse>(({ pageToken }) => ({
      memories: [bareMemoryMessage(pageToken === '' ? 'a' : 'b')],
      damaged: [],
      nextPageToken: pageToken === '' ? 'next' : '',
      revision: 9n,
    }));
    // The position to continue from is requested before the list, as a token: the list may come from another server.
    const now: Play = (call) => call.write({ ...created, resumeToken: 'now' });
    const { mneme, requests } = await playing([compacted, now, (call) => call.write(stored(10))], {
      listMemories: list,
    });
    const events = mneme.watch({ startRevision: 2 });
    expect(await take(events, 4)).toEqual(['relisting', 'listed a', 'listed b', 'stored m10']);
    expect(requests.map(({ startRevision }) => startRevision)).toEqual([2n, 0n, 0n]);
    expect(requests.map(({ resumeToken }) => resumeToken)).toEqual(['', '', 'now']);
    await events.return();

    const other = await playing([compacted]);
    expect(await failureOf(other.mneme.watch({ startRevision: 2, onCompacted: 'fail' }))).toBeInstanceOf(
      OutOfRangeError,
    );
  });

  it('when Mneme itself refuses, or retries are disabled › the error is thrown', async () => {
    const refuse: Play = (call) =>
      call.emit('error', statusError(status.INVALID_ARGUMENT, 'no', { reason: 'FIELD_INVALID' }));
    const { mneme } = await playing([refuse]);
    expect(await failureOf(mneme.watch())).toBeInstanceOf(InvalidArgumentError);
    const gone: Play = (call) => call.emit('error', statusError(status.UNAVAILABLE, 'gone'));
    const other = await playing([gone, gone], {}, { retry: false });
    expect(await failureOf(other.mneme.watch())).toBeInstanceOf(UnavailableError);
  });

  it('when the server stays unreachable › the delays grow, and it fails when its patience is exceeded', async () => {
    const gone: Play = (call) => call.emit('error', statusError(status.UNAVAILABLE, 'gone'));
    const timing = new ManualTiming(0.999);
    const { mneme } = await playing(Array(40).fill(gone), {}, { timing });
    const waits: number[] = [];
    const setTimer = timing.setTimer.bind(timing);
    timing.setTimer = (callback, afterMs) => {
      // Backoffs pass at once; the watch over silence is the one of 45 s.
      if (afterMs >= 45_000) return setTimer(callback, afterMs);
      waits.push(Math.round(afterMs));
      queueMicrotask(() => timing.pass(afterMs));
      return setTimer(callback, afterMs);
    };
    expect(await failureOf(mneme.watch({}, { patienceMs: 30_000 }))).toBeInstanceOf(UnavailableError);
    expect(waits.slice(0, 8)).toEqual([100, 200, 400, 799, 1598, 3197, 6394, 9990]);
  });

  it('when its signal is aborted › it ends with CancelledError, also while it waits', async () => {
    const gone: Play = (call) => call.emit('error', statusError(status.UNAVAILABLE, 'gone'));
    const timing = new ManualTiming(1);
    const controller = new AbortController();
    const { mneme } = await playing([gone], {}, { timing });
    const onBroken = () => setImmediate(() => controller.abort());
    expect(await failureOf(mneme.watch({}, { signal: controller.signal, onBroken }))).toBeInstanceOf(CancelledError);
  });
});

describe('client › a stream', () => {
  it('when the client is closed › ends with CancelledError at once, and is not opened again', async () => {
    const { mneme, requests } = await playing([(call) => void call.write(stored(1))]);
    const events = mneme.watch();
    expect(await take(events, 1)).toEqual(['stored m1']);
    await mneme.close();
    expect(await failureOf(events)).toBeInstanceOf(CancelledError);
    expect(requests).toHaveLength(1);
  });
});

describe('client › subscribe', () => {
  const hit = (id: string, score: number) => ({ memory: bareMemoryMessage(id), score });
  const event = (kind: number, id: string, place: number, score = 1) => ({
    kind,
    name: `namespaces/default/memories/${id}`,
    place,
    ...(kind === 3 ? {} : { hit: hit(id, score) }),
  });
  const batch = (revision: number, events: object[], rest: object = {}) =>
    SubscribeRecallResponse.fromPartial({
      revision: BigInt(revision),
      resumeToken: token(revision),
      event: { $case: 'batch', value: { events, ...rest } },
    });
  const shown = ({ hits, entered, updated, leftIds: left, revision }: StandingAnswer) => {
    const ids = (some: StandingAnswer['hits']) => some.map(({ memory }) => memory.id).join('');
    return `${revision}: ${ids(hits)} +${ids(entered)} ~${ids(updated)} -${left.join('')}`;
  };

  async function states(mneme: Mneme, count: number, onState: (count: number) => void): Promise<string[]> {
    const stream = mneme.subscribe('tea');
    const all: string[] = [];
    while (all.length < count) {
      const { value } = await stream.next();
      if (value) onState(all.push(shown(value)));
    }
    await stream.return();
    return all;
  }

  it('events, fragments and a snapshot after an interruption › combine to one state, and each change is yielded once', async () => {
    let streams = 0;
    const breaks = Promise.withResolvers<void>();
    const subscribe = (call: ServerWritableStream<unknown, SubscribeRecallResponse>) => {
      call.on('error', () => {});
      streams += 1;
      if (streams > 1) {
        call.write(batch(5, [event(1, 'd', 1), event(1, 'c', 2)], { snapshot: true }));
        return;
      }
      call.write(batch(1, [event(1, 'a', 1)], { snapshot: true, fragment: true }));
      call.write(batch(1, [event(1, 'b', 2)], { snapshot: true }));
      call.write(batch(2, [event(1, 'c', 1), event(2, 'a', 2), event(2, 'b', 3)]));
      call.write(batch(3, [event(3, 'a', 0)], { fragment: true }));
      call.write(batch(3, [event(2, 'b', 2)]));
      void breaks.promise.then(() => call.emit('error', statusError(status.UNAVAILABLE, 'gone')));
    };
    const { mneme } = await playing([], { subscribeRecall: subscribe });
    const all = await states(mneme, 4, (count) => count === 3 && breaks.resolve());
    expect(all).toEqual(['1: ab +ab ~ -', '2: cab +c ~ab -', '3: cb + ~b -a', '5: dc +d ~c -b']);
  });
});
