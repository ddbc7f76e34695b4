import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminServiceService, UpdateConfigRequest } from '../../../gen/ts/mneme/v1/admin_service.ts';
import type { Bench, Group } from '../bench.ts';
import { RawTransport } from '../load/raw-transport.ts';
import { atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';
import { residentMbOf } from '../servers/process-usage.ts';
import { measureWrites } from './standing-load.ts';
import { subscribed } from './standing-streams.ts';
import {
  DIMENSION,
  embeddingOf,
  PARENT,
  randomVector,
  type Store,
  storeByCall,
  storeRequest,
} from './standing-writes.ts';

const QUERIES = 10_000;
const WRITES_PER_S = 1000;
/** From a store to its event, at that rate. */
const WANTED_P99_MS = 50;
/** Vectors of so few memories are not in a graph yet, and no query has more matches than its limit. */
const MEASURED_S = 20;
/** Most vectors go into the graph meanwhile, and a full collection of garbage may come. */
const LONG_S = 60;
const LIMIT = 20;
/** More than any query has matches, so that each write has an event. */
const LONG_LIMIT = 100;
const CHANNELS = 8;
const IDLE = 1000;
/** Opened before: loading and compiling are not part of the cost of a subscription. */
const FIRST = 100;
/** A write is this near to the query that it is made for; by chance two vectors are not nearer than 0.3. */
const LEAST_COSINE = 0.8;
/**
 * The cost of 10,000 standing queries, and the delay until each is notified of its memory. The load shares the cores
 * with the server: it stores only a number for a stream, and reads only the name of the write of an event.
 */
export const standingGroup: Group = {
  parts: ['standing', 'standing-minute'],
  async run(bench) {
    if (bench.wants('standing')) await withServer(bench, 'standing', measure);
    if (bench.wants('standing-minute')) await withServer(bench, 'standing-minute', measureLong);
  },
};

interface Served {
  readonly bench: Bench;
  readonly part: string;
  /** Of the part, on the disk that the server's data are on. */
  readonly folder: string;
  readonly pid: number;
  readonly readers: readonly RawTransport[];
  /** Stores with a call for each memory. */
  readonly store: Store;
}

async function withServer(bench: Bench, part: string, run: (served: Served) => Promise<void>): Promise<void> {
  const folder = join(bench.folder, part);
  mkdirSync(folder);
  const most = ['--max-concurrent-streams', '--max-calls-in-flight', '--max-streams-per-caller'];
  const flags = [...most.flatMap((flag) => [flag, '20000']), '--max-log-count', '1000000', '--log-level', 'error'];
  const server = await startMneme({ folder: join(folder, 'data'), flags });
  const readers = await Promise.all(Array.from({ length: CHANNELS }, () => RawTransport.open(server.address)));
  const writer = await RawTransport.open(server.address);
  try {
    await keepAllInOneTier(server.address);
    const store: Store = (request) => storeByCall(writer, request);
    await store(storeRequest(randomVector(), 'first'));
    await run({ bench, part, folder, pid: server.pid, readers, store });
  } finally {
    for (const client of [...readers, writer]) client.close();
    await server.stop();
  }
}

/** Moving memories down has separate figures. */
async function keepAllInOneTier(address: string): Promise<void> {
  const caller = new Caller(address);
  const settings = { 'short_term.memory_limit': '0' };
  await caller.ask(AdminServiceService.updateConfig, UpdateConfigRequest.fromPartial({ settings }));
  caller.close();
}

async function measure({ bench, part, folder, pid, readers, store }: Served): Promise<void> {
  const arrivedMs = new Map<string, number>();
  const vectors = Array.from({ length: QUERIES }, randomVector);
  await subscribeAll(readers, vectors.slice(0, FIRST), LIMIT, arrivedMs);
  await sleep(1000);
  const before = residentMbOf(pid).now;
  await subscribeAll(readers, vectors.slice(FIRST, FIRST + IDLE), LIMIT, arrivedMs);
  await sleep(1000);
  const idleMb = residentMbOf(pid).now - before;
  bench.add({ part, what: `${IDLE} idle subscriptions`, value: idleMb, unit: 'MB', wanted: atMost(idleMb, 64, 'MB') });
  await subscribeAll(readers, vectors.slice(FIRST + IDLE), LIMIT, arrivedMs);
  await sleep(1000);
  const each = ((residentMbOf(pid).now - before) * 1000) / (QUERIES - FIRST);
  bench.add({
    part,
    what: `memory of one of ${QUERIES} subscriptions of ${DIMENSION} dimensions`,
    value: each,
    unit: 'kB',
  });
  // First so few that the server is not at its limit: the cost of an event alone.
  const load = { bench, part, folder, pid, store, vectors, arrivedMs, seconds: MEASURED_S };
  await measureWrites({ ...load, perS: WRITES_PER_S / 10 });
  await measureWrites({ ...load, perS: WRITES_PER_S, wantedP99Ms: WANTED_P99_MS });
}

async function measureLong({ readers, ...served }: Served): Promise<void> {
  const arrivedMs = new Map<string, number>();
  const vectors = Array.from({ length: QUERIES }, randomVector);
  await subscribeAll(readers, vectors, LONG_LIMIT, arrivedMs);
  await sleep(1000);
  await measureWrites({
    ...served,
    vectors,
    arrivedMs,
    perS: WRITES_PER_S,
    seconds: LONG_S,
    wantedP99Ms: WANTED_P99_MS,
  });
}

async function subscribeAll(
  readers: readonly RawTransport[],
  vectors: readonly Float32Array[],
  limit: number,
  arrivedMs: Map<string, number>,
): Promise<void> {
  for (let from = 0; from < vectors.length; from += 100) {
    await Promise.all(
      vectors.slice(from, from + 100).map((values, at) => {
        const reader = readers[(from + at) % readers.length] as RawTransport;
        const query = { parent: PARENT, embedding: embeddingOf(values), minSimilarity: LEAST_COSINE, limit };
        return subscribed(reader, query, arrivedMs);
      }),
    );
  }
}
