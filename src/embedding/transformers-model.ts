import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PACKAGE = '@huggingface/transformers';

/** Package or model are not there, or cannot be used; the message is one line that says what to do. */
export class ModelNotLoaded extends Error {
  override readonly name = 'ModelNotLoaded';
}

export interface ModelSource {
  /** Name on the Hugging Face hub; marks the vectors. */
  readonly model: string;
  /** Folder that holds the model: nothing is downloaded then. Empty: it is downloaded once. */
  readonly path: string;
  /** Folder for what is downloaded. */
  readonly cacheFolder: string;
  /** Folder whose `node_modules`, or those above it, hold the package. */
  readonly packageFolder: string;
  /** Told how far the download of a file is. */
  readonly onProgress?: (file: string, loadedBytes: number, totalBytes: number) => void;
}

/** Vectors of texts, one after the other. */
export type Extractor = (texts: string[]) => Promise<Float32Array>;

/** The part of the package that is used. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string; cacheDir: string };
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Pipeline>;
}
type Pipeline = (texts: string[], options: object) => Promise<{ readonly dims: number[]; readonly data: Float32Array }>;

interface Progress {
  readonly status: string;
  readonly file?: string;
  readonly loaded?: number;
  readonly total?: number;
}

/** Loads the package and the model, and tries it. Fails with ModelNotLoaded. */
export async function loadExtractor(source: ModelSource): Promise<{ extract: Extractor; dimension: number }> {
  const { env, pipeline } = await loadPackage(source.packageFolder);
  env.cacheDir = source.cacheFolder;
  env.allowLocalModels = source.path !== '';
  env.allowRemoteModels = source.path === '';
  if (source.path !== '') env.localModelPath = `${dirname(resolve(source.path))}/`;
  try {
    const name = source.path === '' ? source.model : basename(resolve(source.path));
    const run = await pipeline('feature-extraction', name, {
      // What it takes on a processor when nothing is said, but then it says so on the terminal.
      dtype: 'fp32',
      progress_callback: progressTo(source.onProgress),
    });
    const extract = async (texts: string[]) => (await run(texts, { pooling: 'mean', normalize: true })).data;
    const dimension = (await extract(['a'])).length;
    return { extract, dimension };
  } catch (cause) {
    throw notLoaded(source, cause);
  }
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

function progressTo(onProgress: ModelSource['onProgress']) {
  return ({ status, file = '', loaded = 0, total = 0 }: Progress): void => {
    if (status === 'progress') onProgress?.(file, loaded, total);
  };
}

function notLoaded({ model, path }: ModelSource, cause: unknown): ModelNotLoaded {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ');
  const advice =
    path === ''
      ? `is the hub within reach? A model on disk is given by --embedder-path`
      : `the folder must hold config.json, tokenizer.json and onnx/model.onnx`;
  return new ModelNotLoaded(`the model ${path || model} cannot be loaded (${reason}): ${advice}`, { cause });
}
