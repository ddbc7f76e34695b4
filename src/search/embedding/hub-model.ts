import { access, type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  isPassingStatus,
  networkReason,
  PassingFailure,
  pause,
  type RetryOptions,
  retryAfterMs,
  withRetries,
} from './http.ts';

/** The files of an embedding model. */
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
  /** Aborts the download; complete files stay. */
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
/** Maximum number of weight files beside a large model. */
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

/** Names of the files with the weights, as the package derives them from the model's configuration. */
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
  if (isOfDisk) return 'check free space and write permission, or set another folder with --data';
  if (status === 404 && file.startsWith('onnx/'))
    return 'choose a model that was exported to ONNX with --embedder-model';
  if (status === 401 || status === 403 || status === 404) {
    return 'is it the name of a model of the hub (--embedder-model)? One that is not public needs MNEME_EMBEDDER_HUB_TOKEN';
  }
  return 'start again, give a mirror of the hub with --embedder-hub, or a folder that holds the model with --embedder-path';
}

interface DownloadFailedOptions extends ErrorOptions {
  readonly status?: number;
  readonly isOfDisk?: boolean;
}

/** A file did not come, and asking again at once would not help; the message ends a sentence that begins with the address. */
class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed';
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** True when it could not be written. */
  readonly isOfDisk: boolean;

  constructor(message: string, { status = 0, isOfDisk = false, ...options }: DownloadFailedOptions = {}) {
    super(message, options);
    this.status = status;
    this.isOfDisk = isOfDisk;
  }
}

/** Called with the number of bytes received, from 0 to the total; the total is omitted while it is unknown. */
export type OnBytes = (loadedBytes: number, totalBytes?: number) => void;

interface Download {
  readonly url: URL;
  /** Path of the complete file. During the download the path has the suffix `.part`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Longest wait for the next bytes. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly retry: RetryOptions;
  readonly nowMs: () => number;
  readonly onBytes: OnBytes;
}

/** Downloads a file; its path never holds an incomplete one. A broken connection is retried and resumes. */
async function download(request: Download): Promise<void> {
  const part = `${request.path}.part`;
  try {
    await mkdir(dirname(part), { recursive: true, mode: 0o700 });
    const file = await open(part, 'w');
    try {
      const received = { bytes: 0, etag: '' };
      await withRetries(() => receive(request, file, received), request.retry, request.signal);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, request.path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    request.signal.throwIfAborted();
    throw error instanceof PassingFailure
      ? new DownloadFailed(error.message, { cause: error })
      : writeFailure(error, part);
  }
}

interface Received {
  bytes: number;
  /** ETag of the file that the bytes belong to; empty when it has no strong one. */
  etag: string;
}

/** Requests the missing part and writes it as it arrives. */
async function receive(request: Download, file: FileHandle, received: Received): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), request.silenceMs);
  let isAnswered = received.bytes > 0;
  try {
    const response = await answerOf(request, received, AbortSignal.any([request.signal, silence.signal]));
    isAnswered = true;
    const totalBytes = await beginOf(response, file, received);
    request.onBytes(received.bytes, totalBytes);
    for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      timer.refresh();
      await write(file, bytes, received.bytes);
      received.bytes += bytes.length;
      request.onBytes(received.bytes, totalBytes);
    }
    if (received.bytes < (totalBytes ?? 0)) throw new PassingFailure(`ended after ${received.bytes} bytes`);
    if (totalBytes === undefined) request.onBytes(received.bytes, received.bytes);
  } catch (error) {
    request.signal.throwIfAborted();
    // `fetch` and its response bodies fail with TypeError.
    if (!silence.signal.aborted && (error as Error).name !== 'TypeError') throw error;
    const why = silence.signal.aborted ? `received nothing for ${request.silenceMs} ms` : networkReason(error);
    if (isAnswered) throw new PassingFailure(`broke off after ${received.bytes} bytes (${why})`);
    // A break may pass; a host that cannot be reached at all is reported at once.
    throw new DownloadFailed(`cannot be reached (${why})`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function answerOf({ url, headers, nowMs }: Download, received: Received, signal: AbortSignal): Promise<Response> {
  // A compressed transfer has neither a length nor ranges.
  const asked: Record<string, string> = { ...headers, 'accept-encoding': 'identity' };
  if (received.bytes > 0 && received.etag !== '') {
    asked.range = `bytes=${received.bytes}-`;
    asked['if-range'] = received.etag;
  }
  const response = await fetch(url, { headers: asked, signal });
  const { status } = response;
  if (response.ok) {
    if (!response.headers.get('content-type')?.startsWith('text/html')) return response;
    await response.body?.cancel();
    throw new DownloadFailed('returned a web page instead of the file');
  }
  await response.body?.cancel();
  if (!isPassingStatus(status)) throw new DownloadFailed(`answered ${status}`, { status });
  throw new PassingFailure(`answered ${status}`, retryAfterMs(response.headers.get('retry-after'), nowMs()));
}

/** Prepares the file for the answer: the remainder, or the whole file. Returns the total number of bytes, if known. */
async function beginOf(
  { status, headers }: Response,
  file: FileHandle,
  received: Received,
): Promise<number | undefined> {
  if (status === 206) {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
    if (Number(start) === received.bytes) return Number(total);
    throw new DownloadFailed('returned another part of the file than was requested');
  }
  await file.truncate(0);
  received.bytes = 0;
  const etag = headers.get('etag') ?? '';
  received.etag = etag.startsWith('"') ? etag : '';
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? undefined : Number(length);
}

async function write(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
}

/** System errors name the problem, but not always the path. */
function writeFailure(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall
    ? new DownloadFailed(`cannot be written to ${path} (${code})`, { isOfDisk: true, cause: error })
    : error;
}

/** The package or the model is missing or unusable; the message is one line that says what to do. */
export class ModelNotLoaded extends Error {
  override readonly name = 'ModelNotLoaded';
}
