import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderOf, type HubModel, MODEL_FILES, modelOfHub } from './hub-model.ts';
import { ModelNotLoaded } from './model-not-loaded.ts';

const PACKAGE = '@huggingface/transformers';

export interface ModelSource extends HubModel {
  /** Folder that holds the model: nothing is downloaded then. Empty: it is downloaded once. */
  readonly path: string;
  /** Folder whose `node_modules`, or those above it, hold the package. */
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
  // The package reads what is there: it would leave half a file behind where a download ends before its time.
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.cacheDir = resolve(source.folder);
  try {
    const folder = source.path === '' ? await modelOfHub(source) : givenFolder(source.path);
    // What it takes on a processor when nothing is said, but then it says so on the terminal.
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
