import { join } from 'node:path';
import { RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Bench } from '../bench.ts';
import { type Corpus, DIMENSION } from '../data/corpus.ts';
import type { Measured } from '../load/load-client.ts';
import { atLeast, atMost } from '../report/row.ts';
import { compare } from '../rounds.ts';
import type { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startEcho } from '../servers/echo.ts';
import { bareGraph, bareWords, inTurn, measured } from './bare-search.ts';
import { shareFound } from './found.ts';
import { type Cue, recallMessages, recallRequests } from './recall-messages.ts';

const ROUNDS = 7;
const ASK_AT_MOST_MS = 20_000;
/** Of the p50: by text over echo and FTS5, by vector over echo and USearch. */
const RATIO_MAX = { text: 2, vector: 1.8, both: undefined } as const;
const FOUND_WANTED = 0.98;

/** Sequential recalls at one size, compared with an echo of the same answer and the plain library. */
export async function measureRecall(
  bench: Bench,
  mneme: ServerProcess,
  caller: Caller,
  corpus: Corpus,
  folder: string,
): Promise<void> {
  const count = corpus.texts.length;
  bench.say(`building the bare indexes of ${count} memories`);
  const words = bareWords(join(folder, 'words.db'), corpus.texts);
  const graph = bareGraph(corpus.vectors);
  const askWords = () => measured(corpus.questions, words);
  const askGraph = () => measured(corpus.queryVectors, graph);
  const kinds: { cue: Cue; bare: () => Measured; limitName: string }[] = [
    { cue: 'text', bare: askWords, limitName: 'echo + FTS5' },
    { cue: 'vector', bare: askGraph, limitName: 'echo + USearch' },
    { cue: 'both', bare: () => inTurn(askWords(), askGraph()), limitName: 'echo + FTS5 + USearch' },
  ];
  for (const { cue, bare, limitName } of kinds) {
    const [first] = recallRequests(corpus, cue);
    if (!first) throw new Error('no questions');
    const echo = await startEcho(folder, { recall: await caller.recorded(RecallServiceService.recall, first) });
    const { path, messages } = recallMessages(corpus, cue);
    const load = {
      path,
      messages,
      client: 'raw',
      inFlight: 1,
      callsMax: messages.length,
      durationMs: ASK_AT_MOST_MS,
    } as const;
    const ask = (server: ServerProcess) => bench.client.run(server, load);
    for (const server of [echo, echo, echo, mneme]) await ask(server);
    const echoes: number[] = [];
    const compared = await compare(
      ROUNDS,
      (subject, limit) => subject.p50Us / limit.p50Us,
      async () => {
        const echoed = await ask(echo);
        echoes.push(echoed.p50Us);
        return inTurn(echoed, bare());
      },
      () => ask(mneme),
    );
    await echo.stop();
    const most = RATIO_MAX[cue];
    bench.add({
      part: 'recall',
      what: `Recall by ${cue} of ${count}`,
      ...compared,
      limitName,
      wanted: most === undefined ? undefined : atMost(compared.ratio, most, 'p50 ratio'),
    });
  }
  const share = await shareFound(caller, recallRequests(corpus, 'vector'));
  bench.add({
    part: 'recall',
    what: `recall@10 against exact, ${count} vectors of ${DIMENSION}`,
    value: share,
    unit: '',
    wanted: atLeast(share, FOUND_WANTED, 'recall@10'),
  });
}
