import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryServiceService, StoreMemoryRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Bench, Group } from '../bench.ts';
import { idOf, makeCorpus, memoryOf, PARENT } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import type { Job } from '../load/client-process.ts';
import type { Measured } from '../load/load-client.ts';
import { atLeast } from '../report/row.ts';
import { compare } from '../rounds.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startEcho } from '../servers/echo.ts';
import { startMneme } from '../servers/mneme.ts';
import { measureBatches } from './batches.ts';
import {
  getMessages,
  listMessages,
  type Messages,
  storeBytes,
  storeLongText,
  storeSentenceAndJson,
} from './call-messages.ts';
import { measureWithH2load } from './h2load.ts';
import type { Pair } from './pair.ts';

const MEMORIES = 10_000;
const ROUNDS = 13;
const ROUND_MS = 250;
const WARM_UP_MS = 1500;
const IN_FLIGHT = [1, 16, 64];

/** Unary calls that end in the store's fast paths, compared with the same calls of a plain gRPC server. */
export const callGroup: Group = {
  parts: ['get', 'list', 'store', 'batch'],
  async run(bench) {
    const folder = join(bench.folder, 'calls');
    mkdirSync(folder);
    const corpus = makeCorpus(MEMORIES, 0);
    const mneme = await startMneme({ folder: join(folder, 'data') });
    const caller = new Caller(mneme.address);
    bench.say(`storing ${MEMORIES} memories`);
    await populate(caller, corpus, MEMORIES, false);
    const memory = memoryOf(corpus, 0, false);
    const echo = await startEcho(folder, {
      get: await caller.recorded(MemoryServiceService.getMemory, {
        name: `${PARENT}/memories/${idOf(1)}`,
        view: 0,
        touch: false,
        focus: false,
        minRevision: 0n,
      }),
      list: await caller.recorded(MemoryServiceService.listMemories, {
        parent: PARENT,
        filter: undefined,
        filterText: '',
        asOf: undefined,
        order: 0,
        pageSize: 1,
        pageToken: '',
        view: 0,
        minRevision: 0n,
      }),
      store: await caller.recorded(
        MemoryServiceService.storeMemory,
        StoreMemoryRequest.fromPartial({ parent: PARENT, memory, memoryId: 'for-the-echo' }),
      ),
    });
    const pair = { mneme, echo };
    await measureReads(bench, pair);
    if (bench.wants('store')) {
      await measureStore(bench, pair, 'Store 1 KB: sentence and JSON', storeSentenceAndJson(corpus), 'store');
      await measureStore(bench, pair, 'Store 1 KB: all text', storeLongText(corpus), 'store');
      await measureStore(bench, pair, 'Store 1 KB: bytes, no text', storeBytes(corpus), 'store');
    }
    if (bench.wants('batch')) await measureBatches(bench, mneme, corpus, folder);
    caller.close();
    await echo.stop();
    await mneme.stop();
  },
};

async function measureReads(bench: Bench, pair: Pair): Promise<void> {
  const reads = [
    { part: 'get', what: 'Get', messages: getMessages(MEMORIES) },
    { part: 'list', what: 'List page of one', messages: listMessages() },
  ];
  for (const { part, what, messages } of reads) {
    if (!bench.wants(part)) continue;
    await warmUp(bench, pair, messages, 'raw');
    for (const inFlight of IN_FLIGHT) await comparedCalls(bench, pair, part, what, messages, inFlight, 0.8);
    await measureWithH2load(bench, pair, part, what, messages);
    if (part !== 'get') continue;
    await warmUp(bench, pair, messages, 'grpc-js');
    for (const inFlight of IN_FLIGHT) {
      await comparedCalls(bench, pair, part, `${what}, grpc-js client`, messages, inFlight, undefined, 'grpc-js');
    }
  }
}

async function measureStore(bench: Bench, pair: Pair, what: string, messages: Messages, part: string): Promise<void> {
  await warmUp(bench, pair, messages, 'raw');
  await comparedCalls(bench, pair, part, what, messages, 1);
  await comparedCalls(bench, pair, part, what, messages, 64, 0.4);
}

/** Both servers have compiled their code before the measurement. */
export async function warmUp({ client }: Bench, pair: Pair, messages: Messages, by: Job['client']): Promise<void> {
  for (const server of [pair.echo, pair.mneme]) {
    await client.run(server, { ...messages, client: by, inFlight: 64, durationMs: WARM_UP_MS });
  }
}

export async function comparedCalls(
  bench: Bench,
  { mneme, echo }: Pair,
  part: string,
  what: string,
  messages: Messages,
  inFlight: number,
  least?: number,
  by: Job['client'] = 'raw',
): Promise<void> {
  const round = (server: ServerProcess) => (): Promise<Measured> =>
    bench.client.run(server, { ...messages, client: by, inFlight, durationMs: ROUND_MS });
  const compared = await compare(
    ROUNDS,
    (subject, limit) => subject.perSecond / limit.perSecond,
    round(echo),
    round(mneme),
  );
  bench.add({
    part,
    what: `${what}, ${inFlight} in flight`,
    ...compared,
    limitName: 'echo',
    wanted: least === undefined ? undefined : atLeast(compared.ratio, least),
  });
}
