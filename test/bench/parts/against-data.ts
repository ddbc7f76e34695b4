import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Corpus } from '../data/corpus.ts';
import { variedMemory, ZONES } from '../data/varied.ts';

/** Filters of one kind, each of which selects a tenth of the stored memories. */
const FILTERS = 50;
const SHARE = 0.1;

/** Writes memories, vectors and queries where `clients/python/bench/against_data.py` reads them; the first `count` are stored at once. */
export function writeAgainstData(folder: string, corpus: Corpus, count: number): void {
  // Half of the memories are of the type `state`.
  const width = 2 * SHARE * count;
  const steps = Array.from({ length: FILTERS }, (_, i) => {
    const first = Math.floor((i / FILTERS) * (count - width));
    return { type: 'state', first, end: Math.ceil(first + width) };
  });
  const zones = Array.from({ length: ZONES }, (_, i) => ({ zone: `zone-${i}` }));
  writeFileSync(join(folder, 'plan.json'), JSON.stringify({ count, steps, zones }));
  const lines = corpus.texts.map((_, at) => `${JSON.stringify(variedMemory(corpus, at))}\n`);
  writeFileSync(join(folder, 'memories.jsonl'), lines.join(''));
  writeVectors(join(folder, 'vectors.f32'), corpus.vectors);
  writeVectors(join(folder, 'queries.f32'), corpus.queryVectors);
}

function writeVectors(file: string, vectors: readonly Float32Array[]): void {
  const out = openSync(file, 'w');
  for (const vector of vectors) writeSync(out, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  closeSync(out);
}
