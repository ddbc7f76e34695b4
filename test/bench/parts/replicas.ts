import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AdminServiceService, UpdateConfigRequest } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { newMemory } from '../../support/new-memory.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import type { Bench, Group } from '../bench.ts';
import { RawTransport } from '../load/raw-transport.ts';
import { quantile } from '../quantile.ts';
import { atLeast, atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';
import { cpuUsOfTree } from '../servers/process-tree.ts';
import { BareFollower } from './bare-follower.ts';
import { PacedSide } from './paced-side.ts';
import { BarePostgres } from './postgres-bare.ts';
import { AnswerEvents, ChangeEvents, followed, watched } from './replica-streams.ts';
import { namedText } from './standing-streams.ts';
import {
  DIMENSION,
  embeddingOf,
  PARENT,
  randomVector,
  storeByCall,
  timesBetween,
  type Write,
  writesOf,
} from './standing-writes.ts';

const PART = 'replicas';
const WRITES_PER_S = 500;
/** Not measured: both servers compile their code. */
const WARM_UP_S = 4;
const ROUNDS = 3;
const ROUND_S = 8;
const WANTED_P99_MS = 100;
/** Of the rate that was asked for. */
const WRITTEN_MIN = 0.98;
/** Each write comes into the answer of one of them. */
const QUERIES = 1000;
const LEAST_COSINE = 0.8;
/** More than any query has matches, so that no memory leaves an answer. */
const LIMIT = 100;
const LIMIT_NAME = 'pg: the same batches and bytes, NOTIFY, LISTEN, SELECT';

/** Time from a write at one server to its events at another one, both on one PostgreSQL. */
export const replicaGroup: Group = {
  parts: [PART],
  async run(bench) {
    const postgres = await PostgresServer.started({ version: 18 });
    try {
      await withBare(postgres.url, (bare) => withReplicas(bench, postgres, bare));
    } finally {
      await postgres.stop();
      postgres.remove();
    }
  },
};

/** The driver alone in two places: one connection writes, another one listens. */
async function withBare(url: string, run: (bare: PacedSide) => Promise<void>): Promise<void> {
  const memory = newMemory({ id: 'id' });
  const vector = Buffer.alloc(4 * DIMENSION, 1);
  const fields = JSON.stringify(memory);
  const writer = await BarePostgres.connected(url, { text: namedText('round-0-1234'), content: vector, fields }, true);
  const follower = await BareFollower.connected(url);
  try {
    await run(new PacedSide({ store: () => writer.write(), perS: WRITES_PER_S }, [follower]));
  } finally {
    await follower.close();
    await writer.close();
  }
}

async function withReplicas(bench: Bench, postgres: PostgresServer, bare: PacedSide): Promise<void> {
  const [a, b] = [await startReplica(bench, 'a', postgres.url), await startReplica(bench, 'b', postgres.url)];
  const writer = await RawTransport.open(a.address);
  const readers = [await RawTransport.open(b.address), await RawTransport.open(b.address)] as const;
  try {
    const vectors = Array.from({ length: QUERIES }, randomVector);
    const streams = await openStreams(bench, readers, vectors);
    const mneme = new PacedSide({ store: (request) => storeByCall(writer, request), perS: WRITES_PER_S }, streams);
    const numbered = numberedWrites();
    await bare.write(numbered(WARM_UP_S), false);
    await mneme.write(writesOf(vectors, 'warm-up', WARM_UP_S * WRITES_PER_S), false);
    const cpu = new CpuOf({ 'server A': a.pid, 'server B': b.pid, PostgreSQL: postgres.pid });
    for (let round = 0; round < ROUNDS; round++) {
      await bare.write(numbered(ROUND_S));
      const writes = writesOf(vectors, `round-${round}`, ROUND_S * WRITES_PER_S);
      await cpu.during(() => mneme.write(writes));
    }
    report(bench, mneme, bare);
    cpu.report(bench, mneme.sentMs.size);
  } finally {
    for (const client of [writer, ...readers]) client.close();
    await b.stop();
    await a.stop();
  }
}

async function startReplica(bench: Bench, name: string, url: string) {
  const folder = join(bench.folder, `${PART}-${name}`);
  mkdirSync(folder, { mode: 0o700 });
  const most = ['--max-concurrent-streams', '--max-calls-in-flight', '--max-streams-per-caller'];
  const flags = [...most.flatMap((flag) => [flag, '20000']), '--log-level', 'error'];
  const env = { MNEME_POSTGRES_URL: url, MNEME_POSTGRES_SCHEMA: 'bench_replicas' };
  const server = await startMneme({ folder, flags, env });
  const caller = new Caller(server.address);
  // Moving memories down has separate figures.
  const settings = { 'short_term.memory_limit': '0' };
  await caller.ask(AdminServiceService.updateConfig, UpdateConfigRequest.fromPartial({ settings }));
  caller.close();
  return server;
}

async function openStreams(
  bench: Bench,
  [watcher, subscriber]: readonly [RawTransport, RawTransport],
  vectors: readonly Float32Array[],
): Promise<readonly [ChangeEvents, AnswerEvents]> {
  bench.say(`opening a watch and ${vectors.length} standing queries`);
  const changes = new ChangeEvents();
  const answers = new AnswerEvents(changes);
  await watched(watcher, PARENT, changes);
  for (const values of vectors) {
    const query = { parent: PARENT, embedding: embeddingOf(values), minSimilarity: LEAST_COSINE, limit: LIMIT };
    await followed(subscriber, query, answers);
  }
  return [changes, answers];
}

/** Writes of the bare side for some seconds, by the numbers that it gives them. */
function numberedWrites(): (seconds: number) => Write[] {
  let count = 0;
  const next = (): Write => ({ text: String(++count), request: new Uint8Array() });
  return (seconds) => Array.from({ length: seconds * WRITES_PER_S }, next);
}

const QUANTILES: readonly (readonly [name: string, of: (sorted: readonly number[]) => number])[] = [
  ['p50', (sorted) => quantile(sorted, 0.5)],
  ['p99', (sorted) => quantile(sorted, 0.99)],
  ['max', (sorted) => sorted.at(-1) ?? Number.NaN],
];

function report(bench: Bench, mneme: PacedSide, bare: PacedSide): void {
  const [listener] = bare.streams;
  if (!listener || faultsOf(bare, listener) > 0) throw new Error('the bare limit has missed rows');
  const [value, limit] = [mneme.perSecond, bare.perSecond];
  const wanted = atLeast(value, WRITTEN_MIN * WRITES_PER_S, 'writes/s');
  const what = `acknowledged of ${WRITES_PER_S} writes/s at server A`;
  bench.add({ part: PART, what, value, unit: 'writes/s', limit, limitName: LIMIT_NAME, wanted });
  const took = ({ sentMs, acknowledgedMs }: PacedSide): number[] => timesBetween(sentMs, acknowledgedMs);
  addTimes(bench, 'write to acknowledgement at A', took(mneme), took(bare));
  for (const stream of mneme.streams) {
    for (const [from, name] of [
      ['acknowledgedMs', 'acknowledgement'],
      ['sentMs', 'write'],
    ] as const) {
      const [times, limits] = [
        timesBetween(mneme[from], stream.arrivedMs),
        timesBetween(bare[from], listener.arrivedMs),
      ];
      addTimes(bench, `${name} at A to ${stream.name} event at B`, times, limits, WANTED_P99_MS);
    }
    const faults = faultsOf(mneme, stream);
    const what = `${stream.name}: events missed, repeated or out of order`;
    bench.add({ part: PART, what, value: faults, unit: 'events', wanted: atMost(faults, 0, 'events') });
  }
}

function faultsOf(side: PacedSide, stream: PacedSide['streams'][number]): number {
  return side.missedBy(stream) + stream.outOfOrder;
}

function addTimes(bench: Bench, what: string, times: number[], limits: number[], p99MostMs?: number): void {
  for (const [name, of] of QUANTILES) {
    const value = of(times);
    const wanted = name === 'p99' && p99MostMs !== undefined ? { wanted: atMost(value, p99MostMs, 'ms') } : {};
    const limit = { limit: of(limits), limitName: LIMIT_NAME };
    bench.add({ part: PART, what: `${what}, ${name}`, value, unit: 'ms', ...limit, ...wanted });
  }
}

/** CPU of processes and those that they have started, by name. */
class CpuOf {
  private readonly pids: Readonly<Record<string, number>>;
  private readonly usedUs = new Map<string, number>();

  constructor(pids: Readonly<Record<string, number>>) {
    this.pids = pids;
  }

  async during(run: () => Promise<void>): Promise<void> {
    const before = Object.entries(this.pids).map(([name, pid]) => [name, pid, cpuUsOfTree(pid)] as const);
    await run();
    for (const [name, pid, us] of before) {
      this.usedUs.set(name, (this.usedUs.get(name) ?? 0) + cpuUsOfTree(pid) - us);
    }
  }

  report(bench: Bench, count: number): void {
    for (const [name, us] of this.usedUs) {
      bench.add({ part: PART, what: `CPU of ${name} for a write and its events`, value: us / count, unit: 'µs' });
    }
  }
}
