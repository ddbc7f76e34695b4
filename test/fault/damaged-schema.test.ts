import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusalOf } from '../server/grpc/support/ask.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { startTestServer } from '../server/grpc/support/test-server.ts';
import { seededRandom } from '../support/random.ts';
import { reusedThreads } from '../support/reused-threads.ts';
import { damagePage, pagesOf } from './damage/pages.ts';

it('the search thread starts on a store with a damaged schema › recalls fail with DATA_LOSS, and the server names it', async () => {
  const data = mkdtempSync(join(tmpdir(), 'mneme-schema-'));
  const parent = freshNamespace();
  const first = await startTestServer({ data });
  await store(first, parent, { text: 'a cello' });
  // Everything is in the pages of the file.
  await first.stop();
  const workers: Worker[] = [];
  const { writer, search } = reusedThreads();
  const take = () => {
    const worker = search.take();
    workers.push(worker);
    return worker;
  };
  const server = await startTestServer({ data }, { threads: { writer, search: { take, giveBack: () => false } } });
  try {
    const random = seededRandom('damaged schema');
    for (const page of pagesOf(data)) {
      if (page.owner === 'sqlite_schema') damagePage(data, page, 'random', random);
    }
    await workers[0]?.terminate();
    const { recalls, admin } = server;
    for (let call = 0; call < 3; call++) {
      const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'cello' });
      const error = await ask(recalls, recalls.recall, request).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(refusalOf(error as never)).toMatchObject({ code: 'DATA_LOSS' });
    }
    // One thread has answered all of them.
    expect(workers).toHaveLength(2);
    const { degraded } = await ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(degraded.join()).toMatch(/damaged/);
  } finally {
    await server.stop();
    await workers.at(-1)?.terminate();
    rmSync(data, { recursive: true, force: true });
  }
}, 120_000);
