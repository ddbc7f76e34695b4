import { MnemeError } from '../memory/errors.ts';
import { wordsOf } from '../memory/words.ts';
import { type BatchLimits, batchesOf } from './batches.ts';
import type { Embedder } from './embedder.ts';
import { UnusableAnswer, vectorsIn } from './http-answer.ts';
import { post } from './post.ts';
import { PassingFailure, pause, type RetryOptions, withRetries } from './retry.ts';

export interface HttpEmbedderOptions {
  /** Of the API, such as `http://localhost:11434/v1`; `/embeddings` is added unless it ends so. */
  readonly url: string;
  readonly model: string;
  /** Empty for endpoints that want none. */
  readonly apiKey: string;
  /** What the vectors must have; 0 takes what the first answer has. */
  readonly dimension: number;
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  readonly batch?: Partial<BatchLimits>;
  /** Longer texts are cut: most models read no further, and some endpoints refuse them. */
  readonly textLengthMax?: number;
  readonly retry?: Partial<RetryOptions>;
  /** Wall clock, for endpoints that say at what time to come again. */
  readonly nowMs?: () => number;
}

/**
 * A sentence vector alone is the weaker signal for memories (42 % recall on conversations where keywords have 60 to 78);
 * with this weight it adds to them.
 */
const LANE_WEIGHT = 0.5;
/** TEI takes no more in one request unless told to. */
const BATCH: BatchLimits = { countMax: 32, bytesMax: 256 * 1024 };
const TEXT_LENGTH_MAX = 8000;
const RETRY: RetryOptions = {
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

  private async embedBatch(batch: string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
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

  /** Says where and why, but not what was sent: the key must not show, even if the endpoint repeats it. */
  private unavailable(what: string): MnemeError {
    const { model, apiKey } = this.options;
    const message = `the embedder at ${this.url.origin}${this.url.pathname} ${what}`;
    return new MnemeError('EMBEDDER_UNAVAILABLE', apiKey ? message.replaceAll(apiKey, '***') : message, {
      metadata: { model },
    });
  }
}

/** Not in the middle of a sign that takes two units. */
function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax
    ? text
        .slice(0, lengthMax)
        .toWellFormed()
        .replace(/\uFFFD$/, '')
    : text;
}
