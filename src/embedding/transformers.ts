import { MnemeError } from '../memory/errors.ts';
import { unitVector } from '../memory/unit-vector.ts';
import { wordsOf } from '../memory/words.ts';
import { type BatchLimits, batchesOf } from './batches.ts';
import type { Embedder } from './embedder.ts';
import { type Extractor, loadExtractor, type ModelSource } from './transformers-model.ts';

/** That of the static embedder, taken over: a whole transformer's vector alone finds about as much. Not measured. */
const LANE_WEIGHT = 0.1;
const BATCH: BatchLimits = { countMax: 16, bytesMax: 64 * 1024 };
/** Models of this sort read some 512 tokens. */
const TEXT_LENGTH_MAX = 8000;

/** Runs a transformer on this machine. Takes milliseconds a text, so texts are embedded after the write. */
export class TransformersEmbedder implements Embedder {
  readonly kind = 'transformers';
  readonly model: string;
  readonly dimension: number;
  readonly inline = false;
  readonly isDerived = false;
  readonly laneWeight = LANE_WEIGHT;
  private readonly extract: Extractor;

  private constructor(model: string, dimension: number, extract: Extractor) {
    this.model = model;
    this.dimension = dimension;
    this.extract = extract;
  }

  /** Loads package and model, which may take a while; fails with ModelNotLoaded, in one line that says what to do. */
  static async load(source: ModelSource): Promise<TransformersEmbedder> {
    const { extract, dimension } = await loadExtractor(source);
    return new TransformersEmbedder(source.model, dimension, extract);
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    signal.throwIfAborted();
    const places = [...texts.keys()].filter((place) => wordsOf(texts[place] ?? '').length > 0);
    const sendable = places.map((place) => (texts[place] ?? '').slice(0, TEXT_LENGTH_MAX).toWellFormed());
    const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
    let done = 0;
    for (const batch of batchesOf(sendable, BATCH)) {
      for (const vector of await this.embedBatch(batch)) {
        const place = places[done++];
        if (place !== undefined) vectors[place] = vector;
      }
      signal.throwIfAborted();
    }
    return vectors;
  }

  private async embedBatch(batch: string[]): Promise<(Float32Array | undefined)[]> {
    const { model, dimension } = this;
    let values: Float32Array;
    try {
      values = await this.extract(batch);
    } catch (cause) {
      throw new MnemeError('EMBEDDER_UNAVAILABLE', `the model ${model} failed`, { metadata: { model }, cause });
    }
    return batch.map((_, at) => unitVector(values.subarray(at * dimension, (at + 1) * dimension)));
  }
}
