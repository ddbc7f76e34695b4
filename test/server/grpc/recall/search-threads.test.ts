import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
import { GetServerStatisticsRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { ListMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ownerOf } from '../../../../src/search/recall/namespace-owner.ts';
import { reusedThreads } from '../../../support/reused-threads.ts';
import { ask } from '../support/ask.ts';
import { FollowedAnswer, recalledNames } from '../support/followed-answer.ts';
import { store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const THREADS = 3;
const NAMES = Array.from({ length: 6 }, (_, at) => `threads-${at}`);
const PARENTS = NAMES.map((name) => `namespaces/${name}`);
const TEXTS = ['the cello needs new strings', 'the kettle is in the cellar', 'a cello concert on Friday'];

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start(flags: Record<string, string> = {}, overrides: Parameters<typeof startTestServer>[1] = {}) {
  const server = await startTestServer({ searchThreads: String(THREADS), ...flags }, overrides);
  servers.push(server);
  return server;
}

async function withTexts(server: TestServer): Promise<void> {
  for (const [nth, parent] of PARENTS.entries()) {
    for (const text of TEXTS) await store(server, parent, { text: `${text} of ${nth}` });
  }
}

const textsIn = async ({ recalls }: TestServer, parent: string) => {
  const { hits } = await ask(
    recalls,
    recalls.recall,
    RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'cello' }),
  );
  return hits.map(({ memory }) => memory?.text);
};

describe('several search threads', () => {
  it('namespaces of all threads › are recalled and listed', async () => {
    expect(new Set(NAMES.map((name) => ownerOf(name, THREADS))).size).toBe(THREADS);
    const [server, single] = [await start(), await start({ searchThreads: '1' })];
    for (const each of [server, single]) await withTexts(each);
    for (const [nth, parent] of PARENTS.entries()) {
      const found = await textsIn(server, parent);
      expect(found).toContain(`${TEXTS[0]} of ${nth}`);
      expect(found).toEqual(await textsIn(single, parent));
      const list = ListMemoriesRequest.fromPartial({ parent, pageSize: 10 });
      expect((await ask(server.memories, server.memories.listMemories, list)).memories).toHaveLength(TEXTS.length);
    }
  }, 60_000);

  it('statistics › have the indexes of all threads', async () => {
    const server = await start({ embedder: 'none' });
    for (const parent of PARENTS) {
      await store(server, parent, { text: 'x', embedding: vector(1, 2) });
      const query = RecallRequest.fromPartial({ parent, embedding: vector(1, 2) });
      expect((await ask(server.recalls, server.recalls.recall, query)).hits).toHaveLength(1);
    }
    const { admin } = server;
    const { vectorIndexes } = await ask(admin, admin.getServerStatistics, GetServerStatisticsRequest.fromPartial({}));
    expect(vectorIndexes.map(({ namespace }) => namespace).toSorted()).toEqual(PARENTS);
  }, 60_000);

  it('a standing query in each namespace › its state is the answer of Recall at each revision', async () => {
    const server = await start();
    await withTexts(server);
    const open = PARENTS.map((parent) => new FollowedAnswer(server, { parent, text: 'cello' }));
    for (let round = 0; round < 5; round++) {
      for (const [nth, parent] of PARENTS.entries()) {
        const { revision } = await store(server, parent, { text: `cello number ${round}` });
        const answer = open[nth] as FollowedAnswer;
        expect(await answer.at(revision)).toEqual(await recalledNames(server, answer.query));
      }
    }
    for (const answer of open) answer.cancel();
  }, 60_000);

  it('a thread that dies › its namespaces are recalled from by another, and standing queries go on', async () => {
    const workers: Worker[] = [];
    const { writer, search } = reusedThreads();
    const taken = {
      take: () => {
        const worker = search.take();
        workers.push(worker);
        return worker;
      },
      giveBack: (worker: Worker) => search.giveBack(worker),
    };
    const server = await start({}, { threads: { writer, search: taken } });
    await withTexts(server);
    const open = PARENTS.map((parent) => new FollowedAnswer(server, { parent, text: 'cello' }));
    for (const answer of open) await answer.until(({ event }) => event?.$case === 'progress');
    await workers[1]?.terminate();
    for (const [nth, parent] of PARENTS.entries()) {
      const { revision } = await store(server, parent, { text: 'one more cello' });
      const answer = open[nth] as FollowedAnswer;
      expect(await answer.at(revision)).toEqual(await recalledNames(server, answer.query));
    }
    expect(workers).toHaveLength(THREADS + 1);
    for (const answer of open) answer.cancel();
  }, 60_000);
});
