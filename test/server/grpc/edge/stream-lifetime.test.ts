import { once } from 'node:events';
import { setTimeout as nextTick } from 'node:timers/promises';
import { status as Code } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import {
  RecallRequest,
  WatchMemoriesRequest,
  type WatchMemoriesResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { FollowedAnswer } from '../support/followed-answer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store, vector } from '../support/memories.ts';
import { startTestServer } from '../support/test-server.ts';

const EXCESS = { maxLogCount: '1000', logCompactionIntervalMs: '100', embedder: 'none' };

test('Change log: more entries than the limit › the oldest are compacted, which a watch reports, and no others are lost', async () => {
  const server = await startTestServer(EXCESS);
  try {
    const parent = freshNamespace();
    const { name, revision: first } = await store(server, parent, { text: 'kept', embedding: vector(1, 0) });
    let newest = first;
    for (let i = 0; i < 25; i++) {
      const writes = Array.from({ length: 100 }, () =>
        store(server, parent, { text: 'more', embedding: vector(0, 1) }),
      );
      newest = (await Promise.all(writes)).at(-1)?.revision ?? newest;
    }
    const watch = (startRevision: bigint) =>
      new FollowedStream<WatchMemoriesResponse>(
        server.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent, startRevision })),
      );
    let compacted = 0;
    // Compaction takes several steps, and the watch may meet any of them.
    while (compacted < 1000) {
      const stream = watch(first);
      const end = await Promise.race([stream.outcome(), stream.until(({ event }) => event?.$case === 'progress')]);
      stream.cancel();
      if (end !== true && 'code' in end) {
        const { code, reason, metadata } = refusalOf(end);
        expect([code, reason]).toEqual(['OUT_OF_RANGE', 'REVISION_COMPACTED']);
        compacted = Number(metadata['compact_revision']);
      }
    }
    const rest = watch(BigInt(compacted) + 1n);
    await rest.until(({ event, revision }) => event?.$case === 'progress' && revision >= newest);
    rest.cancel();
    const query = RecallRequest.fromPartial({ parent, embedding: vector(1, 0), limit: 1 });
    const { hits } = await ask(server.recalls, server.recalls.recall, query);
    expect(hits[0]?.memory?.name).toBe(name);
  } finally {
    await server.stop();
  }
}, 240_000);

test('Shutdown: with streams open › each is notified, ends with DRAINING, and stopping is not delayed', async () => {
  const server = await startTestServer({ embedder: 'none', shutdownGraceMs: '20000' });
  const parent = freshNamespace();
  await store(server, parent, { text: 'x' });
  const watching = new FollowedStream<WatchMemoriesResponse>(
    server.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent })),
  );
  const asking = new FollowedAnswer(server, { parent, text: 'x' });
  await watching.until(({ event }) => event?.$case === 'progress');
  await asking.until(({ event }) => event?.$case === 'progress');
  const stopped = server.stop();
  for (const stream of [watching, asking]) {
    const end = await stream.outcome();
    expect(end === true ? undefined : refusalOf(end).reason).toBe('DRAINING');
    expect(stream.messages.at(-1)?.event?.$case).toBe('draining');
  }
  await stopped;
  // Streams that a stop ends are no trouble.
  expect(server.log).toEqual([]);
});

test('Deadline: that of a stream passes › the stream ends with DEADLINE_EXCEEDED, which is no warning of the server', async () => {
  const server = await startTestServer({ embedder: 'none' });
  const request = WatchMemoriesRequest.fromPartial({ parent: freshNamespace() });
  await store(server, request.parent, { text: 'x' });
  const watching = new FollowedStream<WatchMemoriesResponse>(
    server.recalls.watchMemories(request, { deadline: Date.now() + 300 }),
  );
  const end = await watching.outcome();
  expect(end === true ? undefined : end.code).toBe(Code.DEADLINE_EXCEEDED);
  await server.stop();
  expect(server.log).toEqual([]);
});

test('Watch: a reader that stalls › ends with SLOW_CONSUMER and a token to resume from', async () => {
  const server = await startTestServer({ embedder: 'none', maxStreamStallMs: '4000' });
  try {
    const parent = freshNamespace();
    const { revision: startRevision } = await store(server, parent, { text: 'first' });
    const text = 'x'.repeat(60_000);
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 20 }, () => store(server, parent, { text })));
    // A client that has not started to read buffers everything; one that stops buffers some messages, whatever their
    // size.
    const request = WatchMemoriesRequest.fromPartial({ parent, startRevision, maxBatchChanges: 1 });
    const slow = server.recalls.watchMemories(request);
    await once(slow, 'data');
    slow.pause();
    const failed = new Promise<unknown>((resolve) => slow.once('error', resolve));
    // The server logs the streams that it ends itself; the status is queued behind unread messages.
    while (!server.log.some(({ status }) => status === 'RESOURCE_EXHAUSTED')) await nextTick(10);
    slow.resume();
    const { reason, metadata, code } = refusalOf((await failed) as never);
    expect([code, reason]).toEqual(['RESOURCE_EXHAUSTED', 'SLOW_CONSUMER']);
    const resumeToken = metadata['resume_token'] ?? '';
    const next = new FollowedStream<WatchMemoriesResponse>(
      server.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent, resumeToken })),
    );
    const { revision } = await store(server, parent, { text: 'last' });
    await next.until((message) => message.event?.$case === 'batch' && message.revision >= revision);
    next.cancel();
  } finally {
    await server.stop();
  }
}, 240_000);
