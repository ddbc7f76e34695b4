import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  BatchStoreMemoriesRequest,
  GetMemoryRequest,
  MemoryServiceService,
  StoreMemoryRequest,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import type { Bench, Group } from '../bench.ts';
import { type Corpus, idOf, makeCorpus, PARENT } from '../data/corpus.ts';
import { graphBuilt } from '../data/populate.ts';
import { variedMessage } from '../data/varied.ts';
import { AgainstProgram, installAgainstTools, type SystemName } from '../load/against-program.ts';
import { Caller } from '../servers/caller.ts';
import { freeAddress, type ServerProcess, stopped, whenListening } from '../servers/child.ts';
import { startEcho } from '../servers/echo.ts';
import { pidOf, spawnMneme } from '../servers/mneme.ts';
import { measureAgainstCalls } from './against-calls.ts';
import { writeAgainstData } from './against-data.ts';
import { recallRequests } from './recall-messages.ts';

const PART = 'against';
const SIZES = [10_000];
const QUERIES = 500;
/** Memories that calls add, beside those that are there at first; after the last one they begin again. */
const ADDED = 20_000;
/** Some 200 characters. */
const WORDS = 36;
const BATCH = 100;
/**
 * Durability as it comes: fsync and synchronous_commit on. Buffers hold all of the data, and the log is not cut short
 * during a measurement.
 */
const POSTGRES = { shared_buffers: '1GB', max_wal_size: '8GB' };

/** The same calls of one Python caller to Mneme, pgvector, a bare echo and SQLite alone. */
export const againstGroup: Group = {
  parts: [PART],
  async run(bench) {
    try {
      installAgainstTools();
      for (const size of bench.sizes(SIZES)) await measure(bench, size);
    } catch (error) {
      // A machine without Python or PostgreSQL still measures the rest.
      bench.say(`${PART} failed: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    }
  },
};

async function measure(bench: Bench, count: number): Promise<void> {
  const folder = join(bench.folder, `${PART}-${count}`);
  mkdirSync(folder);
  const corpus = makeCorpus(count + ADDED, QUERIES, WORDS);
  writeAgainstData(folder, corpus, count);
  const postgres = new PostgresServer({ user: 'bench', parameters: POSTGRES });
  const program = new AgainstProgram(folder);
  const address = await freeAddress();
  const startMneme = (): ChildProcess => spawnMneme({ folder: join(folder, 'data') }, address);
  let mneme = startMneme();
  let echo: ServerProcess | undefined;
  try {
    await whenListening(mneme, address);
    await program.open('mneme', address, pidOf(mneme));
    await postgres.start();
    await program.open('pgvector', postgres.folder, postgres.pid);
    await program.open('sqlite', join(folder, 'bare.db'));
    for (const system of ['mneme', 'pgvector', 'sqlite'] as const) await fill(bench, program, system, count);
    echo = await echoOf(bench, address, corpus, folder, count);
    await program.open('echo', echo.address, echo.pid);
    await measureAgainstCalls(bench, program, count, { mneme: pidOf(mneme), pgvector: postgres.pid });
    await stopped(mneme);
    await restart(bench, program, 'mneme', count, address, () => {
      mneme = startMneme();
    });
    await postgres.stop();
    await restart(bench, program, 'pgvector', count, postgres.folder, () => postgres.launch());
  } finally {
    await program.stop();
    await echo?.stop();
    await stopped(mneme);
    await postgres.stop();
    postgres.remove();
    rmSync(folder, { recursive: true });
  }
}

async function fill(bench: Bench, program: AgainstProgram, system: SystemName, count: number): Promise<void> {
  bench.say(`storing ${count} memories in ${system}`);
  const { stored_ms, finished_ms } = await program.fill(system);
  const value = (count / stored_ms) * 1000;
  bench.add({ part: PART, what: `${system}: storing ${count}, ${BATCH} a call`, value, unit: 'memories/s' });
  if (system === 'pgvector') {
    bench.add({ part: PART, what: `${system}: indexes of ${count} made after it`, value: finished_ms, unit: 'ms' });
  }
}

/** Waits for the graph. The echo then repeats answers of Mneme to the same calls. */
async function echoOf(
  bench: Bench,
  address: string,
  corpus: Corpus,
  folder: string,
  count: number,
): Promise<ServerProcess> {
  const caller = new Caller(address);
  const [request] = recallRequests(corpus, 'vector');
  if (!request) throw new Error('no queries');
  await caller.ask(RecallServiceService.recall, request);
  const value = await graphBuilt(caller, count);
  bench.add({ part: PART, what: `mneme: graph of ${count} complete after`, value, unit: 'ms' });
  const parent = 'namespaces/for-the-echo';
  const requests = Array.from({ length: BATCH }, (_, at) => ({
    memory: variedMessage(corpus, at),
    memoryId: idOf(at),
  }));
  const batch = BatchStoreMemoriesRequest.fromPartial({ parent, requests });
  const store = StoreMemoryRequest.fromPartial({ parent, memory: variedMessage(corpus, 0), memoryId: 'stored' });
  const get = GetMemoryRequest.fromPartial({ name: `${PARENT}/memories/${idOf(1)}` });
  const answers = {
    recall: await caller.recorded(RecallServiceService.recall, request),
    get: await caller.recorded(MemoryServiceService.getMemory, get),
    store: await caller.recorded(MemoryServiceService.storeMemory, store),
    batchStore: await caller.recorded(MemoryServiceService.batchStoreMemories, batch),
  };
  caller.close();
  return startEcho(folder, answers);
}

async function restart(
  bench: Bench,
  program: AgainstProgram,
  system: SystemName,
  count: number,
  address: string,
  start: () => unknown,
): Promise<void> {
  const startedMs = performance.now();
  start();
  await program.firstGet(system, address);
  const value = (performance.now() - startedMs) / 1000;
  bench.add({ part: PART, what: `${system}: restart with ${count} memories, to the first Get`, value, unit: 's' });
}
