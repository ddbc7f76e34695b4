import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { openPostgresRecords } from '../../../src/storage/postgres/record-store.ts';
import { newMemory } from '../../support/new-memory.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import type { Bench, Group } from '../bench.ts';
import { type Corpus, makeCorpus } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { sentencesRead } from '../data/texts-read.ts';
import { median } from '../quantile.ts';
import { atLeast, atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';
import { BarePostgres } from './postgres-bare.ts';
import { recallMessages, recallRequests } from './recall-messages.ts';

const ROUNDS = 7;
const ROUND_MS = 600;
const IN_FLIGHT = 64;
const MEMORIES = 10_000;
const COLD_ROUNDS = 5;
const COLD_MAX_MS = 400;
const QUESTIONS = 200;
const NAMESPACE = 'bench';

/** Storing in PostgreSQL compared with the driver alone, and recall at a server whose data folder is a view. */
export const postgresGroup: Group = {
  parts: ['postgres'],
  async run(bench) {
    const server = await PostgresServer.started({ version: 18 });
    try {
      await measureStore(bench, server.url);
      await measureRecall(bench, server.url);
    } finally {
      await server.stop();
      server.remove();
    }
  },
};

const content = Buffer.from(JSON.stringify({ reward: 0.5, note: 'x'.repeat(450) }));
const text = 'The lighthouse at the end of the pier was painted red last summer by two brothers. '.repeat(6);

type Call = () => Promise<unknown>;

/** Without transport, each acknowledged write on disk. */
async function measureStore(bench: Bench, url: string): Promise<void> {
  const records = await openPostgresRecords({ url, schema: 'bench_store' });
  const fields = JSON.stringify(newMemory({ id: 'id' }));
  const bare = await BarePostgres.connected(url, { text, content, fields });
  let count = 0;
  const store: Call = () => {
    const memories = [
      newMemory({ id: `m${count++}`, text, content: { mediaType: 'application/json', data: content } }),
    ];
    return records.write({
      kind: 'store',
      namespace: NAMESPACE,
      memories,
      createNamespace: true,
      onConflict: 'fail',
      atUs: 1,
    });
  };
  const limitOf: Call = () => bare.write();
  const [rates, limits, ratios]: [number[], number[], number[]] = [[], [], []];
  for (const call of [limitOf, store]) await perSecond(call);
  for (let round = 0; round < ROUNDS; round++) {
    const [limit, rate] = [await perSecond(limitOf), await perSecond(store)];
    limits.push(limit);
    rates.push(rate);
    ratios.push(rate / limit);
  }
  await bare.close();
  await records.close();
  const ratio = median(ratios);
  bench.add({
    part: 'postgres',
    what: `store, without transport, ${IN_FLIGHT} in flight`,
    value: median(rates),
    unit: '/s',
    limit: median(limits),
    limitName: 'pg, the same batches and bytes',
    ratio,
    wanted: atLeast(ratio, 0.5),
  });
}

async function perSecond(call: Call): Promise<number> {
  const startedMs = performance.now();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - startedMs < ROUND_MS) {
      await call();
      done++;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
  return (done / (performance.now() - startedMs)) * 1000;
}

/** One caller, over gRPC: with PostgreSQL each answer first asks for the end of the log. */
async function measureRecall(bench: Bench, url: string): Promise<void> {
  const corpus = makeCorpus(MEMORIES, QUESTIONS);
  const env = { MNEME_POSTGRES_URL: url, MNEME_POSTGRES_SCHEMA: 'bench_recall' };
  const embedded = await startMneme({ folder: folderOf(bench, 'embedded') });
  const replica = await startMneme({ folder: folderOf(bench, 'replica'), env });
  for (const { address } of [embedded, replica]) {
    const caller = new Caller(address);
    await populate(caller, corpus, MEMORIES, false);
    bench.say(`waiting for the sentence vectors of ${MEMORIES} memories`);
    await sentencesRead(caller, corpus.questions[0] ?? '');
    caller.close();
  }
  const load = { ...recallMessages(corpus, 'text'), client: 'raw', inFlight: 1, durationMs: ROUND_MS } as const;
  const ratios: number[] = [];
  for (const server of [embedded, replica]) await bench.client.run(server, { ...load, durationMs: 1500 });
  let subject = await bench.client.run(replica, load);
  let limit = await bench.client.run(embedded, load);
  for (let round = 0; round < ROUNDS; round++) {
    limit = await bench.client.run(embedded, load);
    subject = await bench.client.run(replica, load);
    ratios.push(subject.p50Us / limit.p50Us);
  }
  const ratio = median(ratios);
  const limitName = 'a server with a data folder';
  const what = `Recall of ${MEMORIES} memories at a server with a view that is up to date`;
  bench.add({ part: 'postgres', what, subject, limit, limitName, ratio, wanted: atMost(ratio, 1.2, 'p50') });
  await embedded.stop();
  await replica.stop();
  await measureCold(bench, env, corpus);
}

/** The first answer of a server with an empty data folder, from the moment in which it accepts calls. */
async function measureCold(bench: Bench, env: Readonly<Record<string, string>>, corpus: Corpus): Promise<void> {
  const [request] = recallRequests(corpus, 'text');
  if (!request) throw new Error('no question');
  const timesMs: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round++) {
    const server = await startMneme({ folder: folderOf(bench, `cold-${round}`), env });
    const caller = new Caller(server.address);
    const startedMs = performance.now();
    await caller.ask(RecallServiceService.recall, request);
    timesMs.push(performance.now() - startedMs);
    caller.close();
    await server.stop();
  }
  const value = median(timesMs);
  const wanted = atMost(value, COLD_MAX_MS, 'ms');
  bench.add({
    part: 'postgres',
    what: `first Recall of ${MEMORIES} memories without a view`,
    value,
    unit: 'ms',
    wanted,
  });
}

function folderOf(bench: Bench, name: string): string {
  const folder = join(bench.folder, `postgres-${name}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}
