/** Speed and recall of the vector index: `node test/bench/vector-index.bench.ts [counts, 1000 10000 100000] [--limit N]`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ExactVectorIndex } from '../../src/search/vectors/exact.ts';
import { loadSnapshot, newIndexIn, saveSnapshot } from '../../src/search/vectors/index-folder.ts';
import type { LayeredVectorIndex } from '../../src/search/vectors/layered.ts';
import type { VectorIndex, VectorSearchOptions } from '../../src/search/vectors/vector-index.ts';
import { seededRandom } from '../support/random.ts';
import { structuredVectors } from '../support/structured-vectors.ts';

const DIMENSION = 384;
const QUERIES = 300;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    load: { type: 'string' },
    limit: { type: 'string', default: '10' },
    expansion: { type: 'string', default: '128' },
  },
});
const limit = Number(values.limit);
const expansionSearch = Number(values.expansion);
const random = seededRandom('vector-index bench', process.env.MNEME_TEST_SEED ?? '1');
const nextVector = structuredVectors(random, DIMENSION);
if (values.load) measureLoad(values.load);
else
  for (const count of positionals.length > 0 ? positionals.map(Number) : [1000, 10_000, 100_000]) await measure(count);

async function measure(count: number): Promise<void> {
  const queries = Array.from({ length: QUERIES }, nextVector);
  const rowsFolder = mkdtempSync(join(tmpdir(), 'mneme-bench-rows-'));
  const layered = newIndexIn(rowsFolder, {
    dimension: DIMENSION,
    exactMax: Math.min(10_000, count - 1),
    expansionSearch,
  });
  const exact = new ExactVectorIndex(DIMENSION);
  for (let key = 1; key <= count; key++) {
    const vector = nextVector();
    layered.set(key, vector);
    exact.set(key, vector);
  }
  const slices: number[] = [];
  const buildMs = timed(() => {
    while (layered.exactCount > 0) slices.push(timed(() => void layered.advance(5)));
  });
  const truth = queries.map((query) => exact.search(query, limit));
  say(
    `${count} vectors, limit ${limit}: graph built at ${perSecond(count, buildMs)}, longest slice ${Math.max(...slices).toFixed(1)} ms`,
  );
  report('exact', exact, queries, truth);
  report('layered', layered, queries, truth);
  const half = { admits: (key: number) => key % 2 === 0 };
  report(
    'layered, half admitted',
    layered,
    queries,
    queries.map((query) => exact.search(query, limit, half)),
    half,
  );
  const few = { admits: (key: number) => key % 100 === 0 };
  report(
    'layered, 1 % admitted',
    layered,
    queries,
    queries.map((query) => exact.search(query, limit, few)),
    few,
  );
  const candidates = { candidates: Array.from({ length: Math.min(count, 1000) }, (_, i) => 1 + i) };
  report(
    'layered, 1000 candidates',
    layered,
    queries,
    queries.map((query) => exact.search(query, limit, candidates)),
    candidates,
  );
  await measureSnapshot(rowsFolder, layered, queries, truth);
}

async function measureSnapshot(
  folder: string,
  layered: LayeredVectorIndex,
  queries: Float32Array[],
  truth: Answer[],
): Promise<void> {
  try {
    const started = performance.now();
    let call = 0;
    const saving = saveSnapshot(folder, layered, { revision: 1, model: 'bench' });
    call = performance.now() - started;
    await saving;
    say(`  snapshot ${(performance.now() - started).toFixed(0)} ms, of which the call blocks ${call.toFixed(0)} ms`);
    report('loaded', load(folder), queries, truth);
    for (let round = 0; round < 3; round++) {
      const { stdout } = spawnSync(process.execPath, [import.meta.filename, '--load', folder], { encoding: 'utf8' });
      say(stdout.trimEnd());
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** In a separate process: the cost of a start. */
function measureLoad(folder: string): void {
  const before = process.memoryUsage.rss();
  const loadMs = timed(() => void load(folder));
  say(`  load ${loadMs.toFixed(0)} ms, RSS +${((process.memoryUsage.rss() - before) / 1e6).toFixed(0)} MB`);
}

function load(folder: string): LayeredVectorIndex {
  const loaded = loadSnapshot(folder, 'bench', { dimension: DIMENSION, exactMax: 10_000, expansionSearch });
  if (!loaded || 'refused' in loaded) throw new Error(loaded?.refused);
  return loaded.index;
}

type Answer = ReturnType<VectorIndex['search']>;

function report(
  name: string,
  index: VectorIndex,
  queries: Float32Array[],
  truth: Answer[],
  options?: VectorSearchOptions,
) {
  let found = 0;
  let due = 0;
  const tookUs = queries.map((query, i) => {
    let answer: Answer = [];
    const ms = timed(() => {
      answer = index.search(query, limit, options);
    });
    const keys = new Set(answer.map(({ key }) => key));
    due += truth[i]?.length ?? 0;
    for (const { key } of truth[i] ?? []) if (keys.has(key)) found++;
    return ms * 1000;
  });
  tookUs.sort((a, b) => a - b);
  const at = (share: number) => (tookUs[Math.floor(share * tookUs.length)] ?? 0).toFixed(0);
  say(`  ${name}: p50 ${at(0.5)} us, p99 ${at(0.99)} us, recall ${(found / due).toFixed(4)}`);
}

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function perSecond(count: number, ms: number): string {
  return `${Math.round((count / ms) * 1000)}/s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
