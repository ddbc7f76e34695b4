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

interface DownloadFailedOptions extends ErrorOptions {
  readonly status?: number;
  readonly isOfDisk?: boolean;
}

/** A file did not come, and asking again at once would not help; the message ends a sentence that begins with the address. */
class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed';
  /** What the other side answered; 0 when it is not about an answer. */
  readonly status: number;
  /** True when it could not be written. */
  readonly isOfDisk: boolean;

  constructor(message: string, { status = 0, isOfDisk = false, ...options }: DownloadFailedOptions = {}) {
    super(message, options);
    this.status = status;
    this.isOfDisk = isOfDisk;
  }
}

/** Told how many bytes are there, first 0 and in the end all of them; the total is left out while it is not known. */
export type OnBytes = (loadedBytes: number, totalBytes?: number) => void;

interface Download {
  readonly url: URL;
  /** Where it is once it is whole. While it comes it is beside that, with the ending `.part`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Longest wait for the next bytes. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly retry: RetryOptions;
  readonly nowMs: () => number;
  readonly onBytes: OnBytes;
}

/** Fetches a file; at its path it is whole or not at all. A connection that breaks is made again and goes on from there. */
async function download(request: Download): Promise<void> {
  const part = `${request.path}.part`;
  try {
    await mkdir(dirname(part), { recursive: true });
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
  /** Of the file that the bytes are of; empty when it has none that says so for certain. */
  etag: string;
}

/** Asks for what is not there yet, and writes it down as it comes. */
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
    // Failures of `fetch`, and of the body that it gives, are of this sort.
    if (!silence.signal.aborted && (error as Error).name !== 'TypeError') throw error;
    const why = silence.signal.aborted ? `nothing came for ${request.silenceMs} ms` : networkReason(error);
    if (isAnswered) throw new PassingFailure(`broke off after ${received.bytes} bytes (${why})`);
    // A break may pass; a host that cannot be reached at all is reported at once.
    throw new DownloadFailed(`cannot be reached (${why})`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function answerOf({ url, headers, nowMs }: Download, received: Received, signal: AbortSignal): Promise<Response> {
  // What is compressed on its way has neither a length nor parts.
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
    throw new DownloadFailed('gave a web page instead of the file');
  }
  await response.body?.cancel();
  if (!isPassingStatus(status)) throw new DownloadFailed(`answered ${status}`, { status });
  throw new PassingFailure(`answered ${status}`, retryAfterMs(response.headers.get('retry-after'), nowMs()));
}

/** Makes the file ready for the bytes of the answer: the rest, or all anew. Returns how many there will be, if that is said. */
async function beginOf(
  { status, headers }: Response,
  file: FileHandle,
  received: Received,
): Promise<number | undefined> {
  if (status === 206) {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
    if (Number(start) === received.bytes) return Number(total);
    throw new DownloadFailed('gave another part of the file than was asked for');
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

/** The disk says what is wrong, but not always where. */
function writeFailure(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall
    ? new DownloadFailed(`cannot be written to ${path} (${code})`, { isOfDisk: true, cause: error })
    : error;
}

/** Package or model are not there, or cannot be used; the message is one line that says what to do. */
export class ModelNotLoaded extends Error {
  override readonly name = 'ModelNotLoaded';
}
