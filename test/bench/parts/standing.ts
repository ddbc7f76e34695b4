import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminServiceService, UpdateConfigRequest } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { MemoryServiceService, StoreRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Bench, Group } from '../bench.ts';
import { collectGarbage } from '../load/collect-garbage.ts';
import { RawTransport } from '../load/raw-transport.ts';
import { quantile } from '../quantile.ts';
import { atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';
import { residentMbOf, threadUsOf, usedByThread, cpuUsOf as usedCpuUs } from '../servers/process-usage.ts';
import { namedText, subscribed } from './standing-streams.ts';

const QUERIES = 10_000;
const DIMENSION = 384;
const WRITES_PER_S = 1000;
/** So long that full collections of garbage are in the figures. Vectors of so few memories are not in a graph yet, which takes more. */
const MEASURED_S = 20;
/** Before what is measured, at the same rate: until then V8 compiles what the writes run through. */
const WARM_UP_S = 3;
const CHANNELS = 8;
const IDLE = 1000;
const PARENT = 'namespaces/default';
/** A write is this near to the query that it is made for; by chance two vectors are not nearer than 0.3. */
const LEAST_COSINE = 0.8;
const NOISE = 0.4;
/**
 * What 10,000 queries that stand cost, and how soon each is told of the memory that it waits for. The load shares the cores with
 * the server: it keeps nothing but a number for a stream, and reads no more of an event than the name of the write.
 */
export const standingGroup: Group = {
  parts: ['standing'],
  async run(bench) {
    const folder = join(bench.folder, 'standing');
    mkdirSync(folder);
    const most = ['--max-concurrent-streams', '--max-calls-in-flight', '--max-streams-per-caller'];
    const flags = [...most.flatMap((flag) => [flag, '20000']), '--max-log-count', '1000000', '--log-level', 'error'];
    const server = await startMneme({ folder: join(folder, 'data'), flags });
    const readers = await Promise.all(Array.from({ length: CHANNELS }, () => RawTransport.open(server.address)));
    const writer = await RawTransport.open(server.address);
    try {
      await keepAllInOneTier(server.address);
      await put(writer, storeRequest(randomVector(), 'first'));
      await measure(bench, server.pid, readers, writer);
    } finally {
      for (const client of [...readers, writer]) client.close();
      await server.stop();
    }
  },
};

/** Moving memories down has figures of its own. */
async function keepAllInOneTier(address: string): Promise<void> {
  const caller = new Caller(address);
  const settings = { 'short_term.memory_limit': '0' };
  await caller.ask(AdminServiceService.updateConfig, UpdateConfigRequest.fromPartial({ settings }));
  caller.close();
}

async function measure(
  bench: Bench,
  pid: number,
  readers: readonly RawTransport[],
  writer: RawTransport,
): Promise<void> {
  const part = 'standing';
  const arrivedMs = new Map<string, number>();
  const vectors = Array.from({ length: QUERIES }, randomVector);
  const before = residentMbOf(pid).now;
  await subscribeAll(readers, vectors.slice(0, IDLE), arrivedMs);
  await sleep(1000);
  const idleMb = residentMbOf(pid).now - before;
  bench.add({ part, what: `${IDLE} idle subscriptions`, value: idleMb, unit: 'MB', wanted: atMost(idleMb, 64, 'MB') });
  await subscribeAll(readers, vectors.slice(IDLE), arrivedMs);
  await sleep(1000);
  const each = ((residentMbOf(pid).now - before) * 1000) / QUERIES;
  bench.add({
    part,
    what: `memory of one of ${QUERIES} subscriptions of ${DIMENSION} dimensions`,
    value: each,
    unit: 'kB',
  });
  // First so few that the server is not at its limit: what an event takes by itself.
  await measureWrites({ bench, pid, writer, vectors, arrivedMs, perS: WRITES_PER_S / 10 });
  await measureWrites({ bench, pid, writer, vectors, arrivedMs, perS: WRITES_PER_S });
}

interface Load {
  readonly bench: Bench;
  readonly pid: number;
  readonly writer: RawTransport;
  readonly vectors: readonly Float32Array[];
  /** When the event of each text came. */
  readonly arrivedMs: Map<string, number>;
  readonly perS: number;
}

async function measureWrites(load: Load): Promise<void> {
  const { bench, pid, perS } = load;
  const count = MEASURED_S * perS;
  const part = 'standing';
  const warmUp = writesOf(load, 'warm-up', WARM_UP_S * perS);
  const writes = writesOf(load, 'write', count);
  await writeAll(load, warmUp);
  collectGarbage();
  const cpuUs = usedCpuUs(pid);
  const threadsUs = threadUsOf(pid);
  const startedMs = performance.now();
  const { sentMs, writtenS } = await writeAll(load, writes);
  const cores = (usedCpuUs(pid) - cpuUs) / ((performance.now() - startedMs) * 1000);
  const latencies = [...sentMs]
    .flatMap(([text, atMs]) => {
      const toldMs = load.arrivedMs.get(text);
      return toldMs === undefined ? [] : [toldMs - atMs];
    })
    .sort((a, b) => a - b);
  const what = `with ${QUERIES} queries standing and ${perS} writes a second`;
  const p99 = quantile(latencies, 0.99);
  const isWanted = perS === WRITES_PER_S;
  bench.add({ part, what: `writes acknowledged ${what}`, value: sentMs.size / writtenS, unit: 'writes/s' });
  bench.add({ part, what: `events told ${what}`, value: (latencies.length / sentMs.size) * 100, unit: '%' });
  bench.add({ part, what: `store to event, p50, ${what}`, value: quantile(latencies, 0.5), unit: 'ms' });
  const wanted = isWanted ? { wanted: atMost(p99, 50, 'ms') } : {};
  bench.add({ part, what: `store to event, p99, ${what}`, value: p99, unit: 'ms', ...wanted });
  bench.add({ part, what: `CPU of the server ${what}`, value: cores, unit: 'cores' });
  const costUs = (usedCpuUs(pid) - cpuUs) / count;
  bench.add({ part, what: `CPU of the server for a write and its event ${what}`, value: costUs, unit: 'µs' });
  for (const [thread, us] of usedByThread(pid, threadsUs, count)) {
    bench.add({ part, what: `of it in threads named ${thread}`, value: us, unit: 'µs' });
  }
}

interface Write {
  readonly text: string;
  readonly request: Uint8Array;
}

/** Made before they are sent: what that takes is not the server's. */
function writesOf({ vectors, perS }: Load, name: string, count: number): Write[] {
  return Array.from({ length: count }, (_, write) => {
    const text = `${name} ${perS}-${write}`;
    const near = nearTo(vectors[Math.floor(Math.random() * QUERIES)] ?? randomVector());
    return { text, request: storeRequest(near, text) };
  });
}

/** Writes at the rate, and waits until each event has come. */
async function writeAll({ writer, arrivedMs, perS }: Load, writes: readonly Write[]) {
  const startedMs = performance.now();
  const sentMs = new Map<string, number>();
  const acknowledged: Promise<void>[] = [];
  for (const [write, { text, request }] of writes.entries()) {
    const waitMs = startedMs + (write * 1000) / perS - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    sentMs.set(text, performance.now());
    // A server without the CPU for so many refuses some: they have no events.
    acknowledged.push(put(writer, request).catch(() => void sentMs.delete(text)));
  }
  await Promise.all(acknowledged);
  const writtenS = (performance.now() - startedMs) / 1000;
  // Memories of the other load, whose places change, arrive again.
  const isTold = () => [...sentMs.keys()].every((text) => arrivedMs.has(text));
  for (let waited = 0; waited < 300 && !isTold(); waited++) await sleep(100);
  return { sentMs, writtenS };
}

async function subscribeAll(
  readers: readonly RawTransport[],
  vectors: readonly Float32Array[],
  arrivedMs: Map<string, number>,
): Promise<void> {
  for (let from = 0; from < vectors.length; from += 100) {
    await Promise.all(
      vectors.slice(from, from + 100).map((values, at) => {
        const reader = readers[(from + at) % readers.length] as RawTransport;
        const query = { parent: PARENT, embedding: embeddingOf(values), minSimilarity: LEAST_COSINE, limit: 10 };
        return subscribed(reader, query, arrivedMs);
      }),
    );
  }
}

function storeRequest(values: Float32Array, name: string): Uint8Array {
  const memory = { text: namedText(name), embedding: embeddingOf(values) };
  return StoreRequest.encode(StoreRequest.fromPartial({ parent: PARENT, memory })).finish();
}

function put(writer: RawTransport, request: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const onEnd = (isStored: boolean): void =>
      isStored ? resolve() : reject(new Error('the server has refused a memory'));
    writer.call(MemoryServiceService.store.path, request, onEnd);
  });
}

function embeddingOf(values: Float32Array) {
  return { dataF32le: Buffer.from(values.buffer), dimension: DIMENSION, model: 'bench' };
}

function randomVector(): Float32Array {
  const values = Float32Array.from({ length: DIMENSION }, () => Math.random() + Math.random() + Math.random() - 1.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

function nearTo(vector: Float32Array): Float32Array {
  const noise = randomVector();
  return vector.map((value, at) => value + NOISE * (noise[at] ?? 0));
}
