import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { createConnection } from 'node:net';
import type { ServiceError } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HealthCheckRequest, type HealthCheckResponse } from '../../../../gen/ts/grpc/health/v1/health.ts';
import { ExportMemoriesRequest, StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { WatchMemoriesRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { Storage } from '../../../../src/server/assembly/storage-parts.ts';
import { withMethods } from '../../../../src/storage/with-methods.ts';
import { ManualTimers } from '../../../support/manual-timers.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { framed, rawCall } from '../support/raw-call.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer | undefined;
afterEach(() => mneme?.stop());

/** Storage whose writes wait until they are let go. */
function held() {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const storage = ({ store: made, engine, ...rest }: Storage): Storage => {
    const slow = withMethods(made, {
      write: async (change) => {
        if (change.kind === 'store') {
          begun.resolve();
          await release.promise;
        }
        return made.write(change);
      },
    });
    return { ...rest, store: slow, engine };
  };
  return { begun: begun.promise, release: release.resolve, storage };
}

async function endOf(stream: NodeJS.EventEmitter) {
  const [error] = (await once(stream, 'error')) as [ServiceError];
  return refusalOf(error);
}

describe('stopping', () => {
  it('when a health watch is open › it gets NOT_SERVING, ends with DRAINING, and the server stops immediately', async () => {
    mneme = await startTestServer({ shutdownGraceMs: '20000' });
    const watch = mneme.health.watch(HealthCheckRequest.fromPartial({}));
    const statuses: number[] = [];
    watch.on('data', ({ status }: HealthCheckResponse) => statuses.push(status));
    const ended = endOf(watch);
    await once(watch, 'data');
    const startedAtMs = Date.now();
    await mneme.server.stop();

    expect(await ended).toMatchObject({ code: 'UNAVAILABLE', reason: 'DRAINING', retryDelayMs: 1000 });
    expect(statuses).toEqual([1, 2]);
    expect(Date.now() - startedAtMs).toBeLessThan(15_000);
  });

  it('when a write is in flight › it finishes, is acknowledged and is on disk', async () => {
    const { begun, release, storage } = held();
    mneme = await startTestServer({}, { storage });
    const call = ask(
      mneme.memories,
      mneme.memories.storeMemory,
      StoreMemoryRequest.fromPartial({ parent: freshNamespace(), memory: { text: 'x' } }),
    );
    await begun;
    const stopped = mneme.server.stop();
    release();

    expect((await call).revision).toBeGreaterThan(0n);
    await stopped;
  });

  it('when a call does not finish › the server stops all the same when the grace period is over', async () => {
    const { begun, storage } = held();
    mneme = await startTestServer({ shutdownGraceMs: '300' }, { storage });
    const request = StoreMemoryRequest.fromPartial({ parent: freshNamespace(), memory: { text: 'x' } });
    const call = refusal(ask(mneme.memories, mneme.memories.storeMemory, request));
    await begun;
    await mneme.server.stop();

    expect(await call).toMatchObject({ code: 'UNAVAILABLE', reason: 'DRAINING' });
  });

  it('when an export is under way and not read › it ends and the server stops', async () => {
    mneme = await startTestServer({ shutdownGraceMs: '1000' });
    const parent = freshNamespace();
    const data = Buffer.alloc(1_000_000);
    for (let i = 0; i < 20; i++)
      await store(mneme, parent, { content: { mediaType: 'x/y', body: { $case: 'data' as const, value: data } } });
    const stream = mneme.memories.exportMemories(ExportMemoriesRequest.fromPartial({ parent }));
    const ended = endOf(stream);
    await once(stream, 'data');
    stream.pause();
    await mneme.server.stop();
    stream.resume();

    expect(['UNAVAILABLE', 'CANCELLED']).toContain((await ended).code);
  });

  it('when a caller has no buffer for the end of its call › the call is reset, which overtakes queued messages', async () => {
    mneme = await startTestServer({ shutdownGraceMs: '1000' });
    const parent = freshNamespace();
    const data = Buffer.alloc(100_000);
    for (let i = 0; i < 5; i++)
      await store(mneme, parent, { content: { mediaType: 'x/y', body: { $case: 'data' as const, value: data } } });
    const url = new URL(`http://${mneme.address}`);
    const socket = createConnection({ host: url.hostname, port: Number(url.port) });
    const session = connectHttp2(url, { settings: { initialWindowSize: 1000 }, createConnection: () => socket });
    const stream = rawCall(session, 'mneme.v1.MemoryService/ExportMemories');
    stream.end(framed(ExportMemoriesRequest.encode(ExportMemoriesRequest.fromPartial({ parent })).finish()));
    const received: string[] = [];
    for (const event of ['trailers', 'end', 'close']) stream.on(event, () => received.push(event));
    socket.on('close', () => received.push('connection closed'));
    const closed = once(stream, 'close');
    await once(stream, 'readable');
    await mneme.server.stop();
    await closed;

    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
    expect(received[0]).toBe('close');
  });

  it('when proxies are to notice it first › NOT_SERVING and calls as before, then streams end, then calls in flight', async () => {
    const timers = new ManualTimers();
    mneme = await startTestServer({ drainWaitMs: '7000' }, { timers });
    const parent = freshNamespace();
    const server = mneme;
    const health = server.health.watch(HealthCheckRequest.fromPartial({}));
    const order: string[] = [];
    const unhealthy = new Promise<void>((resolve) => {
      health.on('data', ({ status }: HealthCheckResponse) => status === 2 && resolve());
    });
    const ended = endOf(health);
    await once(health, 'data');
    const watch = server.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent }));
    watch.on('error', () => order.push('the stream has ended'));
    await once(watch, 'metadata');
    const stopped = server.server.stop().then(() => order.push('stopped'));
    await unhealthy;
    timers.advance(6999);
    const { revision } = await store(server, parent, { text: 'while it waits' });
    expect(revision).toBeGreaterThan(0n);
    expect(order).toEqual([]);
    timers.advance(1);
    await stopped;
    expect(await ended).toMatchObject({ reason: 'DRAINING' });
    expect(order).toEqual(['the stream has ended', 'stopped']);
  });

  it('when it has stopped › nothing listens, and stopping again has no effect', async () => {
    mneme = await startTestServer();
    await mneme.server.stop();
    await mneme.server.stop();
    const request = StoreMemoryRequest.fromPartial({ parent: freshNamespace(), memory: { text: 'x' } });

    await expect(ask(mneme.memories, mneme.memories.storeMemory, request)).rejects.toMatchObject({ code: 14 });
  });
});
