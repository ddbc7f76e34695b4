import Database from 'better-sqlite3';
import { Index, MetricKind, ScalarKind } from 'usearch';
import { DIMENSION } from '../data/corpus.ts';
import type { Measured } from '../load/load-client.ts';
import { quantile } from '../quantile.ts';

const LIMIT = 10;
const ADDED_AT_ONCE = 1000;

/** The k nearest by USearch alone, with the settings of `storage.md`: bf16, M = 16, efConstruction = 128, ef = 64. */
export function bareGraph(vectors: readonly Float32Array[]): (query: Float32Array) => BigUint64Array {
  const index = new Index({
    dimensions: DIMENSION,
    metric: MetricKind.Cos,
    quantization: ScalarKind.BF16,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 64,
    multi: false,
  });
  for (let first = 0; first < vectors.length; first += ADDED_AT_ONCE) {
    const batch = vectors.slice(first, first + ADDED_AT_ONCE);
    const values = new Float32Array(batch.length * DIMENSION);
    for (const [i, vector] of batch.entries()) values.set(vector, i * DIMENSION);
    index.add(
      BigUint64Array.from(batch, (_, i) => BigInt(first + i)),
      values,
      2,
    );
  }
  return (query) => index.search(query, LIMIT, 1).keys;
}

/** The ten best by FTS5 alone: any of the words, bm25. */
export function bareWords(file: string, texts: readonly string[]): (question: string) => unknown[] {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('cache_size = -65536');
  db.exec(`CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter unicode61')`);
  const insert = db.prepare('INSERT INTO words(rowid, text) VALUES(?, ?)');
  db.transaction(() => {
    for (const [i, text] of texts.entries()) insert.run(i + 1, text);
  })();
  const search = db.prepare('SELECT rowid, text FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 10');
  return (question) => search.all(question.split(' ').join(' OR '));
}

/** Asks each question once, one after the other, in this process. */
export function measured<Q>(questions: readonly Q[], ask: (question: Q) => unknown): Measured {
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const tookUs = questions.map((question) => {
    const beganMs = performance.now();
    ask(question);
    return (performance.now() - beganMs) * 1000;
  });
  const elapsedMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  tookUs.sort((a, b) => a - b);
  return {
    perSecond: (questions.length / elapsedMs) * 1000,
    p50Us: quantile(tookUs, 0.5),
    p99Us: quantile(tookUs, 0.99),
    serverUs: (user + system) / questions.length,
  };
}

/** Latency of two operations in sequence. */
export function inTurn(first: Measured, second: Measured): Measured {
  return {
    perSecond: 1 / (1 / first.perSecond + 1 / second.perSecond),
    p50Us: first.p50Us + second.p50Us,
    p99Us: first.p99Us + second.p99Us,
    serverUs: first.serverUs + second.serverUs,
  };
}
