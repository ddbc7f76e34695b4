import { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { seededRandom } from '../../support/random.ts';
import { structuredVectors } from '../../support/structured-vectors.ts';
import { textSource } from './texts.ts';

export const DIMENSION = 384;
export const MODEL = 'bench-384';
export const PARENT = 'namespaces/bench';
const SEED = '1';
const TURNS_PER_SESSION = 20;
const STARTED_AT_S = 1_700_000_000;
const SPEAKERS = ['Alice', 'Bruno', 'Chidi', 'Dana', 'Emil', 'Fatima'];

/** Memories made up from a fixed seed, with questions about them. */
export interface Corpus {
  readonly texts: readonly string[];
  readonly vectors: readonly Float32Array[];
  readonly questions: readonly string[];
  readonly queryVectors: readonly Float32Array[];
}

/** Texts have `words` words; by default 10 to 34. */
export function makeCorpus(count: number, queries: number, words?: number): Corpus {
  const random = seededRandom('bench texts', SEED);
  const source = textSource(random);
  const texts = Array.from({ length: count }, () => source.text(words ?? 10 + random.int(25)));
  const nextVector = structuredVectors(seededRandom('bench vectors', SEED), DIMENSION);
  const vectors = Array.from({ length: count }, nextVector);
  const questions = Array.from({ length: queries }, () => source.question(random.pick(texts), 7));
  return { texts, vectors, questions, queryVectors: Array.from({ length: queries }, nextVector) };
}

/** Turn `at` of a long history of conversations. */
export function memoryOf(corpus: Pick<Corpus, 'texts' | 'vectors'>, at: number, withVector: boolean): Memory {
  const vector = corpus.vectors[at];
  const session = sessionOf(at);
  return Memory.fromPartial({
    scope: { agent: `agent-${session % 50}`, session: `session-${session}` },
    type: 'message',
    eventTime: { seconds: BigInt(startedAtUs(at) / 1e6), nanos: 0 },
    text: corpus.texts[at] ?? '',
    source: { speaker: speakerOf(at) },
    ...(withVector && vector ? { embedding: embeddingOf(vector) } : {}),
  });
}

export function embeddingOf(vector: Float32Array): { dataF32le: Buffer; dimension: number; model: string } {
  const dataF32le = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return { dataF32le, dimension: vector.length, model: MODEL };
}

export function sessionOf(at: number): number {
  return Math.floor(at / TURNS_PER_SESSION);
}

export function speakerOf(at: number): string {
  return SPEAKERS[at % SPEAKERS.length] ?? '';
}

export function startedAtUs(at: number): number {
  return (STARTED_AT_S + 60 * at) * 1e6;
}

export function idOf(at: number): string {
  return `turn-${at}`;
}
