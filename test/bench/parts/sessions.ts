import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import {
  GetMemoryRequest,
  GetMemoryResponse,
  MemoryServiceClient,
  StoreMemoryRequest,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { type PipelineResponse, PipelineServiceClient } from '../../../gen/ts/mneme/v1/pipeline_service.ts';
import type { Bench, Group } from '../bench.ts';
import { median, quantile } from '../quantile.ts';
import { atLeast, atMost } from '../report/row.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startEcho } from '../servers/echo.ts';
import { startMneme } from '../servers/mneme.ts';
import { threadUsOf, usedByThread } from '../servers/process-usage.ts';
import { INGEST_BATCH, ingest, ingestBatches } from './ingest-stream.ts';

const ROUNDS = 5;
const ROUND_TRIPS = 3000;
const SESSION_RATIO_MAX = 2;
const INGESTED = 10_000;
const DIMENSION = 384;
const INGESTED_PER_S = 10_000;
const PARENT = 'namespaces/default';
const CHANNEL = { 'grpc-node.flow_control_window': 4_194_304 };

/** Small operations over one stream compared with a plain echo over one stream, and the rate of ingest. */
export const sessionGroup: Group = {
  parts: ['session', 'ingest'],
  async run(bench) {
    const folder = join(bench.folder, 'sessions');
    mkdirSync(folder);
    const mneme = await startMneme({ folder: join(folder, 'data') });
    try {
      if (bench.wants('session')) await measureSession(bench, mneme.address, folder);
      if (bench.wants('ingest')) await measureIngest(bench, mneme);
    } finally {
      await mneme.stop();
    }
  },
};

async function measureSession(bench: Bench, address: string, folder: string): Promise<void> {
  const channel = credentials.createInsecure();
  const memories = new MemoryServiceClient(address, channel, CHANNEL);
  const memory = { text: 'Caroline plays the cello in the evening. '.repeat(5) };
  const stored = await new Promise<string>((resolve, reject) => {
    memories.storeMemory(StoreMemoryRequest.fromPartial({ parent: PARENT, memory }), (error, answer) =>
      error ? reject(error) : resolve(answer.memory?.name ?? ''),
    );
  });
  const get = () =>
    new Promise<GetMemoryResponse>((resolve, reject) => {
      memories.getMemory(GetMemoryRequest.fromPartial({ name: stored }), (error, answer) =>
        error ? reject(error) : resolve(answer),
      );
    });
  const answer = Buffer.from(GetMemoryResponse.encode(await get()).finish()).toString('base64');
  const echo = await startEcho(folder, { get: answer });
  const [subject, limit] = [
    new PipelineServiceClient(address, channel, CHANNEL),
    new PipelineServiceClient(echo.address, channel, CHANNEL),
  ];
  try {
    const rounds: { mneme: number; echo: number; unary: number }[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const measured = {
        echo: await p50Us(overSession(limit, stored)),
        mneme: await p50Us(overSession(subject, stored)),
        unary: await p50Us({ trip: get, end: () => undefined }),
      };
      // The first one warms up.
      if (round > 0) rounds.push(measured);
    }
    const ratio = median(rounds.map((each) => each.mneme / each.echo));
    const [value, limitUs] = [median(rounds.map((each) => each.mneme)), median(rounds.map((each) => each.echo))];
    bench.add({
      part: 'session',
      what: 'Get over a session, round trip p50, one in flight',
      value,
      unit: 'µs',
      limit: limitUs,
      limitName: 'bare bidirectional echo of the same bytes',
      ratio,
      wanted: atMost(ratio, SESSION_RATIO_MAX),
    });
    bench.add({
      part: 'session',
      what: 'Get as a call of its own, round trip p50, one in flight',
      value: median(rounds.map((each) => each.unary)),
      unit: 'µs',
    });
  } finally {
    for (const client of [memories, subject, limit]) client.close();
    await echo.stop();
  }
}

interface Trips {
  trip(): Promise<unknown>;
  end(): void;
}

function overSession(client: PipelineServiceClient, name: string): Trips {
  const stream = client.pipeline();
  let correlationId = 0;
  let answered: (answer: PipelineResponse) => void = () => undefined;
  stream.on('data', (answer: PipelineResponse) => answered(answer));
  return {
    trip: () =>
      new Promise((resolve) => {
        answered = resolve;
        const operation = { $case: 'getMemory', value: GetMemoryRequest.fromPartial({ name }) } as const;
        stream.write({ operations: [{ correlationId: ++correlationId, timeout: undefined, operation }] });
      }),
    end: () => void stream.end(),
  };
}

async function p50Us({ trip, end }: Trips): Promise<number> {
  const us: number[] = [];
  for (let at = 0; at < ROUND_TRIPS; at++) {
    const startedMs = performance.now();
    await trip();
    us.push((performance.now() - startedMs) * 1000);
  }
  end();
  return quantile(
    us.sort((a, b) => a - b),
    0.5,
  );
}

async function measureIngest(bench: Bench, { address, pid }: ServerProcess): Promise<void> {
  const rates: number[] = [];
  const batches = ingestBatches(INGESTED, itemOf);
  const before = threadUsOf(pid);
  for (let round = 0; round < 3; round++) {
    const startedMs = performance.now();
    await ingest(address, PARENT, `round-${round}`, batches, INGESTED);
    rates.push((INGESTED / (performance.now() - startedMs)) * 1000);
  }
  const value = median(rates);
  for (const [thread, us] of usedByThread(pid, before, 3 * INGESTED)) {
    bench.add({ part: 'ingest', what: `CPU for a memory in threads named ${thread}`, value: us, unit: 'µs' });
  }
  bench.add({
    part: 'ingest',
    what: `memories of a sentence and a vector of ${DIMENSION}, durable, in batches of ${INGEST_BATCH}, one stream`,
    value,
    unit: 'memories/s',
    wanted: atLeast(value, INGESTED_PER_S, 'memories/s'),
  });
}

function itemOf(at: number) {
  const sequence = at + 1;
  const values = Float32Array.from({ length: DIMENSION }, (_, i) => Math.sin(sequence * 7 + i));
  const embedding = { model: 'm', dimension: DIMENSION, dataF32le: Buffer.from(values.buffer) };
  const text = `${sequence} people were at the harbour when the ${sequence % 977}th boat came in`;
  return { memory: Memory.fromPartial({ text, embedding }), memoryId: '' };
}
