import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientReadableStream, credentials } from '@grpc/grpc-js';
import { AdminServiceService, UpdateConfigRequest } from '../../../gen/ts/mneme/v1/admin_service.ts';
import {
  RecallServiceService,
  RecallStreamRequest,
  type RecallStreamResponse,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { RecallServiceClient } from '../../support/service-clients.ts';
import type { Bench, Group } from '../bench.ts';
import { type Corpus, makeCorpus } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { median } from '../quantile.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startMneme } from '../servers/mneme.ts';
import { recallMessages, recallRequests } from './recall-messages.ts';

const MEMORIES = 20_000;
const QUESTIONS = 200;
const ASK_MS = 4000;
const FLAGS = ['--maintenance-interval-ms', '86400000'];

/** The cost of a cached answer, and of a streamed one, each compared with a Recall of the same server. */
export const recallFormsGroup: Group = {
  parts: ['recall-cache', 'recall-stream'],
  async run(bench) {
    const corpus = makeCorpus(MEMORIES, QUESTIONS);
    const folder = join(bench.folder, 'recall-forms');
    mkdirSync(folder);
    const mneme = await startMneme({ folder: join(folder, 'data'), flags: FLAGS });
    const caller = new Caller(mneme.address);
    await populate(caller, corpus, MEMORIES, false);
    if (bench.wants('recall-stream')) await streamed(bench, mneme, caller, corpus);
    if (bench.wants('recall-cache')) await kept(bench, mneme, caller, corpus);
    caller.close();
    await mneme.stop();
    rmSync(folder, { recursive: true });
  },
};

async function kept(bench: Bench, mneme: ServerProcess, caller: Caller, corpus: Corpus): Promise<void> {
  const load = { ...recallMessages(corpus, 'text'), client: 'raw', inFlight: 1, durationMs: ASK_MS } as const;
  await bench.client.run(mneme, load);
  const searched = await bench.client.run(mneme, load);
  const settings = { 'cache.entries': String(2 * QUESTIONS) };
  await caller.ask(AdminServiceService.updateConfig, UpdateConfigRequest.fromPartial({ settings }));
  await bench.client.run(mneme, load);
  const subject = await bench.client.run(mneme, load);
  bench.add({
    part: 'recall-cache',
    what: `Recall answered from the cache, ${MEMORIES} memories`,
    limit: searched,
    subject,
    ratio: subject.p50Us / searched.p50Us,
    limitName: 'Recall that searches',
  });
}

async function streamed(bench: Bench, { address }: ServerProcess, caller: Caller, corpus: Corpus): Promise<void> {
  const requests = recallRequests(corpus, 'text');
  const client = new RecallServiceClient(address, credentials.createInsecure());
  const [whole, first, last]: [number[], number[], number[]] = [[], [], []];
  for (const query of [...requests, ...requests]) {
    const askedMs = performance.now();
    await caller.ask(RecallServiceService.recall, query);
    const streamedMs = performance.now();
    whole.push(streamedMs - askedMs);
    let firstMs: number | undefined;
    const stream: ClientReadableStream<RecallStreamResponse> = client.recallStream(
      RecallStreamRequest.fromPartial({ query }),
    );
    for await (const _ of stream) firstMs ??= performance.now() - streamedMs;
    first.push(firstMs ?? 0);
    last.push(performance.now() - streamedMs);
  }
  client.close();
  const limit = median(whole);
  for (const [what, times] of [['first hits', first] as const, ['merged order', last] as const]) {
    const value = median(times);
    const row = { part: 'recall-stream', what: `RecallStream to its ${what}, p50`, value, unit: 'ms' };
    bench.add({ ...row, limit, limitName: 'Recall, p50', ratio: value / limit });
  }
}
