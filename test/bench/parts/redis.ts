import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'redis';
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

const ROUNDS = 7;
const ROUND_MS = 400;
const IN_FLIGHT = 64;
const MEMORIES = 10_000;
const COUNTED = 100_000;
const NAMESPACE = 'bench';
/** What a program would do by hand: the memory, its places in two orders, and an entry of the log, as one step. */
const WRITE = `redis.call('HSET', KEYS[1] .. ARGV[1], 'd', ARGV[2], 'content', ARGV[3])
redis.call('ZADD', KEYS[1] .. 'o', ARGV[4], ARGV[1])
redis.call('ZADD', KEYS[1] .. 't', ARGV[4], ARGV[1])
redis.call('XADD', KEYS[1] .. 'log', 'MAXLEN', '~', '10000', '*', 'k', 'stored', 'i', ARGV[1])
return 1`;

/** Storing and reading in Redis, beside the driver alone with the same bytes; and what memories cost there. */
export const redisGroup: Group = {
  parts: ['redis'],
  async run(bench) {
    const server = await RedisServer.started();
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

/** The driver with a script of its own, and the same bytes. */
async function bareDriver(server: RedisServer) {
  const client = createClient({ url: server.url, RESP: 2, commandOptions: { timeout: 0 } });
  client.on('error', (error) => {
    throw error;
  });
  await client.connect();
  const sha1 = await client.scriptLoad(WRITE);
  const json = JSON.stringify({ ...memory('id'), content: undefined });
  return {
    write: (id: string) =>
      client.sendCommand(['EVALSHA', sha1, '1', 'bare:', id, json, content.data, `${performance.now()}`]),
    read: (id: string) => client.sendCommand(['HGETALL', `bare:${id}`]),
    close: () => client.destroy(),
  };
}

/** Without transport: the store as operations call it. */
async function measureStoreAlone(bench: Bench, server: RedisServer): Promise<void> {
  const folder = join(bench.folder, 'redis-store');
  mkdirSync(folder);
  const opened = await openTieredStore({ folder, urls: [server.url] });
  const bare = await bareDriver(server);
  const { store } = opened;
  let count = 0;
  const write = () =>
    store.store({
      namespace: NAMESPACE,
      memories: [memory(`m${count++}`)],
      createNamespace: true,
      onConflict: 'fail',
      atUs: 1,
    });
  const read = (at: number) => store.get({ namespace: NAMESPACE, ids: [`m${at % count}`], view: 'basic', nowUs: 1 });
  let written = 0;
  await compared(bench, 'store, without transport', 0.5, () => bare.write(`b${written++}`), write);
  await compared(bench, 'get, without transport', 0.6, (at) => bare.read(`b${at % written}`), read);
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
  const bare = await bareDriver(server);
  for (let at = 0; at < MEMORIES; at++) await bare.write(`b${at}`);
  const load = { client: 'raw', inFlight: IN_FLIGHT, durationMs: ROUND_MS } as const;
  for (const [what, messages, call] of [
    ['Store over gRPC', storeSentenceAndJson(corpus), (at: number) => bare.write(`w${at}`)],
    ['Get over gRPC', getMessages(MEMORIES), (at: number) => bare.read(`b${at % MEMORIES}`)],
  ] as const) {
    const ratios: number[] = [];
    const [rates, limits]: [number[], number[]] = [[], []];
    await bench.client.run(mneme, { ...messages, ...load, durationMs: 1500 });
    for (let round = 0; round < ROUNDS; round++) {
      const limit = await perSecond(call);
      const { perSecond: rate } = await bench.client.run(mneme, { ...messages, ...load });
      rates.push(rate);
      limits.push(limit);
      ratios.push(rate / limit);
    }
    add(bench, what, rates, limits, ratios);
  }
  bare.close();
  await mneme.stop();
}

async function compared(
  bench: Bench,
  what: string,
  least: number,
  limit: (at: number) => Promise<unknown>,
  subject: (at: number) => Promise<unknown>,
): Promise<void> {
  const [rates, limits, ratios]: [number[], number[], number[]] = [[], [], []];
  await perSecond(limit);
  await perSecond(subject);
  for (let round = 0; round < ROUNDS; round++) {
    const below = await perSecond(limit);
    const above = await perSecond(subject);
    limits.push(below);
    rates.push(above);
    ratios.push(above / below);
  }
  add(bench, what, rates, limits, ratios, least);
}

function add(bench: Bench, what: string, rates: number[], limits: number[], ratios: number[], least?: number): void {
  const ratio = median(ratios);
  const limit = { limit: median(limits), limitName: 'node-redis, the same bytes', ratio };
  const row = { part: 'redis', what: `${what}, ${IN_FLIGHT} in flight`, value: median(rates), unit: '/s', ...limit };
  bench.add(least === undefined ? row : { ...row, wanted: atLeast(ratio, least) });
}

async function perSecond(call: (at: number) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - startedMs < ROUND_MS) await call(done++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
  return (done / (performance.now() - startedMs)) * 1000;
}

async function measureBytes(bench: Bench, server: RedisServer): Promise<void> {
  const folder = join(bench.folder, 'redis-bytes');
  mkdirSync(folder);
  const opened = await openTieredStore({ folder, urls: [server.url] });
  const before = await usedBytes(server);
  for (let at = 0; at < COUNTED; at += 500) {
    const memories = Array.from({ length: 500 }, (_, offset) => memory(`m${at + offset}`));
    // Into Redis alone: the copies in the data folder are not what is counted.
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
