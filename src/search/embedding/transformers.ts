import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MnemeError } from '../../memory/errors.ts';
import { unitVector } from '../../memory/floats.ts';
import { wordsOf } from '../../memory/words.ts';
import { type BatchLimits, batchesOf, type Embedder } from './embedder.ts';
import { folderOf, type HubModel, MODEL_FILES, ModelNotLoaded, modelOfHub } from './hub-model.ts';

/** The static embedder's value: a whole transformer's vector alone finds about as much. Not measured. */
const LANE_WEIGHT = 0.1;
const BATCH: BatchLimits = { countMax: 16, bytesMax: 64 * 1024 };
/** Models of this sort read some 512 tokens. */
const TEXT_LENGTH_MAX = 8000;

/** Runs a transformer on this machine. It takes milliseconds a text, so texts are embedded after the write. */
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

const PACKAGE = '@huggingface/transformers';

export interface ModelSource extends HubModel {
  /** Folder that contains the model: disables the download. Empty: the model is downloaded once. */
  readonly path: string;
  /** Folder whose `node_modules`, or those of its parents, contain the package. */
  readonly packageFolder: string;
}

/** Vectors of texts, one after the other. */
export type Extractor = (texts: string[]) => Promise<Float32Array>;

/** The part of the package that is used. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; cacheDir: string };
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Pipeline>;
}
type Pipeline = (texts: string[], options: object) => Promise<{ readonly dims: number[]; readonly data: Float32Array }>;

/** Loads the package and the model, and tries it. Fails with ModelNotLoaded, or with the reason of the signal. */
export async function loadExtractor(source: ModelSource): Promise<{ extract: Extractor; dimension: number }> {
  const { env, pipeline } = await loadPackage(source.packageFolder);
  // The package only reads local files: its own download would leave an incomplete file when interrupted.
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.cacheDir = resolve(source.folder);
  try {
    const folder = source.path === '' ? await modelOfHub(source) : givenFolder(source.path);
    // Its default on a processor; without the option it prints a warning on the terminal.
    const run = await pipeline('feature-extraction', folder, { dtype: 'fp32' });
    const extract = async (texts: string[]) => (await run(texts, { pooling: 'mean', normalize: true })).data;
    const dimension = (await extract(['a'])).length;
    source.signal.throwIfAborted();
    return { extract, dimension };
  } catch (cause) {
    source.signal.throwIfAborted();
    throw cause instanceof ModelNotLoaded ? cause : notLoaded(source, cause);
  }
}

function givenFolder(path: string): string {
  const folder = resolve(path);
  const missing = MODEL_FILES.filter((file) => !existsSync(join(folder, file)));
  if (missing.length === 0) return folder;
  const message = `the model ${folder} cannot be loaded: the folder of --embedder-path must hold ${MODEL_FILES.join(', ')}; it has no ${missing.join(', ')}`;
  throw new ModelNotLoaded(message);
}

async function loadPackage(folder: string): Promise<Transformers> {
  const { resolve: find } = createRequire(join(folder, 'package.json'));
  let file: string;
  try {
    file = find(PACKAGE);
  } catch (cause) {
    const message =
      `the transformers embedder needs the package ${PACKAGE}, which is not installed (some 470 MB): run ` +
      `"ONNXRUNTIME_NODE_INSTALL_CUDA=skip npm install --no-save ${PACKAGE}@3" in ${folder}, or choose another --embedder`;
    throw new ModelNotLoaded(message, { cause });
  }
  const loaded = (await import(pathToFileURL(file).href)) as Partial<Transformers> & { readonly default: Transformers };
  const { env, pipeline } = loaded;
  return env && pipeline ? { env, pipeline } : loaded.default;
}

function notLoaded(source: ModelSource, cause: unknown): ModelNotLoaded {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ');
  const { model, path } = source;
  const advice =
    path === ''
      ? `delete ${folderOf(source)} to have it downloaded again, or choose another with --embedder-model`
      : 'give another folder with --embedder-path';
  return new ModelNotLoaded(`the model ${path || model} cannot be loaded (${reason}): ${advice}`, { cause });
}
