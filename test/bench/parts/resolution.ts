import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { layOut, packBody, unpackBody } from '../../../src/memory/resolution/lower-body.ts';
import { lowerVector, reduceVector, restoreVector } from '../../../src/memory/resolution/lower-vector.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import type { Bench, Group } from '../bench.ts';
import { textSource } from '../data/texts.ts';

const PART = 'resolution';
const BODIES = 4000;
const VECTORS = 2000;
const DIMENSION = 384;
const WORDS = 60;
const LEVELS = [1, 3, 9];

/**
 * The cost of lowering and restoring one memory, compared with zstd alone on the same bytes, and its remaining bytes.
 */
export const resolutionGroup: Group = {
  parts: [PART],
  async run(bench) {
    const random = seededRandom('bench resolution', '1');
    const bodies = makeBodies(random);
    for (const level of LEVELS) measureBodies(bench, bodies, level);
    const vectors = Array.from({ length: VECTORS }, () =>
      Float32Array.from({ length: DIMENSION }, () => random.next() + random.next() - 1),
    );
    for (const vector of ['bf16', 'i8'] as const) measureVectors(bench, vectors, vector);
  },
};

/** Messages of agents with invented words: the dictionary has their keys but not their values. */
function makeBodies(random: TestRandom) {
  const texts = textSource(random);
  return Array.from({ length: BODIES }, () => {
    const content = texts.text(WORDS);
    const message = {
      role: 'user',
      content,
      timestamp: new Date(1.7e12 + random.int(1e9)).toISOString(),
      metadata: { source: 'chat' },
    };
    return { text: content, content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify(message)) } };
  });
}

function measureBodies(bench: Bench, bodies: ReturnType<typeof makeBodies>, level: number): void {
  const laid = bodies.map(layOut);
  const params = { [constants.ZSTD_c_compressionLevel]: level };
  const bare = timed(laid, (bytes) => zstdCompressSync(bytes, { params }));
  const packed = timed(bodies, (body) => packBody(body, level));
  const bareBack = timed(bare.results, (bytes) => zstdDecompressSync(bytes));
  const unpacked = timed(packed.results, unpackBody);
  const rows = [
    { what: `pack a body of ${Math.round(mean(laid))} bytes, level ${level}`, own: packed.us, limit: bare.us },
    { what: `unpack it, level ${level}`, own: unpacked.us, limit: bareBack.us },
  ];
  for (const { what, own, limit } of rows) {
    bench.add({
      part: PART,
      what,
      value: own,
      unit: 'µs',
      limit,
      limitName: 'zstd without dictionary',
      ratio: limit / own,
    });
  }
  const share = (sizes: readonly Uint8Array[]) => (100 * mean(sizes)) / mean(laid);
  bench.add({
    part: PART,
    what: `bytes of a packed body, level ${level}`,
    value: share(packed.results),
    unit: '%',
    limit: share(bare.results),
    limitName: 'zstd without dictionary',
  });
}

function measureVectors(bench: Bench, vectors: readonly Float32Array[], vector: 'bf16' | 'i8'): void {
  const form = { vector, vectorDimension: 0 };
  const lowered = timed(vectors, (values) => {
    const both = lowerVector(values, form);
    if (!both) throw new Error(`${vector} leaves vectors as they are`);
    return both;
  });
  const reduced = timed(vectors, (values) => reduceVector(values, form));
  const restored = timed(lowered.results, restoreVector);
  const what = `vector of ${DIMENSION} values as ${vector}`;
  const limit = { limit: reduced.us, limitName: 'without what brings the exact one back' };
  bench.add({
    part: PART,
    what: `lower a ${what}`,
    value: lowered.us,
    unit: 'µs',
    ...limit,
    ratio: reduced.us / lowered.us,
  });
  bench.add({ part: PART, what: `restore a ${what}`, value: restored.us, unit: 'µs' });
  const exact = DIMENSION * Float32Array.BYTES_PER_ELEMENT;
  const small = mean(lowered.results.map((each) => each.small));
  bench.add({ part: PART, what: `bytes that are scanned of a ${what}`, value: (100 * small) / exact, unit: '%' });
  const all = small + mean(lowered.results.map(({ rest }) => rest));
  bench.add({ part: PART, what: `bytes in all of a ${what}`, value: (100 * all) / exact, unit: '%' });
}

/** After one round to warm up. */
function timed<In, Out>(inputs: readonly In[], run: (input: In) => Out): { us: number; results: Out[] } {
  for (const input of inputs) run(input);
  const startedMs = performance.now();
  const results = inputs.map(run);
  return { us: ((performance.now() - startedMs) * 1000) / inputs.length, results };
}

function mean(all: readonly Uint8Array[]): number {
  return all.reduce((sum, { byteLength }) => sum + byteLength, 0) / all.length;
}
