import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type RecallRequest, RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Bench } from '../bench.ts';
import { type Corpus, DIMENSION } from '../data/corpus.ts';
import { EXACT_MAX, vectorsOutsideGraph } from '../data/populate.ts';
import { RawTransport } from '../load/raw-transport.ts';
import { median } from '../quantile.ts';
import { allOf, atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { freeAddress, stopped } from '../servers/child.ts';
import { spawnMneme, startMneme } from '../servers/mneme.ts';
import { getMessages, type Messages } from './call-messages.ts';
import { recallMessages, recallRequests } from './recall-messages.ts';

const PROBE = fileURLToPath(new URL('../../support/module-probe.ts', import.meta.url));
const BARE = fileURLToPath(new URL('./bare-start-process.ts', import.meta.url));
const ROUNDS = 5;
/** Of namespaces that take long to open. */
const LARGE = 200_000;
const ROUNDS_OF_LARGE = 2;
const RETRY_MS = 1;
const ASK_AGAIN_MS = 10;
const GIVE_UP_MS = 300_000;
/** From the start to the first answer, up to this number of memories. */
const WANTED = [
  { upTo: 100_000, getMs: 400, exactMs: 700 },
  { upTo: 1_000_000, getMs: 1000, exactMs: 4000 },
] as const;
/** Half of the files that a start loaded in all threads on 2026-11-27. */
const FILES_MAX = 516;

/**
 * Time from spawning Mneme on a full folder to its first answers, compared with a process that only opens the files.
 */
export async function measureStart(bench: Bench, data: string, corpus: Corpus): Promise<void> {
  const count = corpus.texts.length;
  const calls = {
    get: getMessages(count),
    text: recallMessages(corpus, 'text'),
    vector: recallMessages(corpus, 'vector'),
  };
  const exact = { exact: recallMessages(corpus, 'vector', true) };
  const wanted = WANTED.find(({ upTo }) => count <= upTo);
  const bareMs: number[] = [];
  const tookMs = { get: [] as number[], text: [] as number[], vector: [] as number[], exact: [] as number[] };
  const rounds = count > LARGE ? ROUNDS_OF_LARGE : ROUNDS;
  for (let round = 0; round < rounds; round++) {
    bareMs.push(await bareStart(data));
    // An exact recall has a start of its own: it would delay the others, and they it.
    const took = { ...(await firstAnswers(data, calls)), ...(await firstAnswers(data, exact)) };
    for (const [name, ms] of Object.entries(took)) tookMs[name as keyof typeof tookMs].push(ms);
  }
  for (const [name, label] of [
    ['get', 'Get'],
    ['text', 'Recall by text'],
    ['vector', 'Recall by vector'],
    ['exact', 'exact Recall by vector, alone'],
  ] as const) {
    const ratio = median(tookMs[name].map((ms, round) => ms / (bareMs[round] ?? Number.NaN)));
    const value = median(tookMs[name]);
    bench.add({
      part: 'start',
      what: `start with ${count} memories to the first ${label}`,
      value,
      unit: 'ms',
      limit: median(bareMs),
      limitName: 'a bare process that opens the files',
      ratio,
      ...(name === 'get' && wanted ? { wanted: allOf(atMost(value, wanted.getMs, 'ms'), atMost(ratio, 2)) } : {}),
      ...(name === 'exact' && wanted ? { wanted: atMost(value, wanted.exactMs, 'ms') } : {}),
    });
  }
  const [request] = recallRequests(corpus, 'text');
  if (!request) throw new Error('no questions');
  const value = await learnedAfterMs(data, request);
  bench.add({ part: 'start', what: `start with ${count} memories until texts are whole again`, value, unit: 'ms' });
  await measureLoaded(bench, data, corpus);
}

/** What a start reads again: files of the program, and vectors that a clean stop had put into the graph. */
async function measureLoaded(bench: Bench, data: string, corpus: Corpus): Promise<void> {
  const probe = join(bench.folder, `modules-${corpus.texts.length}`);
  const env = { NODE_OPTIONS: `--import=${PROBE}`, MNEME_TEST_MODULE_PROBE: probe };
  const mneme = await startMneme({ folder: data, env });
  const caller = new Caller(mneme.address);
  const [request] = recallRequests(corpus, 'vector');
  if (!request) throw new Error('no queries');
  await caller.ask(RecallServiceService.recall, request);
  const outside = await vectorsOutsideGraph(caller);
  caller.close();
  await mneme.stop();
  const files = readFileSync(probe, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(line.indexOf(' ') + 1));
  const what = 'files that a start loads, all threads';
  const wanted = atMost(files.length, FILES_MAX, 'files');
  bench.add({ part: 'start', what, value: files.length, unit: 'files', wanted });
  bench.add({ part: 'start', what: 'different ones of them', value: new Set(files).size, unit: 'files' });
  if (corpus.texts.length <= EXACT_MAX) return;
  bench.add({
    part: 'start',
    what: `vectors of ${corpus.texts.length} that are not in the graph after a restart`,
    value: outside,
    unit: 'vectors',
    wanted: atMost(outside, 0, 'vectors'),
  });
}

/** Until a recall by text is in the learned order, which waits for every text; asked again and again from the start on. */
async function learnedAfterMs(data: string, request: RecallRequest): Promise<number> {
  const address = await freeAddress();
  const startedMs = performance.now();
  const child = spawnMneme({ folder: data }, address);
  (await connected(address, startedMs)).close();
  const caller = new Caller(address);
  for (;;) {
    const { degraded } = await caller.ask(RecallServiceService.recall, request);
    if (!degraded.some(({ part }) => part === 'ranker')) break;
    if (performance.now() - startedMs > GIVE_UP_MS) throw new Error('the texts are not read in five minutes');
    await sleep(ASK_AGAIN_MS);
  }
  const tookMs = performance.now() - startedMs;
  caller.close();
  await stopped(child);
  return tookMs;
}

/** All are asked at once, as soon as there is a connection. */
async function firstAnswers<K extends string>(data: string, calls: Record<K, Messages>): Promise<Record<K, number>> {
  const address = await freeAddress();
  const startedMs = performance.now();
  const child = spawnMneme({ folder: data }, address);
  const transport = await connected(address, startedMs);
  const names = Object.keys(calls) as K[];
  const took = await Promise.all(
    names.map(
      (name) =>
        new Promise<[K, number]>((resolve, reject) => {
          const { path, messages } = calls[name];
          transport.call(path, messages[0] ?? Buffer.alloc(0), (isAnswered) => {
            if (isAnswered) resolve([name, performance.now() - startedMs]);
            else reject(new Error(`${path} was refused`));
          });
        }),
    ),
  );
  transport.close();
  await stopped(child);
  return Object.fromEntries(took) as Record<K, number>;
}

async function connected(address: string, sinceMs: number): Promise<RawTransport> {
  for (;;) {
    try {
      return await RawTransport.open(address);
    } catch (error) {
      if (performance.now() - sinceMs > GIVE_UP_MS) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function bareStart(data: string): Promise<number> {
  const startedMs = performance.now();
  const args = [BARE, join(data, 'mneme.db'), graphFileOf(data), String(DIMENSION)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const tookMs = performance.now() - startedMs;
  await stopped(child);
  return tookMs;
}

/** The largest file that is not the database's: the graph, where a clean stop has left one. */
function graphFileOf(data: string): string {
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' })
    .map((name) => join(data, name))
    .filter((path) => /usearch|graph/.test(path) && statSync(path).isFile());
  return files.sort((a, b) => statSync(b).size - statSync(a).size)[0] ?? '';
}
