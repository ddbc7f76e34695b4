import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientReadableStream, credentials } from '@grpc/grpc-js';
import { BatchStoreMemoriesRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallServiceService, WatchMemoriesRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { MemoryServiceClient } from '../../support/service-clients.ts';
import type { Bench, Group } from '../bench.ts';
import { atLeast } from '../report/row.ts';
import { startMneme } from '../servers/mneme.ts';
import { cpuUsOf } from '../servers/process-usage.ts';

const WATCHERS = 100;
const BATCHES = 50;
const BATCH = 200;
const PARENT = 'namespaces/default';
const WANTED_PER_S = 80_000;
const { watchMemories: watch } = RecallServiceService;

/** Number of changes that one core delivers to watchers: every write goes to each of them. */
export const fanOutGroup: Group = {
  parts: ['fan-out'],
  async run(bench) {
    const folder = join(bench.folder, 'fan-out');
    mkdirSync(folder);
    const server = await startMneme({ folder: join(folder, 'data') });
    const channel = credentials.createInsecure();
    const reader = new Client(server.address, channel, { 'grpc-node.flow_control_window': 4_194_304 });
    const writer = new MemoryServiceClient(server.address, channel);
    try {
      await put(writer, 1);
      await measure(bench, server.pid, reader, writer);
    } finally {
      reader.close();
      writer.close();
      await server.stop();
    }
  },
};

async function measure(bench: Bench, pid: number, reader: Client, writer: MemoryServiceClient): Promise<void> {
  const revisions = new Array<bigint>(WATCHERS).fill(0n);
  const streams = await Promise.all(revisions.map((_, at) => open(reader, (revision) => (revisions[at] = revision))));
  const writeCpuUs = await cpuOfWrites(pid, writer, streams);
  const again = await Promise.all(revisions.map((_, at) => open(reader, (revision) => (revisions[at] = revision))));
  const [startedMs, cpuUs] = [performance.now(), cpuUsOf(pid)];
  let newest = 0n;
  for (let batch = 0; batch < BATCHES; batch++) newest = await put(writer, BATCH);
  while (revisions.some((revision) => revision < newest)) await sleep(1);
  const elapsedMs = performance.now() - startedMs;
  const deliveries = WATCHERS * BATCHES * BATCH;
  const eachUs = (cpuUsOf(pid) - cpuUs - writeCpuUs) / deliveries;
  const [part, what] = ['fan-out', `${WATCHERS} watchers of one namespace`];
  const perCore = 1e6 / eachUs;
  const wanted = atLeast(perCore, WANTED_PER_S, 'deliveries/s');
  bench.add({
    part,
    what: `deliveries to ${what}, by CPU of the server beyond that of the writes`,
    value: perCore,
    unit: 'deliveries/s',
    wanted,
  });
  bench.add({
    part,
    what: `deliveries to ${what}, elapsed, with writes and one reader`,
    value: (deliveries / elapsedMs) * 1000,
    unit: 'deliveries/s',
  });
  for (const stream of again) stream.cancel();
}

/** The cost of the same writes without watchers. */
async function cpuOfWrites(pid: number, writer: MemoryServiceClient, streams: readonly ClientReadableStream<bigint>[]) {
  for (const stream of streams) stream.cancel();
  await sleep(500);
  const cpuUs = cpuUsOf(pid);
  for (let batch = 0; batch < BATCHES; batch++) await put(writer, BATCH);
  return cpuUsOf(pid) - cpuUs;
}

/** Reads only the first field of a message, the revision: the reader is not measured. */
function open(client: Client, onRevision: (revision: bigint) => void): Promise<ClientReadableStream<bigint>> {
  const request = WatchMemoriesRequest.fromPartial({ parent: PARENT });
  const stream = client.makeServerStreamRequest(watch.path, watch.requestSerialize, revisionOf, request);
  stream.on('error', () => undefined);
  return new Promise((resolve) => {
    stream.on('data', (revision: bigint) => {
      onRevision(revision);
      resolve(stream);
    });
  });
}

function revisionOf(bytes: Buffer): bigint {
  let revision = 0n;
  for (let at = 1, shift = 0n; at < bytes.length; at++, shift += 7n) {
    const byte = bytes[at] ?? 0;
    revision |= BigInt(byte & 127) << shift;
    if (byte < 128) break;
  }
  return revision;
}

function put(writer: MemoryServiceClient, count: number): Promise<bigint> {
  const memory = { text: 'the quick brown fox jumps over the lazy dog '.repeat(4) };
  const requests = Array.from({ length: count }, () => ({ parent: PARENT, memory }));
  return new Promise((resolve, reject) => {
    const request = BatchStoreMemoriesRequest.fromPartial({ parent: PARENT, requests });
    writer.batchStoreMemories(request, (error, answer) => (error ? reject(error) : resolve(answer.revision)));
  });
}
