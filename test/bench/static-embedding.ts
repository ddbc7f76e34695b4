/**
 * What the static table costs: `node test/bench/static-embedding.ts`. Prints medians after warm-up, one line a
 * figure. The texts are synthetic, drawn from the vocabulary by Zipf's law; "first sight" has the tokenizer meet
 * every text for the first time.
 */
import { MaxSim } from '../../src/embedding/static/max-sim.ts';
import { PooledVector } from '../../src/embedding/static/pooled-vector.ts';
import { readTokenTable } from '../../src/embedding/static/token-table.ts';
import { WordPiece } from '../../src/embedding/static/word-piece.ts';

let seed = 20261121;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

function timed(runs: number, act: (run: number) => void): number[] {
  return Array.from({ length: runs }, (_, run) => {
    const start = performance.now();
    act(run);
    return performance.now() - start;
  });
}

function report(what: string, times: readonly number[], unit = 1): void {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => ((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / unit) * 1000;
  console.log(`${what}: p50 ${at(0.5).toFixed(1)} µs, p90 ${at(0.9).toFixed(1)} µs, p99 ${at(0.99).toFixed(1)} µs`);
}

const opening = [];
for (let run = 0; run < 7; run++) {
  const start = performance.now();
  const opened = await readTokenTable();
  const middle = performance.now();
  new WordPiece(opened);
  opening.push([middle - start, performance.now() - middle] as const);
}
console.log(`read and check the table: p50 ${median(opening.map(([table]) => table)).toFixed(1)} ms`);
console.log(`make the tokenizer: p50 ${median(opening.map(([, tokenizer]) => tokenizer)).toFixed(1)} ms`);

const table = await readTokenTable();
const tokenizer = new WordPiece(table);
const pooled = new PooledVector(table, tokenizer);
const words = table.readVocabulary().filter((token) => /^[a-z]+$/.test(token));

function text(length: number): string {
  let made = '';
  while (made.length < length)
    made += `${words[Math.floor(words.length ** random())] ?? 'a'}${random() < 0.1 ? ', ' : ' '}`;
  return made.slice(0, length);
}

const texts = Array.from({ length: 20_000 }, () => text(200));
const half = texts.length / 2;
const each = (from: number) => (run: number) => texts[from + run] ?? '';
const [warm, fresh] = [each(0), each(half)];
timed(half, (run) => pooled.ofText(warm(run)));
report(
  'pooled vector of 200 characters, first sight',
  timed(half, (run) => pooled.ofText(fresh(run))),
);
report(
  'pooled vector of 200 characters, same 100 texts again',
  timed(half, (run) => pooled.ofText(fresh(run % 100))),
);
report(
  'tokens of 200 characters',
  timed(half, (run) => tokenizer.encode(warm(run))),
);

const tokens = texts.map((one) => tokenizer.encode(one));
console.log(`tokens in such a text: p50 ${median(tokens.map((ids) => ids.length))}`);
const memories = Array.from({ length: 400 }, (_, m) => (tokens[m] ?? new Uint16Array()).slice(0, 30));
const queries = tokens.slice(400, 2400).map((ids) => ({ tokens: ids.slice(0, 6), weights: [1, 2, 3, 4, 5, 6] }));
const maxSim = new MaxSim(table, tokenizer.unknown);
const score = (run: number) => {
  const query = queries[run % queries.length];
  if (query) maxSim.scores(query, memories);
};
timed(3000, score);
report('MaxSim, 400 memories x 30 tokens, 6 query tokens', timed(3000, score));
