import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newMemory } from '../../support/new-memory.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { openTieredStore } from '../../support/tiered-store.ts';
import type { Bench, Group } from '../bench.ts';
import { makeCorpus } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { median } from '../quantile.ts';
import { atLeast } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';
import { getMessages, storeSentenceAndJson } from './call-messages.ts';
import { BareDriver } from './redis-bare.ts';

const ROUNDS = 7;
const ROUND_MS = 400;
const IN_FLIGHT = 64;
const MEMORIES = 10_000;
const COUNTED = 100_000;
const NAMESPACE = 'bench';
/** With the recommended configuration: acknowledged writes are durable. */
const LOGGED = { appendonly: 'yes', appendfsync: 'everysec', 'auto-aof-rewrite-percentage': '0' };
const DRIVER = 'node-redis, the same bytes';
/** The raw limit of a Store: the driver alone in one script that writes as much. */
const LUA_WRITE = 'node-redis, the same keys';
/** Storing and reading in Redis, compared with the driver alone with the same bytes; and the memory use. */
export const redisGroup: Group = {
  parts: ['redis'],
  async run(bench) {
    const server = await RedisServer.started(LOGGED);
    try {
      await measureStoreAlone(bench, server);
      await server.command('FLUSHALL');
      await measureCalls(bench, server);
      await server.command('FLUSHALL');
      await measureBytes(bench, server);
    } finally {
      await server.stop();
    }
  },
};

const content = {
  mediaType: 'application/json',
  data: Buffer.from(JSON.stringify({ reward: 0.5, note: 'x'.repeat(450) })),
};
const text = 'The lighthouse at the end of the pier was painted red last summer by two brothers. '.repeat(6);
const memory = (id: string) => newMemory({ id, text, content });

type Call = (at: number) => Promise<unknown>;

/** Without transport: the store as operations call it, and the share of Redis. */
async function measureStoreAlone(bench: Bench, server: RedisServer): Promise<void> {
  const folder = join(bench.folder, 'redis-store');
  mkdirSync(folder);
  const opened = await openTieredStore({ folder, urls: [server.url] });
  const bare = await BareDriver.connected(server, memory('id'));
  const { store, hot } = opened;
  // Copies are written into the data folder in the meantime; the remaining ones are awaited between the rounds.
  const usage = new Usage(server, () => store.follower.settled());
  let count = 0;
  const write = (namespace: string, into: Pick<typeof store, 'store'>) => () => {
    const memories = [memory(`m${count++}`)];
    return into.store({ namespace, memories, createNamespace: true, onConflict: 'fail', atUs: 1 });
  };
  const both = write(NAMESPACE, store);
  await compared(bench, usage, 'store, without transport', [() => bare.write(), both], {});
  const stored = count;
  const written = bare.written;
  const read: Call = (at) => store.get({ namespace: NAMESPACE, ids: [`m${at % stored}`], view: 'basic', nowUs: 1 });
  await compared(bench, usage, 'get, without transport', [(at) => bare.read(at % written), read], { least: 0.6 });
  const indexed = { limitName: LUA_WRITE };
  const luaWrite = { ...indexed, least: 0.5 };
  await compared(bench, usage, 'store, without transport', [() => bare.writeSameKeys(), both], luaWrite);
  const alone = write('redis-alone', hot);
  await compared(bench, usage, 'store into Redis, without copies', [() => bare.write(), alone], {});
  await compared(bench, usage, 'store into Redis, without copies', [() => bare.writeSameKeys(), alone], indexed);
  bare.close();
  await opened.close();
}

/** Over gRPC: client, server and Redis share the cores. */
async function measureCalls(bench: Bench, server: RedisServer): Promise<void> {
  const folder = join(bench.folder, 'redis-calls');
  const mneme = await startMneme({ folder, env: { MNEME_REDIS_URL: server.url } });
  const corpus = makeCorpus(MEMORIES, 0);
  const caller = new Caller(mneme.address);
  await populate(caller, corpus, MEMORIES, false);
  caller.close();
  const bare = await BareDriver.connected(server, memory('id'));
  for (let at = 0; at < MEMORIES; at++) await bare.write();
  const load = { client: 'raw', inFlight: IN_FLIGHT, durationMs: ROUND_MS } as const;
  for (const [what, messages, call] of [
    ['Store over gRPC', storeSentenceAndJson(corpus), () => bare.write()],
    ['Get over gRPC', getMessages(MEMORIES), (at: number) => bare.read(at % MEMORIES)],
  ] as const) {
    const ratios: number[] = [];
    const [rates, limits]: [number[], number[]] = [[], []];
    await bench.client.run(mneme, { ...messages, ...load, durationMs: 1500 });
    for (let round = 0; round < ROUNDS; round++) {
      const limit = await perSecond(call, ROUND_MS);
      const { perSecond: rate } = await bench.client.run(mneme, { ...messages, ...load });
      rates.push(rate);
      limits.push(limit);
      ratios.push(rate / limit);
    }
    add(bench, what, { rates, limits, ratios }, {});
  }
  bare.close();
  await mneme.stop();
}

interface Rates {
  readonly rates: number[];
  readonly limits: number[];
  readonly ratios: number[];
}
interface Against {
  readonly least?: number | undefined;
  readonly limitName?: string;
}

/** In turn, and with the rates the processor time of all threads and of Redis, which other work affects less. */
async function compared(
  bench: Bench,
  usage: Usage,
  what: string,
  [limit, subject]: readonly [Call, Call],
  against: Against,
): Promise<void> {
  const rates: Rates = { rates: [], limits: [], ratios: [] };
  const costs: Rates = { rates: [], limits: [], ratios: [] };
  const kept: Rates = { rates: [], limits: [], ratios: [] };
  for (const call of [limit, subject]) await usage.of(() => perSecond(call, ROUND_MS));
  for (let round = 0; round < ROUNDS; round++) {
    const below = await usage.of(() => perSecond(limit, ROUND_MS));
    const above = await usage.of(() => perSecond(subject, ROUND_MS));
    rates.limits.push(below.perSecond);
    rates.rates.push(above.perSecond);
    rates.ratios.push(above.perSecond / below.perSecond);
    kept.limits.push(below.perSecond);
    kept.rates.push(above.settledPerSecond);
    kept.ratios.push(above.settledPerSecond / below.perSecond);
    costs.limits.push(below.cpuUs);
    costs.rates.push(above.cpuUs);
    costs.ratios.push(above.cpuUs / below.cpuUs);
  }
  add(bench, what, rates, against);
  if (what.startsWith('store, '))
    add(bench, `${what}, until copies are complete`, kept, { ...against, least: undefined });
  const { limitName = DRIVER } = against;
  const [value, limitCost, ratio] = [median(costs.rates), median(costs.limits), median(costs.ratios)];
  const name = `processor time of one: ${what}, copies and Redis included`;
  bench.add({ part: 'redis', what: name, value, unit: 'µs', limit: limitCost, limitName, ratio });
}

function add(
  bench: Bench,
  what: string,
  { rates, limits, ratios }: Rates,
  { least, limitName = DRIVER }: Against,
): void {
  const ratio = median(ratios);
  const limit = { limit: median(limits), limitName, ratio };
  const row = { part: 'redis', what: `${what}, ${IN_FLIGHT} in flight`, value: median(rates), unit: '/s', ...limit };
  bench.add(least === undefined ? row : { ...row, wanted: atLeast(ratio, least) });
}

async function perSecond(call: Call, durationMs: number): Promise<number> {
  const startedMs = performance.now();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - startedMs < durationMs) await call(done++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
  return (done / (performance.now() - startedMs)) * 1000;
}

interface Used {
  readonly perSecond: number;
  /** Including work that remained after the last answer. */
  readonly settledPerSecond: number;
  readonly cpuUs: number;
}

/** Processor time of this process and of Redis until no work is pending. */
class Usage {
  private readonly server: RedisServer;
  private readonly settled: () => Promise<void>;

  constructor(server: RedisServer, settled: () => Promise<void>) {
    this.server = server;
    this.settled = settled;
  }

  async of(measure: () => Promise<number>): Promise<Used> {
    const before = await this.usedUs();
    const startedMs = performance.now();
    const perSecond = await measure();
    const count = (perSecond * (performance.now() - startedMs)) / 1000;
    await this.settled();
    const settledPerSecond = (count / (performance.now() - startedMs)) * 1000;
    return { perSecond, settledPerSecond, cpuUs: ((await this.usedUs()) - before) / count };
  }

  private async usedUs(): Promise<number> {
    const { user, system } = process.cpuUsage();
    const info = String(await this.server.command('INFO', 'cpu'));
    const seconds = [...info.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
    return user + system + seconds * 1e6;
  }
}

async function measureBytes(bench: Bench, server: RedisServer): Promise<void> {
  const folder = join(bench.folder, 'redis-bytes');
  mkdirSync(folder);
  const opened = await openTieredStore({ folder, urls: [server.url] });
  const before = await usedBytes(server);
  for (let at = 0; at < COUNTED; at += 500) {
    const memories = Array.from({ length: 500 }, (_, offset) => memory(`m${at + offset}`));
    // Into Redis alone: copies in the data folder are not counted.
    await opened.hot.store({ namespace: NAMESPACE, memories, createNamespace: true, onConflict: 'fail', atUs: 1 });
  }
  const bytes = (await usedBytes(server)) - before;
  const what = `memory of Redis for ${COUNTED} short-term memories of ${Buffer.byteLength(text) + content.data.length} B`;
  bench.add({ part: 'redis', what, value: bytes / 1e6, unit: 'MB' });
  await opened.close();
}

async function usedBytes(server: RedisServer): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(String(await server.command('INFO', 'memory')))?.[1]);
}
