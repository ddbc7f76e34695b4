import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type RecallRequest, RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Bench } from '../bench.ts';
import { type Corpus, DIMENSION } from '../data/corpus.ts';
import { RawTransport } from '../load/raw-transport.ts';
import { median } from '../quantile.ts';
import { allOf, atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { freeAddress, stopped } from '../servers/child.ts';
import { spawnMneme } from '../servers/mneme.ts';
import { getMessages, type Messages } from './call-messages.ts';
import { recallMessages, recallRequests } from './recall-messages.ts';

const BARE = fileURLToPath(new URL('./bare-start-process.ts', import.meta.url));
const ROUNDS = 5;
const RETRY_MS = 1;
const ASK_AGAIN_MS = 10;
const GIVE_UP_MS = 60_000;
const WANTED_MS = 1000;

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
  const bareMs: number[] = [];
  const tookMs = { get: [] as number[], text: [] as number[], vector: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    bareMs.push(await bareStart(data));
    const took = await firstAnswers(data, calls);
    for (const [name, ms] of Object.entries(took)) tookMs[name as keyof typeof tookMs].push(ms);
  }
  for (const [name, label] of [
    ['get', 'Get'],
    ['text', 'Recall by text'],
    ['vector', 'Recall by vector'],
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
      ...(name === 'get' ? { wanted: allOf(atMost(value, WANTED_MS, 'ms'), atMost(ratio, 2)) } : {}),
    });
  }
  const [request] = recallRequests(corpus, 'text');
  if (!request) throw new Error('no questions');
  const value = await learnedAfterMs(data, request);
  bench.add({ part: 'start', what: `start with ${count} memories until texts are whole again`, value, unit: 'ms' });
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
    if (performance.now() - startedMs > GIVE_UP_MS) throw new Error('the texts are not read in a minute');
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
