import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Group } from '../bench.ts';
import { type Corpus, DIMENSION, idOf, makeCorpus, memoryOf, PARENT } from '../data/corpus.ts';
import { graphBuilt, populate } from '../data/populate.ts';
import { atLeast, atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startMneme } from '../servers/mneme.ts';
import { ingest, ingestBatches } from './ingest-stream.ts';
import { measureRecallCpu } from './recall-cpu.ts';
import { recallMessages } from './recall-messages.ts';
import { weigh, weighRestarted } from './sizes.ts';
import { measureStart } from './start.ts';

const PART = 'million';
const SIZES = [1_000_000];
const QUERIES = 200;
/** Stored beforehand: recalls need a namespace. */
const BEFORE = 1000;
const CALM_MS = 10_000;
const FOREVER_MS = 7_200_000;
/** Between two recalls: an agent that recalls now and then, not one that takes a core. */
const PAUSE_MS = 20;
const STORED_PER_S = 8000;
const CAUGHT_UP_MS = 10_000;
const RATIO_MAX = 2;
/** Share of the memories whose rate is that of the end. */
const END = 0.1;

/** A million memories with vectors over one stream beside recalls, and what the server is like with them. */
export const millionGroup: Group = {
  parts: [PART],
  isByNameOnly: true,
  async run(bench) {
    for (const size of bench.sizes(SIZES)) await measure(bench, size);
  },
};

async function measure(bench: Bench, count: number): Promise<void> {
  bench.say(`making ${count} memories with vectors`);
  const corpus = makeCorpus(count, QUERIES);
  const folder = join(bench.folder, `${PART}-${count}`);
  const data = join(folder, 'data');
  mkdirSync(folder);
  const mneme = await startMneme({ folder: data });
  const caller = new Caller(mneme.address);
  const during = await storeBesideRecalls(bench, mneme, caller, corpus);
  await catchUp(bench, caller, count);
  const { path, messages } = recallMessages(corpus, 'vector');
  const load = { path, messages, client: 'raw', inFlight: 1, durationMs: CALM_MS, pauseMs: PAUSE_MS } as const;
  await bench.client.run(mneme, load);
  const calm = await bench.client.run(mneme, load);
  const ratio = during.p50Us / calm.p50Us;
  bench.add({
    part: PART,
    what: `Recall by vector while ${count} are stored`,
    subject: during,
    limit: calm,
    limitName: 'with all of them, in calm',
    ratio,
    wanted: atMost(ratio, RATIO_MAX, 'p50 ratio'),
  });
  weigh(bench, mneme, count, `after storing ${count} memories over a stream`);
  await measureRecallCpu(bench, mneme, caller, corpus);
  caller.close();
  const stoppingMs = performance.now();
  await mneme.stop();
  bench.add({ part: PART, what: `clean stop with ${count}`, value: performance.now() - stoppingMs, unit: 'ms' });
  await measureStart(bench, data, corpus);
  await weighRestarted(bench, data, corpus);
  rmSync(folder, { recursive: true });
}

/** Returns the recalls made meanwhile. */
async function storeBesideRecalls(bench: Bench, mneme: ServerProcess, caller: Caller, corpus: Corpus) {
  const count = corpus.texts.length;
  await populate(caller, corpus, BEFORE, true);
  bench.say(`encoding ${count - BEFORE} memories`);
  const batches = ingestBatches(count - BEFORE, (at) => ({
    memory: memoryOf(corpus, BEFORE + at, true),
    memoryId: idOf(BEFORE + at),
  }));
  bench.say(`storing them over one stream beside recalls by vector`);
  const startedMs = performance.now();
  const storing = ingest(mneme.address, PARENT, PART, batches, count - BEFORE);
  const load = { ...recallMessages(corpus, 'vector'), client: 'raw', inFlight: 1, pauseMs: PAUSE_MS } as const;
  const during = await bench.client.run(mneme, { ...load, durationMs: FOREVER_MS }, storing);
  const acknowledged = await storing;
  const last = acknowledged.at(-1);
  const turn = acknowledged.find(({ stored }) => stored >= (1 - END) * (last?.stored ?? 0));
  if (!last || !turn) throw new Error('nothing was acknowledged');
  const rates = [
    { words: 'from first to last', value: (last.stored / (last.atMs - startedMs)) * 1000 },
    { words: 'the last tenth', value: ((last.stored - turn.stored) / (last.atMs - turn.atMs)) * 1000 },
  ];
  for (const { words, value } of rates) {
    const what = `${count} memories with vectors of ${DIMENSION} over one stream beside recalls, ${words}`;
    const wanted = atLeast(value, STORED_PER_S, 'memories/s');
    bench.add({ part: PART, what, value, unit: 'memories/s', wanted });
  }
  return during;
}

async function catchUp(bench: Bench, caller: Caller, count: number): Promise<void> {
  const value = await graphBuilt(caller, count);
  const wanted = atMost(value, CAUGHT_UP_MS, 'ms');
  bench.add({ part: PART, what: `graph of ${count} complete after the last one`, value, unit: 'ms', wanted });
}
