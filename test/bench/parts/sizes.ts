import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Bench, Group } from '../bench.ts';
import { type Corpus, DIMENSION, makeCorpus } from '../data/corpus.ts';
import { graphBuilt, populate } from '../data/populate.ts';
import { atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startMneme } from '../servers/mneme.ts';
import { residentMbOf } from '../servers/process-usage.ts';
import { measureLanes } from './lanes.ts';
import { measureRecall } from './recall.ts';
import { CPU_PART, measureRecallCpu } from './recall-cpu.ts';
import { recallRequests } from './recall-messages.ts';
import { measureStart } from './start.ts';

const SIZES = [1000, 10_000, 100_000];
const LANES_FROM = 10_000;
const QUESTIONS = 200;
/** Resident memory that is wanted with this number of memories. */
const RESIDENT_MB_MAX = [
  { count: 100_000, mb: 300 },
  { count: 1_000_000, mb: 2200 },
] as const;
const RECALLS_BEFORE_WEIGHING = 50;

/** Recall, its CPU and resident memory at each size, and the start with the largest. */
export const sizeGroup: Group = {
  parts: ['recall', CPU_PART, 'lanes', 'start', 'memory'],
  async run(bench) {
    const sizes = bench.sizes(SIZES);
    for (const size of sizes) {
      const isLargest = size === Math.max(...sizes);
      const wantsSize =
        ['recall', 'memory'].some(bench.wants) ||
        (['lanes', CPU_PART].some(bench.wants) && size >= Math.min(LANES_FROM, ...sizes));
      if (!isLargest && !wantsSize) continue;
      await measureSize(bench, makeCorpus(size, QUESTIONS), isLargest);
    }
  },
};

async function measureSize(bench: Bench, corpus: Corpus, isLargest: boolean): Promise<void> {
  const count = corpus.texts.length;
  const folder = join(bench.folder, `size-${count}`);
  const data = join(folder, 'data');
  mkdirSync(folder);
  const mneme = await startMneme({ folder: data });
  const caller = new Caller(mneme.address);
  await fill(bench, caller, corpus);
  if (bench.wants('memory')) weigh(bench, mneme, count, `after storing ${count} memories, graph complete`);
  if (bench.wants('recall')) await measureRecall(bench, mneme, caller, corpus, folder);
  if (bench.wants(CPU_PART)) await measureRecallCpu(bench, mneme, caller, corpus);
  if (count >= LANES_FROM && bench.wants('lanes')) await measureLanes(bench, mneme, caller, corpus, folder);
  if (bench.wants('memory')) weigh(bench, mneme, count, `${count} memories after the recalls of this run`);
  caller.close();
  const stopping = performance.now();
  await mneme.stop();
  if (isLargest && bench.wants('start')) {
    bench.add({ part: 'start', what: 'clean stop, with a snapshot', value: performance.now() - stopping, unit: 'ms' });
    await measureStart(bench, data, corpus);
  }
  if (bench.wants('memory')) await weighRestarted(bench, data, corpus);
  rmSync(folder, { recursive: true });
}

/** Stores the corpus, queries once, and waits for the server's indexes. */
async function fill(bench: Bench, caller: Caller, corpus: Corpus): Promise<void> {
  const count = corpus.texts.length;
  const part = 'import';
  bench.say(`storing ${count} memories with vectors`);
  const storeMs = await populate(caller, corpus, count, true);
  const what = `${count} memories with vectors of ${DIMENSION}`;
  bench.add({ part, what: `storing ${what}`, value: (count / storeMs) * 1000, unit: 'memories/s' });
  const [request] = recallRequests(corpus, 'text');
  if (!request) throw new Error('no questions');
  const askedMs = performance.now();
  await caller.ask(RecallServiceService.recall, request);
  bench.add({ part, what: `first Recall after storing ${what}`, value: performance.now() - askedMs, unit: 'ms' });
  const buildMs = await graphBuilt(caller, count);
  bench.add({ part, what: `graph of ${what} complete after another`, value: buildMs, unit: 'ms' });
}

export async function weighRestarted(bench: Bench, data: string, corpus: Corpus): Promise<void> {
  const mneme = await startMneme({ folder: data });
  const caller = new Caller(mneme.address);
  for (const cue of ['text', 'vector'] as const) {
    for (const request of recallRequests(corpus, cue).slice(0, RECALLS_BEFORE_WEIGHING)) {
      await caller.ask(RecallServiceService.recall, request);
    }
  }
  const count = corpus.texts.length;
  weigh(bench, mneme, count, `${count} memories, after a restart and ${2 * RECALLS_BEFORE_WEIGHING} recalls`);
  caller.close();
  await mneme.stop();
}

export function weigh(bench: Bench, mneme: ServerProcess, count: number, what: string): void {
  const { now, most: peak } = residentMbOf(mneme.pid);
  const most = RESIDENT_MB_MAX.find((each) => each.count === count);
  const wanted = most ? { wanted: atMost(now, most.mb, 'MB') } : {};
  bench.add({ part: 'memory', what: `resident: ${what}`, value: now, unit: 'MB', ...wanted });
  bench.add({ part: 'memory', what: `most ever resident: ${what}`, value: peak, unit: 'MB' });
}
