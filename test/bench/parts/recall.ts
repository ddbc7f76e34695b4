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
import { type Cue, recallMessages, recallRequests } from './recall-messages.ts';

const ROUNDS = 7;
const ASK_AT_MOST_MS = 20_000;

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
  const kinds: { cue: Cue; bare: () => Measured; limitName: string; isGated: boolean }[] = [
    { cue: 'text', bare: askWords, limitName: 'echo + FTS5', isGated: true },
    { cue: 'vector', bare: askGraph, limitName: 'echo + USearch', isGated: true },
    { cue: 'both', bare: () => inTurn(askWords(), askGraph()), limitName: 'echo + FTS5 + USearch', isGated: false },
  ];
  for (const { cue, bare, limitName, isGated } of kinds) {
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
    bench.add({
      part: 'recall',
      what: `Recall by ${cue} of ${count}`,
      ...compared,
      limitName,
      ...(isGated ? { wanted: atMost(compared.ratio, 2, 'p50 ratio') } : {}),
    });
  }
  await measureFound(bench, caller, corpus);
}

/** Number of the ten nearest by exact search among the ten hits of recall. */
async function measureFound(bench: Bench, caller: Caller, corpus: Corpus): Promise<void> {
  const names = async (exact: boolean): Promise<string[][]> => {
    const answers: string[][] = [];
    for (const request of recallRequests(corpus, 'vector', exact)) {
      const { hits } = await caller.ask(RecallServiceService.recall, request);
      answers.push(hits.map(({ memory }) => memory?.name ?? ''));
    }
    return answers;
  };
  const found = await names(false);
  const due = await names(true);
  let right = 0;
  due.forEach((nearest, i) => {
    right += nearest.filter((name) => found[i]?.includes(name)).length;
  });
  const share = right / due.flat().length;
  bench.add({
    part: 'recall',
    what: `recall@10 against exact, ${corpus.texts.length} vectors of ${DIMENSION}`,
    value: share,
    unit: '',
    wanted: atLeast(share, 0.98, 'recall@10'),
  });
}
