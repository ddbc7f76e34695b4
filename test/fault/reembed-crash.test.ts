import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { PROGRAM } from '../cli/support/run-mneme.ts';
import { EmbeddingEndpoint } from '../support/embedding-endpoint.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';

interface Running {
  readonly mneme: Mneme;
  end(signal: NodeJS.Signals): Promise<void>;
}

const COUNT = 8000;
const BATCH = 1000;
const MODEL = 'the-new-one';
/** Requests of texts to be stored that are answered before the server is killed: more than a tenth of all. */
const ANSWERED = 3;
const TEXTS_AT_ONCE = 500;
const OWN = { model: 'own', values: Float32Array.of(0.6, 0.8) };

let data: string;
let endpoint: EmbeddingEndpoint;
let running: Running | undefined;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'mneme-reembed-'));
  endpoint = await EmbeddingEndpoint.started();
});
afterEach(async () => {
  await running?.end('SIGKILL');
  await endpoint.close();
  rmSync(data, { recursive: true, force: true });
});

const anew = () => [
  'http',
  ...['--embedder-url', endpoint.url, '--embedder-model', MODEL],
  ...['--embedder-batch-size', String(TEXTS_AT_ONCE), '--embedder-timeout-ms', '60000'],
];

async function serve(...embedder: string[]): Promise<Running> {
  const flags = ['--listen', '127.0.0.1:0', '--data', data, '--log-level', 'warn', '--embedder', ...embedder];
  const child = spawn(PROGRAM, ['serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const mneme = connect(await addressOf(child), PATIENT_CLIENT);
  running = {
    mneme,
    async end(signal) {
      running = undefined;
      void mneme.close();
      child.kill(signal);
      await closed;
    },
  };
  return running;
}

function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error(`mneme serve ended: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, bound] = /address +(\S+).*\n/.exec(output) ?? [];
      if (bound !== undefined) resolve(bound);
    });
  });
}

async function storeAll(mneme: Mneme): Promise<void> {
  for (let from = 0; from < COUNT; from += BATCH) {
    await mneme.batchStore(
      Array.from({ length: BATCH }, (_, at) => ({
        id: `m${from + at}`,
        text: `note ${from + at} about a lighthouse`,
        embedding: OWN,
      })),
    );
  }
}

it('kill -9 in the middle of a re-embedding › the old vectors serve, it continues, and completes', async () => {
  const first = await serve('static');
  await storeAll(first.mneme);
  await first.end('SIGTERM');

  let asked = 0;
  endpoint.reply = ({ input }) => (input.length > 1 && ++asked > ANSWERED ? 'hang' : undefined);
  const second = await serve(...anew());
  const [begun] = await second.mneme.admin.reembed('default');
  expect(begun).toMatchObject({ fromModel: 'own', toModel: MODEL, totalCount: COUNT });
  let doneBefore = 0;
  while (doneBefore < COUNT / 10) {
    const { namespaces } = await second.mneme.admin.getReembedProgress('default');
    doneBefore = namespaces[0]?.doneCount ?? Number.NaN;
    const { memory } =
      (await second.mneme.recall({ text: 'note 7 lighthouse', limit: 1, minRelevance: 0 })).hits[0] ?? {};
    expect(memory?.text).toContain('lighthouse');
  }
  expect(doneBefore).toBeLessThanOrEqual(ANSWERED * TEXTS_AT_ONCE);
  await second.end('SIGKILL');

  // Another embedder than that of the recomputation leaves it unchanged.
  const third = await serve('static');
  const [paused] = (await third.mneme.admin.getReembedProgress('default')).namespaces;
  expect(paused?.startTime).toEqual(begun?.startTime);
  expect(paused?.doneCount).toBeGreaterThanOrEqual(doneBefore);
  expect(paused?.doneCount).toBeLessThan(COUNT);
  const old = await third.mneme.recall({ embedding: OWN, limit: 1 });
  expect([old.lanes, old.degraded, old.hits.length]).toEqual([['vector'], [], 1]);
  await third.end('SIGTERM');

  endpoint.reply = () => undefined;
  const { mneme } = await serve(...anew());
  while ((await mneme.admin.getReembedProgress('default')).namespaces.length > 0);
  expect(await mneme.namespaces.get()).toMatchObject({ embeddingModel: MODEL, embeddingDimension: 384 });
  expect((await mneme.namespaces.getStatistics()).embeddedCount).toBe(COUNT);
  let count = 0;
  for await (const memory of mneme.exportMemories()) {
    expect(memory.embedding?.model).toBe(MODEL);
    expect(memory.embedding?.values).toHaveLength(384);
    count++;
  }
  expect(count).toBe(COUNT);
  const similar = async (server: Mneme) => {
    const query = { text: 'lighthouse 4242', weights: { keyword: 0, vector: 1 }, limit: 5, exact: true };
    const { lanes, degraded, hits } = await server.recall(query);
    expect([lanes, degraded, hits.length]).toEqual([['vector'], [], 5]);
    return hits.map(({ memory, score }) => [memory.id, score.toFixed(3)]);
  };
  const found = await similar(mneme);
  await running?.end('SIGTERM');
  // The files of the index followed.
  expect(await similar((await serve(...anew())).mneme)).toEqual(found);
}, 600_000);
