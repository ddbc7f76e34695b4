import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { PROGRAM } from '../cli/support/run-mneme.ts';

interface Running {
  readonly mneme: Mneme;
  end(signal: NodeJS.Signals): Promise<void>;
}

const COUNT = 8000;
const BATCH = 1000;
const OWN = { model: 'own', values: Float32Array.of(0.6, 0.8) };

let data: string;
let running: Running | undefined;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'mneme-reembed-'));
});
afterEach(async () => {
  await running?.end('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

async function serve(embedder: string): Promise<Running> {
  const flags = ['--listen', '127.0.0.1:0', '--data', data, '--embedder', embedder, '--log-level', 'warn'];
  const child = spawn(PROGRAM, ['serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const mneme = connect(await addressOf(child));
  running = {
    mneme,
    async end(signal) {
      running = undefined;
      mneme.close();
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

it('kill -9 in the middle of a re-embedding › the old vectors serve, it goes on from where it was, and ends', async () => {
  const first = await serve('static');
  await storeAll(first.mneme);
  await first.end('SIGTERM');

  const second = await serve('hashing');
  const [begun] = await second.mneme.admin.reembed('default');
  expect(begun).toMatchObject({ fromModel: 'own', toModel: 'hashing-v1-384', totalCount: COUNT });
  let doneBefore = 0;
  while (doneBefore < COUNT / 10) {
    const { namespaces } = await second.mneme.admin.reembedProgress('default');
    doneBefore = namespaces[0]?.doneCount ?? Number.NaN;
    const { memory } = (await second.mneme.recall({ text: 'note 7 lighthouse', limit: 1 })).hits[0] ?? {};
    expect(memory?.text).toContain('lighthouse');
  }
  expect(doneBefore).toBeLessThan(COUNT);
  await second.end('SIGKILL');

  // Another embedder than the one it was begun for leaves it alone.
  const third = await serve('static');
  const [paused] = (await third.mneme.admin.reembedProgress('default')).namespaces;
  expect(paused?.startTime).toEqual(begun?.startTime);
  expect(paused?.doneCount).toBeGreaterThanOrEqual(doneBefore);
  expect(paused?.doneCount).toBeLessThan(COUNT);
  const old = await third.mneme.recall({ embedding: OWN, limit: 1 });
  expect([old.lanes, old.degraded, old.hits.length]).toEqual([['vector'], [], 1]);
  await third.end('SIGTERM');

  const { mneme } = await serve('hashing');
  while ((await mneme.admin.reembedProgress('default')).namespaces.length > 0);
  expect(await mneme.namespaces.get()).toMatchObject({ embeddingModel: 'hashing-v1-384', embeddingDimension: 384 });
  expect((await mneme.namespaces.statistics()).embeddedCount).toBe(COUNT);
  let count = 0;
  for await (const memory of mneme.export()) {
    expect(memory.embedding?.model).toBe('hashing-v1-384');
    expect(memory.embedding?.values).toHaveLength(384);
    count++;
  }
  expect(count).toBe(COUNT);
  const similar = async (server: Mneme) => {
    const asked = { text: 'lighthouse 4242', weights: { keyword: 0, vector: 1 }, limit: 5 };
    const { lanes, degraded, hits } = await server.recall(asked);
    expect([lanes, degraded, hits.length]).toEqual([['vector'], [], 5]);
    return hits.map(({ memory, score }) => [memory.id, score.toFixed(3)]);
  };
  const found = await similar(mneme);
  await running?.end('SIGTERM');
  // The files of the index followed.
  expect(await similar((await serve('hashing')).mneme)).toEqual(found);
}, 240_000);
