import { access, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Download, DownloadFailed, download } from './download.ts';
import { ModelNotLoaded } from './model-not-loaded.ts';
import { pause, type RetryOptions } from './retry.ts';

/** What a model consists of that turns texts into vectors. */
export const MODEL_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model.onnx'] as const;

/** How far a file is: 0 bytes before it is asked for, in the end all of them. The total is left out while it is not known. */
export type OnDownload = (file: string, loadedBytes: number, totalBytes?: number) => void;

export interface HubModel {
  /** Address of the hub, such as `https://huggingface.co`. */
  readonly hub: string;
  /** Name there, such as `Xenova/all-MiniLM-L6-v2`. */
  readonly model: string;
  /** Needed for models that are not public; else empty. */
  readonly token: string;
  /** Folder of all models. */
  readonly folder: string;
  /** Longest wait for the next bytes. */
  readonly silenceMs: number;
  /** Ends the download; what is whole stays. */
  readonly signal: AbortSignal;
  readonly retry?: Partial<RetryOptions>;
  readonly onProgress?: OnDownload;
}

const RETRY: RetryOptions = {
  attemptsMax: 5,
  backOffFirstMs: 500,
  backOffMaxMs: 8000,
  retryAfterMaxMs: 30_000,
  random: Math.random,
  wait: pause,
};
/** Larger models keep their weights beside the model, in so many files at most. */
const WEIGHT_FILES_MAX = 100;

/** Folder of a model of the hub, whether it is there or not. */
export function folderOf({ folder, model }: Pick<HubModel, 'folder' | 'model'>): string {
  return join(resolve(folder), model);
}

/** Brings the files of a model that are not there yet, one after the other; returns its folder. */
export async function modelOfHub(source: HubModel): Promise<string> {
  const folder = folderOf(source);
  for (const file of MODEL_FILES) await bring(source, folder, file);
  for (const file of await weightFilesOf(folder)) await bring(source, folder, file);
  return folder;
}

async function bring(source: HubModel, folder: string, file: string): Promise<void> {
  const path = join(folder, file);
  if (await isThere(path)) return;
  const { hub, model, token, silenceMs, signal, onProgress } = source;
  const url = new URL(`${hub.replace(/\/+$/, '')}/${model}/resolve/main/${file}`);
  const request: Download = {
    url,
    path,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    silenceMs,
    signal,
    retry: { ...RETRY, ...source.retry },
    nowMs: Date.now,
    onBytes: (loadedBytes, totalBytes) => onProgress?.(file, loadedBytes, totalBytes),
  };
  onProgress?.(file, 0);
  try {
    await download(request);
  } catch (cause) {
    if (!(cause instanceof DownloadFailed)) throw cause;
    const message = `the model ${model} cannot be downloaded: ${url.href} ${cause.message}: ${adviceOf(cause, file)}`;
    throw new ModelNotLoaded(message, { cause });
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Names of the files with the weights, as the package reads them from what a model says of itself. */
async function weightFilesOf(folder: string): Promise<string[]> {
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as {
    readonly 'transformers.js_config'?: { readonly use_external_data_format?: unknown } | null;
  } | null;
  const said = config?.['transformers.js_config']?.use_external_data_format;
  const ofModel = said as Record<string, unknown> | null | undefined;
  const count = Number(typeof said === 'object' ? (ofModel?.['model.onnx'] ?? ofModel?.model ?? 0) : (said ?? 0));
  if (!(count > 0)) return [];
  return Array.from(
    { length: Math.min(count, WEIGHT_FILES_MAX) },
    (_, at) => `onnx/model.onnx_data${at === 0 ? '' : `_${at}`}`,
  );
}

function adviceOf({ status, isOfDisk }: DownloadFailed, file: string): string {
  if (isOfDisk) return 'see that there is room and that it may be written, or give another folder with --data';
  if (status === 404 && file.startsWith('onnx/'))
    return 'choose a model that was exported to ONNX with --embedder-model';
  if (status === 401 || status === 403 || status === 404) {
    return 'is it the name of a model of the hub (--embedder-model)? One that is not public needs MNEME_EMBEDDER_HUB_TOKEN';
  }
  return 'start again, give a mirror of the hub with --embedder-hub, or a folder that holds the model with --embedder-path';
}
