import { join } from 'node:path';
import { RecallRequest, RecallServiceService, RecallWeights } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Bench } from '../bench.ts';
import { type Corpus, embeddingOf, PARENT } from '../data/corpus.ts';
import { textsRead } from '../data/texts-read.ts';
import type { Measured } from '../load/load-client.ts';
import { allOf, atMost } from '../report/row.ts';
import { compare } from '../rounds.ts';
import type { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startEcho } from '../servers/echo.ts';
import { bareFiveColumns } from './bare-five-columns.ts';
import { inTurn, measured } from './bare-search.ts';
import { maxSimAlone } from './max-sim-lane.ts';

const ROUNDS = 7;
const ASK_AT_MOST_MS = 20_000;
const RATIO_MAX = 3;
const TAIL_MAX = 4;

/** The lanes that the weights leave of a recall; without weights it is the default one, in the learned order. */
const LANES: readonly { readonly name: string; readonly weights?: RecallWeights; readonly byVector?: boolean }[] = [
  { name: 'Recall by text, learned order (default)' },
  { name: 'keyword lane alone', weights: RecallWeights.fromPartial({ keyword: 1, vector: 0, session: 0 }) },
  {
    name: 'keyword lane and session context',
    weights: RecallWeights.fromPartial({ keyword: 1, vector: 0, session: 1 }),
  },
  { name: 'vector lane alone, vectors given', weights: RecallWeights.fromPartial({ vector: 1 }), byVector: true },
];

/**
 * The default recall and each lane alone, compared with an echo of the same answer and the plain five-column FTS5
 * query.
 */
export async function measureLanes(
  bench: Bench,
  mneme: ServerProcess,
  caller: Caller,
  corpus: Corpus,
  folder: string,
): Promise<void> {
  const count = corpus.texts.length;
  bench.say(`building the bare index of five columns of ${count} memories`);
  const bare = bareFiveColumns(join(folder, 'five-columns.db'), corpus);
  for (const { name, weights, byVector = false } of LANES) {
    const requests = corpus.questions.map((text, at) => {
      const vector = corpus.queryVectors[at];
      const cue = byVector && vector ? { embedding: embeddingOf(vector) } : { text };
      return RecallRequest.fromPartial({
        parent: PARENT,
        limit: 10,
        minRelevance: 0,
        ...cue,
        ...(weights ? { weights } : {}),
      });
    });
    const [first] = requests;
    if (!first) throw new Error('no questions');
    await textsRead(caller, first);
    const echo = await startEcho(folder, { recall: await caller.recorded(RecallServiceService.recall, first) });
    const messages = requests.map((request) => RecallRequest.encode(request).finish());
    const load = { path: RecallServiceService.recall.path, messages, client: 'raw', inFlight: 1 } as const;
    const ask = (server: ServerProcess): Promise<Measured> =>
      bench.client.run(server, { ...load, callsMax: messages.length, durationMs: ASK_AT_MOST_MS });
    for (const server of [echo, mneme, mneme]) await ask(server);
    const compared = await compare(
      ROUNDS,
      (subject, limit) => subject.p50Us / limit.p50Us,
      async () => inTurn(await ask(echo), measured(corpus.questions, bare)),
      () => ask(mneme),
    );
    await echo.stop();
    const { subject, ratio } = compared;
    const wanted = allOf(
      atMost(ratio, RATIO_MAX, 'p50 ratio'),
      atMost(subject.p99Us / subject.p50Us, TAIL_MAX, 'p99 / p50'),
    );
    const row = { part: 'lanes', what: `${name}, of ${count}`, ...compared, limitName: 'echo + FTS5 of five columns' };
    bench.add(weights ? row : { ...row, wanted });
  }
  bench.say(`reading ${count} memories for MaxSim alone`);
  const maxSim = measured(corpus.questions, maxSimAlone(corpus));
  bench.add({ part: 'lanes', what: `MaxSim lane alone, in process, of ${count}`, subject: maxSim });
}
