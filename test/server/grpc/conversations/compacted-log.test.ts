import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { BatchStoreMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { WatchMemoriesRequest, type WatchMemoriesResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { LineExtractor } from '../../../support/line-extractor.ts';
import { ask } from '../support/ask.ts';
import { flush, talk, textsOf } from '../support/conversations.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(data: string, extractor: LineExtractor): Promise<TestServer> {
  const flags = { data, extractor: 'rules', maxLogCount: '1000', logCompactionIntervalMs: '100' };
  const server = await startTestServer(flags, { extractors: { rules: extractor } });
  ends.push(() => server.stop());
  return server;
}

/** Whether the log has lost its first changes, by the hundred. */
async function isCompacted({ recalls }: TestServer, parent: string): Promise<boolean> {
  const request = WatchMemoriesRequest.fromPartial({ parent, startRevision: 100n });
  const stream = new FollowedStream<WatchMemoriesResponse>(recalls.watchMemories(request));
  const end = await Promise.race([stream.outcome(), stream.until(({ event }) => event?.$case === 'progress')]);
  stream.cancel();
  return end !== true;
}

it('messages whose changes the log no longer has › are found by a scan, and extracted once', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mneme-compacted-'));
  ends.push(() => rm(data, { recursive: true, force: true }));
  const parent = freshNamespace();
  const down = new LineExtractor();
  const before = await serve(data, down);
  await talk(before, parent).say('ada likes tea');
  await flush(before, parent);
  down.isDown = true;
  await talk(before, parent).say('bob likes wine', 'eve likes milk');
  for (let batch = 0; batch < 2; batch++) {
    const requests = Array.from({ length: 1000 }, (_, at) => ({
      parent,
      memory: { text: `${batch} ${at}`, type: 'n' },
    }));
    await ask(
      before.memories,
      before.memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
    );
  }
  while (!(await isCompacted(before, parent))) await new Promise(setImmediate);
  await ends.pop()?.();

  const extractor = new LineExtractor();
  const after = await serve(data, extractor);
  while (extractor.seen().length < 2) await new Promise(setImmediate);
  expect(await flush(after, parent)).toMatchObject({ complete: true });

  expect(await textsOf(after, parent)).toEqual(['ada likes tea', 'bob likes wine', 'eve likes milk']);
  expect(extractor.seen()).toEqual([1, 2]);
});
