import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BuildContextRequest, ContextServiceService } from '../../../gen/ts/mneme/v1/context_service.ts';
import type { Group } from '../bench.ts';
import { makeCorpus, PARENT } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { sentencesRead } from '../data/texts-read.ts';
import { atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';
import { recallMessages } from './recall-messages.ts';

const MEMORIES = 10_000;
const QUESTIONS = 200;
const TOKENS = 1500;
const ASK_MS = 4000;
const P50_MAX_MS = 15;

/** A context beside a Recall of the same server. */
export const contextGroup: Group = {
  parts: ['context'],
  async run(bench) {
    const corpus = makeCorpus(MEMORIES, QUESTIONS);
    const folder = join(bench.folder, 'context');
    mkdirSync(folder);
    const mneme = await startMneme({ folder: join(folder, 'data'), flags: [] });
    const caller = new Caller(mneme.address);
    await populate(caller, corpus, MEMORIES, false);
    bench.say(`waiting for the sentence vectors of ${MEMORIES} memories`);
    await sentencesRead(caller, corpus.questions[0] ?? '');
    caller.close();
    const messages = corpus.questions.map((query) => {
      const budget = { $case: 'tokenBudget' as const, value: TOKENS };
      return BuildContextRequest.encode(BuildContextRequest.fromPartial({ parent: PARENT, query, budget })).finish();
    });
    const ask = { client: 'raw', inFlight: 1, durationMs: ASK_MS } as const;
    const build = { ...ask, path: ContextServiceService.buildContext.path, messages };
    const recall = { ...ask, ...recallMessages(corpus, 'text') };
    for (const load of [recall, build]) await bench.client.run(mneme, load);
    const limit = await bench.client.run(mneme, recall);
    const subject = await bench.client.run(mneme, build);
    bench.add({
      part: 'context',
      what: `BuildContext of ${TOKENS} tokens, ${MEMORIES} memories`,
      limit,
      subject,
      ratio: subject.p50Us / limit.p50Us,
      limitName: 'Recall of 10 hits',
      wanted: atMost(subject.p50Us / 1000, P50_MAX_MS, 'p50 in ms'),
    });
    await mneme.stop();
    rmSync(folder, { recursive: true });
  },
};
