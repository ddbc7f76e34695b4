import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RecallRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Bench, Group } from '../bench.ts';
import { type Corpus, makeCorpus, startedAtUs } from '../data/corpus.ts';
import { graphBuilt, populate } from '../data/populate.ts';
import { textsSettled } from '../data/texts-read.ts';
import { agentOf, SHARES, type Share, sessionWith, tagOf, variedMessage } from '../data/varied.ts';
import type { Measured } from '../load/load-client.ts';
import { atLeast, atMost } from '../report/row.ts';
import { compare } from '../rounds.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startMneme } from '../servers/mneme.ts';
import { shareFound } from './found.ts';
import { encodedRecalls, recallRequests } from './recall-messages.ts';

const PART = 'filters';
const SIZES = [10_000];
const ROUNDS = 3;
/** Sequential queries of a round. */
const QUERIES = { vector: 150, text: 50 } as const;
const FOUND_QUERIES = 50;
const ASK_AT_MOST_MS = 20_000;
const RATIO_MAX = 1.3;
const FOUND_WANTED = 0.99;

type Narrowing = Pick<Parameters<typeof RecallRequest.fromPartial>[0], 'filterText' | 'scope'>;

/** A kind of filter; the values differ between queries where memories have such values. */
interface Kind {
  readonly name: string;
  readonly narrowing: (share: Share, query: number, count: number) => Narrowing;
}

const KINDS: readonly Kind[] = [
  {
    name: 'type and steps',
    narrowing(share, query, count) {
      // Half of the memories are of the type `state`.
      const { first, end } = windowOf(2 * share, query, count);
      return { filterText: `type = "state" AND step >= ${first} AND step < ${end}` };
    },
  },
  { name: 'tag', narrowing: (share, query) => ({ filterText: `tags:${tagOf(share, query)}` }) },
  {
    name: 'event time',
    narrowing(share, query, count) {
      const { first, end } = windowOf(share, query, count);
      return { filterText: `event_time >= ${instantOf(first)} AND event_time < ${instantOf(end)}` };
    },
  },
  {
    name: 'scope of a session',
    narrowing: (share) => ({ scope: { agent: agentOf(sessionWith(share)), session: sessionWith(share) } }),
  },
  { name: 'importance', narrowing: (share, query) => ({ filterText: `importance >= ${1 - varied(share, query)}` }) },
  { name: 'path of JSON', narrowing: (share, query) => ({ filterText: `content.health < ${varied(share, query)}` }) },
];

/** Recalls through each kind of filter compared with the same recalls without one, on the same server. */
export const filterGroup: Group = {
  parts: [PART],
  async run(bench) {
    for (const size of bench.sizes(SIZES)) await measure(bench, size);
  },
};

async function measure(bench: Bench, count: number): Promise<void> {
  const corpus = makeCorpus(count, QUERIES.vector);
  const folder = join(bench.folder, `${PART}-${count}`);
  mkdirSync(folder);
  const mneme = await startMneme({ folder: join(folder, 'data') });
  const caller = new Caller(mneme.address);
  bench.say(`storing ${count} memories with vectors and values for filters`);
  await populate(caller, corpus, count, true, undefined, (at) => variedMessage(corpus, at));
  await textsSettled(caller, corpus.questions);
  await graphBuilt(caller, count);
  for (const kind of KINDS) {
    for (const share of SHARES) await measureFilter(bench, mneme, caller, corpus, kind, share);
  }
  caller.close();
  await mneme.stop();
  rmSync(folder, { recursive: true });
}

async function measureFilter(
  bench: Bench,
  mneme: ServerProcess,
  caller: Caller,
  corpus: Corpus,
  { name, narrowing }: Kind,
  share: Share,
): Promise<void> {
  const count = corpus.texts.length;
  const narrowed = (requests: readonly RecallRequest[]): RecallRequest[] =>
    requests.map((request, at) => RecallRequest.fromPartial({ ...request, ...narrowing(share, at, count) }));
  const words = `${name}, ${share * 100} % pass`;
  for (const cue of ['vector', 'text'] as const) {
    const requests = recallRequests(corpus, cue).slice(0, QUERIES[cue]);
    const ask = (asked: readonly RecallRequest[]) => (): Promise<Measured> =>
      bench.client.run(mneme, {
        ...encodedRecalls(asked),
        client: 'raw',
        inFlight: 1,
        callsMax: asked.length,
        durationMs: ASK_AT_MOST_MS,
      });
    const filtered = ask(narrowed(requests));
    await filtered();
    const compared = await compare(ROUNDS, (subject, limit) => subject.p50Us / limit.p50Us, ask(requests), filtered);
    bench.add({
      part: PART,
      what: `Recall by ${cue} of ${count}, ${words}`,
      ...compared,
      limitName: 'without a filter',
      wanted: atMost(compared.ratio, RATIO_MAX, 'p50 ratio'),
    });
  }
  const value = await shareFound(caller, narrowed(recallRequests(corpus, 'vector').slice(0, FOUND_QUERIES)));
  const wanted = atLeast(value, FOUND_WANTED, 'recall@10');
  bench.add({ part: PART, what: `recall@10 against exact of ${count}, ${words}`, value, unit: '', wanted });
}

/** Steps of `share` of all memories, elsewhere for each query. */
function windowOf(share: number, query: number, count: number): { readonly first: number; readonly end: number } {
  const width = Math.max(1, Math.round(share * count));
  const first = Math.floor((query / QUERIES.vector) * (count - width));
  return { first, end: first + width };
}

/** Within 2 % of the share. */
function varied(share: number, query: number): number {
  return share * (0.98 + (0.04 * query) / QUERIES.vector);
}

function instantOf(at: number): string {
  return new Date(startedAtUs(at) / 1000).toISOString();
}
