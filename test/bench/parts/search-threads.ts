import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RecallRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { ownerOf } from '../../../src/search/recall/namespace-owner.ts';
import type { Group } from '../bench.ts';
import { makeCorpus } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { textsSettled } from '../data/texts-read.ts';
import type { Measured } from '../load/load-client.ts';
import { median } from '../quantile.ts';
import { atLeast } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startMneme } from '../servers/mneme.ts';
import { encodedRecalls } from './recall-messages.ts';

const PART = 'search-threads';
const MEMORIES = 2000;
const QUESTIONS = 100;
const IN_FLIGHT = 32;
const ROUNDS = 5;
const ROUND_MS = 2000;
const RATIO_MIN = 1.6;

/** Two namespaces that different ones of two threads own. */
const PARENTS = [0, 1].map((index) => {
  const names = Array.from({ length: 100 }, (_, at) => `bench-${at}`);
  return `namespaces/${names.find((name) => ownerOf(name, 2) === index)}`;
});

/** Recalls by text from two namespaces at a server with two search threads, over a server with one. */
export const searchThreadGroup: Group = {
  parts: [PART],
  async run(bench) {
    const corpus = makeCorpus(MEMORIES, QUESTIONS);
    const folder = join(bench.folder, PART);
    mkdirSync(folder);
    const servers: ServerProcess[] = [];
    for (const threads of ['1', '2']) {
      const flags = ['--search-threads', threads];
      const server = await startMneme({ folder: join(folder, threads), flags });
      servers.push(server);
      const caller = new Caller(server.address);
      bench.say(`reading ${MEMORIES} memories in each namespace, ${threads} search threads`);
      for (const parent of PARENTS) {
        await populate(caller, corpus, MEMORIES, false, parent);
        await textsSettled(caller, corpus.questions, parent);
      }
      caller.close();
    }
    const requests = corpus.questions.flatMap((text) =>
      PARENTS.map((parent) => RecallRequest.fromPartial({ parent, text, limit: 10 })),
    );
    const load = { ...encodedRecalls(requests), client: 'raw', inFlight: IN_FLIGHT, durationMs: ROUND_MS } as const;
    const [limits, subjects]: [Measured[], Measured[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [at, server] of servers.entries()) {
        const measured = await bench.client.run(server, load);
        if (round > 0) (at === 0 ? limits : subjects).push(measured);
      }
    }
    const ratio = median(subjects.map(({ perSecond }, at) => perSecond / (limits[at]?.perSecond ?? Number.NaN)));
    const [subject, limit] = [subjects.at(-1), limits.at(-1)];
    if (!subject || !limit) throw new Error('no round');
    bench.add({
      part: PART,
      what: `Recall by text from two namespaces of ${MEMORIES}, ${IN_FLIGHT} in flight, two search threads`,
      subject,
      limit,
      limitName: 'one search thread',
      ratio,
      wanted: atLeast(ratio, RATIO_MIN),
    });
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  },
};
