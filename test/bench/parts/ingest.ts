import { join } from 'node:path';
import { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import type { Bench, Group } from '../bench.ts';
import { median } from '../quantile.ts';
import { atLeast } from '../report/row.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startMneme } from '../servers/mneme.ts';
import { threadUsOf, usedByThread } from '../servers/process-usage.ts';
import { INGEST_BATCH, ingest, ingestBatches } from './ingest-stream.ts';

const INGESTED = 10_000;
const DIMENSION = 384;
const INGESTED_PER_S = 10_000;
const PARENT = 'namespaces/default';

/** The rate of ingest over one stream. */
export const ingestGroup: Group = {
  parts: ['ingest'],
  async run(bench) {
    const mneme = await startMneme({ folder: join(bench.folder, 'ingest') });
    try {
      await measureIngest(bench, mneme);
    } finally {
      await mneme.stop();
    }
  },
};

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
