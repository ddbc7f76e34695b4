import type { Bench } from '../bench.ts';
import type { Corpus } from '../data/corpus.ts';
import { textsSettled } from '../data/texts-read.ts';
import type { Measured } from '../load/load-client.ts';
import { atLeast, atMost } from '../report/row.ts';
import type { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { recallMessages } from './recall-messages.ts';

export const CPU_PART = 'recall-cpu';
const ASK_MS = 4000;
const MANY = 32;
const MANY_RATIO_MIN = 1.6;

/** CPU of all threads of the server for a recall that is wanted up to this number of memories. */
const CPU_MS_MAX: Readonly<Record<'vector' | 'text', readonly { readonly upTo: number; readonly ms: number }[]>> = {
  vector: [
    { upTo: 10_000, ms: 0.5 },
    { upTo: 100_000, ms: 0.6 },
  ],
  text: [
    { upTo: 10_000, ms: 1.5 },
    { upTo: 100_000, ms: 4 },
    { upTo: 1_000_000, ms: 12 },
  ],
};

/** The server's CPU for a recall by default settings, and the throughput of 32 callers over that of one. */
export async function measureRecallCpu(
  bench: Bench,
  mneme: ServerProcess,
  caller: Caller,
  corpus: Corpus,
): Promise<void> {
  const count = corpus.texts.length;
  bench.say(`waiting for the texts of ${count} memories to be read`);
  await textsSettled(caller, corpus.questions);
  for (const cue of ['vector', 'text'] as const) {
    const ask = (inFlight: number): Promise<Measured> =>
      bench.client.run(mneme, { ...recallMessages(corpus, cue), client: 'raw', inFlight, durationMs: ASK_MS });
    await ask(1);
    const one = await ask(1);
    const most = CPU_MS_MAX[cue].find(({ upTo }) => count <= upTo);
    bench.add({
      part: CPU_PART,
      what: `Recall by ${cue} of ${count}, 1 in flight`,
      subject: one,
      wanted: most && atMost(one.serverUs / 1000, most.ms, 'CPU ms'),
    });
    const many = await ask(MANY);
    const ratio = many.perSecond / one.perSecond;
    bench.add({
      part: CPU_PART,
      what: `Recall by ${cue} of ${count}, ${MANY} in flight`,
      subject: many,
      limit: one,
      limitName: 'one in flight',
      ratio,
      wanted: atLeast(ratio, MANY_RATIO_MIN),
    });
  }
}
