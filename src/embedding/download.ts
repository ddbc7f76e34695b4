import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { networkReason } from './network-reason.ts';
import { isPassingStatus, retryAfterMs } from './post.ts';
import { PassingFailure, type RetryOptions, withRetries } from './retry.ts';

interface DownloadFailedOptions extends ErrorOptions {
  readonly status?: number;
  readonly isOfDisk?: boolean;
}

/** A file did not come, and asking again at once would not help; the message ends a sentence that begins with the address. */
export class DownloadFailed extends Error {
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

export interface Download {
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
export async function download(request: Download): Promise<void> {
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
    // A break may pass; what cannot be reached at all is told at once.
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
