import { mkdirSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { MaintainTiersRequest, type MaintainTiersResponse } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { AdminServiceClient } from '../../support/service-clients.ts';
import type { Bench, Group } from '../bench.ts';
import { type Corpus, makeCorpus, PARENT } from '../data/corpus.ts';
import { graphBuilt, populate } from '../data/populate.ts';
import { atLeast, atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startMneme } from '../servers/mneme.ts';
import { threadUsOf, usedByThread } from '../servers/process-usage.ts';
import { recallMessages, recallRequests } from './recall-messages.ts';

const MEMORIES = 20_000;
/** Moved before, in a separate namespace: the code of moves is then compiled, as that of recalls is. */
const MOVED_BEFORE = 10_000;
const PARENT_BEFORE = 'namespaces/before';
const QUESTIONS = 200;
const MOVES_WANTED = 5000;
/** Of recalls in calm: some hundreds, so that the p99 is not that of one or two of them. */
const CALM_MS = 8000;
const FOREVER_MS = 600_000;
/**
 * Has a higher priority, where the process may: without a core its answers have not arrived, whatever the server did.
 */
const GENERATOR_NICE = -10;
/** Background maintenance would move the memories to be measured. */
const FLAGS = ['--maintenance-interval-ms', '86400000'];

/**
 * The rate of moves down two tiers, and the effect on recalls: sequential without a pause, first without moves, then
 * from the first move to the last, on the same server. Each waits for its answer as a caller does.
 */
export const tierGroup: Group = {
  parts: ['tiers'],
  async run(bench) {
    const corpus = makeCorpus(MEMORIES, QUESTIONS);
    putFirst(bench);
    try {
      for (const withVectors of [false, true]) await measure(bench, corpus, withVectors);
    } finally {
      setPriority(bench.client.pid, 0);
    }
  },
};

async function measure(bench: Bench, corpus: Corpus, withVectors: boolean): Promise<void> {
  const folder = join(bench.folder, `tiers-${withVectors}`);
  mkdirSync(folder);
  const mneme = await startMneme({
    folder: join(folder, 'data'),
    flags: FLAGS,
  });
  const caller = new Caller(mneme.address);
  await populate(caller, corpus, MOVED_BEFORE, withVectors, PARENT_BEFORE);
  await flush(mneme, PARENT_BEFORE);
  bench.say(`storing ${MEMORIES} memories ${withVectors ? 'with' : 'without'} vectors`);
  await populate(caller, corpus, MEMORIES, withVectors);
  const cue = withVectors ? 'both' : 'text';
  const [request] = recallRequests(corpus, cue);
  if (!request) throw new Error('no questions');
  await caller.ask(RecallServiceService.recall, request);
  if (withVectors) await graphBuilt(caller, MEMORIES);
  caller.close();
  const load = { ...recallMessages(corpus, cue), client: 'raw', inFlight: 1 } as const;
  await bench.client.run(mneme, { ...load, durationMs: CALM_MS / 2 });
  const calm = await bench.client.run(mneme, { ...load, durationMs: CALM_MS });
  const threadsUs = threadUsOf(mneme.pid);
  const moving = flush(mneme, PARENT);
  const busy = await bench.client.run(mneme, { ...load, durationMs: FOREVER_MS }, moving);
  const moved = await moving;
  const used = usedByThread(mneme.pid, threadsUs, moved.count);
  await mneme.stop();
  rmSync(folder, { recursive: true });
  const of = `${MEMORIES} memories ${withVectors ? 'with' : 'without'} vectors`;
  const perSecond = (moved.count / moved.ms) * 1000;
  bench.add({
    part: 'tiers',
    what: `moving ${of} down two tiers, recalls going on`,
    value: perSecond,
    unit: 'moves/s',
    wanted: atLeast(perSecond, MOVES_WANTED, 'moves/s'),
  });
  const ratio = busy.p99Us / calm.p99Us;
  const recallsPerMove = (busy.perSecond * moved.ms) / 1000 / moved.count;
  for (const [thread, us] of used) {
    const ofRecalls = (calm.threadsUs?.get(thread) ?? 0) * recallsPerMove;
    const what = `CPU of a move of ${of} in threads named ${thread}, less what recalls take in calm`;
    bench.add({ part: 'tiers', what, value: us - ofRecalls, unit: 'µs' });
  }
  const what = `p99 of ${Math.round(recallsPerMove * moved.count)} recalls while ${of} move`;
  const limits = {
    limit: calm.p99Us / 1000,
    limitName: `p99 of ${Math.round((calm.perSecond * CALM_MS) / 1000)} recalls in calm`,
    ratio,
  };
  bench.add({ part: 'tiers', what, value: busy.p99Us / 1000, unit: 'ms', ...limits, wanted: atMost(ratio, 2) });
}

function putFirst(bench: Bench): void {
  try {
    setPriority(bench.client.pid, GENERATOR_NICE);
  } catch (error) {
    bench.say(`the load generator has no precedence, and waits for a core as the server does: ${error}`);
  }
}

async function flush({ address }: ServerProcess, parent: string): Promise<{ count: number; ms: number }> {
  const client = new AdminServiceClient(address, credentials.createInsecure());
  const startedMs = performance.now();
  let count = 0;
  for await (const answer of client.maintainTiers(MaintainTiersRequest.fromPartial({ parent, flush: true }))) {
    count = (answer as MaintainTiersResponse).movedCount;
  }
  client.close();
  return { count, ms: performance.now() - startedMs };
}
