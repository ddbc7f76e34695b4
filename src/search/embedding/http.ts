import { setTimeout } from 'node:timers/promises';
import { MnemeError } from '../../memory/errors.ts';
import { unitVector } from '../../memory/floats.ts';
import { wordsOf } from '../../memory/words.ts';
import { type Attributes, traced, traceHeaders } from '../threads/span.ts';
import { type BatchLimits, batchesOf, type Embedder } from './embedder.ts';

export interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** A longer answer is refused. */
  readonly answerBytesMax?: number;
}

const ANSWER_BYTES_MAX = 64 * 1_048_576;

/** Request timeout, too early, too many requests; all statuses from 500 are transient too. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Body of the answer to a POST. Fails with the signal's reason when that is aborted, with `PassingFailure` when asking
 * again may help, and with `UnusableAnswer` otherwise.
 */
export async function post({
  url,
  headers,
  body,
  timeoutMs,
  signal,
  nowMs,
  answerBytesMax = ANSWER_BYTES_MAX,
}: PostRequest): Promise<string> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let answer: string;
  try {
    const sent = { ...headers, ...traceHeaders() };
    response = await fetch(url, { method: 'POST', headers: sent, body, signal: AbortSignal.any([signal, timeout]) });
    answer = await textWithin(response, answerBytesMax);
  } catch (error) {
    if (error instanceof UnusableAnswer) throw error;
    signal.throwIfAborted();
    if (timeout.aborted) throw new PassingFailure(`did not answer within ${timeoutMs} ms`);
    throw new PassingFailure(`cannot be reached: ${networkReason(error)}`);
  }
  if (response.ok) return answer;
  const detail = detailIn(answer);
  const message = `answered ${response.status}${detail === '' ? '' : `: ${detail}`}`;
  if (!isPassingStatus(response.status)) throw new UnusableAnswer(message, response.status);
  throw new PassingFailure(message, retryAfterMs(response.headers.get('retry-after'), nowMs()));
}

/** Attributes of a call of a model, by the conventions of OpenTelemetry for generative models. */
export function modelCall(operation: 'embeddings' | 'chat', model: string, url: URL): Attributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': model,
    'server.address': url.hostname,
    ...(url.port !== '' && { 'server.port': Number(url.port) }),
  };
}

async function textWithin(response: Response, bytesMax: number): Promise<string> {
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) throw new UnusableAnswer(`gave an answer of more than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** True where asking again may help. */
export function isPassingStatus(status: number): boolean {
  return status >= 500 || PASSING_STATUSES.has(status);
}

/** Seconds or a date; 0 when it is neither. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return ms > 0 ? ms : 0;
}

/** A transient failure. */
export class PassingFailure extends Error {
  override readonly name = 'PassingFailure';
  /** How long the other side asks to be left alone. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface RetryOptions {
  /** Attempts in all, the first included. */
  readonly attemptsMax: number;
  readonly backOffFirstMs: number;
  readonly backOffMaxMs: number;
  /** A longer Retry-After is not retried. */
  readonly retryAfterMaxMs: number;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Resolves after the time; rejects with the signal's reason as soon as it is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Repeats an attempt while it fails with `PassingFailure`, after waits that double, less up to a half by chance. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { attemptsMax, backOffFirstMs, backOffMaxMs, retryAfterMaxMs, random, wait }: RetryOptions,
  signal: AbortSignal,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const isWorthwhile = error instanceof PassingFailure && error.retryAfterMs <= retryAfterMaxMs;
      if (!isWorthwhile || attempts >= attemptsMax) throw error;
      const backOffMs = Math.min(backOffFirstMs * 2 ** (attempts - 1), backOffMaxMs);
      await wait(Math.max(backOffMs * (1 - random() / 2), error.retryAfterMs), signal);
    }
  }
}

/** Waits in real time. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Short reason of a network failure; `fetch` puts it into the cause. */
export function networkReason(error: unknown): string {
  const { code = '', message = '' } = ((error as Error).cause ?? {}) as {
    readonly code?: unknown;
    readonly message?: string;
  };
  // System error codes are well known; those of Node's client are not, but their messages explain them.
  const isKnown = typeof code === 'string' && /^E[A-Z]/.test(code);
  return (isKnown ? code : message) || 'the connection failed';
}

export interface HttpEmbedderOptions {
  /** Of the API, such as `http://localhost:11434/v1`; `/embeddings` is added unless it ends so. */
  readonly url: string;
  readonly model: string;
  /** Empty for endpoints that want none. */
  readonly apiKey: string;
  /** Required dimension; 0 accepts that of the first answer. */
  readonly dimension: number;
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  readonly batch?: Partial<BatchLimits>;
  /** Longer texts are cut: most models read no further, and some endpoints refuse them. */
  readonly textLengthMax?: number;
  readonly retry?: Partial<RetryOptions>;
  /** Wall clock, for endpoints whose Retry-After is a date. */
  readonly nowMs?: () => number;
}

/**
 * A sentence vector alone is the weaker signal for memories (42 % recall on conversations where keywords have 60 to 78);
 * with this weight it adds to them.
 */
const LANE_WEIGHT = 0.5;
/** Most texts in one request of TEI, unless it is started with another limit. */
const BATCH: BatchLimits = { countMax: 32, bytesMax: 256 * 1024 };
const TEXT_LENGTH_MAX = 8000;
/** Retries of a request to a model's endpoint. */
export const RETRY: RetryOptions = {
  attemptsMax: 3,
  backOffFirstMs: 250,
  backOffMaxMs: 8000,
  retryAfterMaxMs: 30_000,
  random: Math.random,
  wait: pause,
};
const SENDABLE_KEY = /^[\x21-\x7e]*$/;
/** Asks an endpoint that speaks OpenAI's protocol: OpenAI itself, Ollama, vLLM, Text Embeddings Inference. */
export class HttpEmbedder implements Embedder {
  readonly kind = 'http';
  readonly model: string;
  readonly inline = false;
  readonly isDerived = false;
  readonly laneWeight = LANE_WEIGHT;
  private readonly options: HttpEmbedderOptions;
  private readonly url: URL;
  private dimensionKnown: number;

  /** Throws when the address or the key could never be sent. */
  constructor(options: HttpEmbedderOptions) {
    if (!SENDABLE_KEY.test(options.apiKey)) throw new TypeError('the embedder key has signs that no header can carry');
    this.url = new URL(options.url);
    if (this.url.username || this.url.password) throw new TypeError('the embedder address must not hold a password');
    if (!this.url.pathname.endsWith('/embeddings'))
      this.url.pathname = `${this.url.pathname.replace(/\/+$/, '')}/embeddings`;
    this.options = options;
    this.model = options.model;
    this.dimensionKnown = options.dimension;
  }

  get dimension(): number {
    return this.dimensionKnown;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    signal.throwIfAborted();
    const places = [...texts.keys()].filter((place) => wordsOf(texts[place] ?? '').length > 0);
    const sendable = places.map((place) => cut(texts[place] ?? '', this.options.textLengthMax ?? TEXT_LENGTH_MAX));
    const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
    let done = 0;
    for (const batch of batchesOf(sendable, { ...BATCH, ...this.options.batch })) {
      for (const vector of await this.embedBatch(batch, signal)) {
        const place = places[done++];
        if (place !== undefined) vectors[place] = vector;
      }
    }
    return vectors;
  }

  private embedBatch(batch: string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    const { model } = this.options;
    const describe = () => {
      const attributes = { ...modelCall('embeddings', model, this.url), 'mneme.text.count': batch.length };
      return { name: `embeddings ${model}`, kind: 'client' as const, attributes };
    };
    return traced(describe, () => this.vectorsOf(batch, signal));
  }

  private async vectorsOf(batch: string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    try {
      const retry = { ...RETRY, ...this.options.retry };
      const body = await withRetries(() => this.request(batch, signal), retry, signal);
      const vectors = vectorsIn(body, batch.length, this.dimensionKnown);
      this.dimensionKnown ||= vectors.find((vector) => vector)?.length ?? 0;
      return vectors;
    } catch (error) {
      if (error instanceof PassingFailure || error instanceof UnusableAnswer) throw this.unavailable(error.message);
      throw error;
    }
  }

  private request(batch: string[], signal: AbortSignal): Promise<string> {
    const { model, apiKey, timeoutMs, nowMs = Date.now } = this.options;
    const headers = { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) };
    return post({ url: this.url, headers, body: JSON.stringify({ model, input: batch }), timeoutMs, signal, nowMs });
  }

  /** Names the endpoint and the reason, never the request: the key must not appear, even if the endpoint repeats it. */
  private unavailable(what: string): MnemeError {
    const { model, apiKey } = this.options;
    const message = `the embedder at ${this.url.origin}${this.url.pathname} ${what}`;
    return new MnemeError('EMBEDDER_UNAVAILABLE', apiKey ? message.replaceAll(apiKey, '***') : message, {
      metadata: { model },
    });
  }
}

/** Does not split a surrogate pair. */
function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax
    ? text
        .slice(0, lengthMax)
        .toWellFormed()
        .replace(/\uFFFD$/, '')
    : text;
}

/** The endpoint's answer is unusable; a retry would not help. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';
  /** HTTP status; absent where the answer itself cannot be used. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

const DETAIL_LENGTH_MAX = 200;

/**
 * Vectors of an answer of `/v1/embeddings`, of length 1, in the order of the texts, whatever the answer's order. A zero
 * vector has no direction. Every other vector must be finite and have `dimension` values; 0 accepts that of the first
 * one.
 */
export function vectorsIn(body: string, count: number, dimension: number): (Float32Array | undefined)[] {
  const { data } = parsed(body);
  if (!Array.isArray(data) || data.length !== count) {
    throw new UnusableAnswer(`returned ${Array.isArray(data) ? data.length : 'no'} vectors for ${count} texts`);
  }
  const vectors = new Map<number, Float32Array | undefined>();
  let expected = dimension;
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = objectOf(item);
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || vectors.has(index)) {
      throw new UnusableAnswer(`returned vectors whose indexes are not 0 to ${count - 1}, each once`);
    }
    if (!Array.isArray(embedding) || embedding.length === 0)
      throw new UnusableAnswer('returned a vector without values');
    expected ||= embedding.length;
    if (embedding.length !== expected) {
      throw new UnusableAnswer(`returned a vector of ${embedding.length} values, expected ${expected}`);
    }
    if (!embedding.every(Number.isFinite))
      throw new UnusableAnswer('returned a vector with values that are not finite');
    vectors.set(index, unitVector(embedding as number[]));
  }
  return Array.from({ length: count }, (_, index) => vectors.get(index));
}

/** The message of an error answer, if it is at the usual path. Other parts may repeat the texts. */
export function detailIn(body: string): string {
  let answer: Record<string, unknown>;
  try {
    answer = parsed(body);
  } catch (error) {
    if (error instanceof UnusableAnswer) return '';
    throw error;
  }
  const detail = [objectOf(answer.error).message, answer.error, answer.message, answer.detail].find(
    (part) => typeof part === 'string',
  );
  return detail === undefined ? '' : String(detail).slice(0, DETAIL_LENGTH_MAX);
}

function parsed(body: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(body));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnusableAnswer('returned an answer that is not JSON');
    throw error;
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
