import { PassingFailure, post, type RetryOptions, UnusableAnswer, withRetries } from '../embedding/http.ts';
import type { ConversationMessage } from '../memory/conversation.ts';
import { MnemeError } from '../memory/errors.ts';
import type { ExtractedNote, FactClaim } from '../memory/fact-claim.ts';
import { passagesOf } from '../memory/passages.ts';
import type { Extracted, ExtractionBatch, Extractor, Room } from './extractor.ts';
import { BadAnswer, contentIn, extractedIn } from './model-answer.ts';
import { ANSWER_SCHEMA, type Line, lineOf, PROMPT_VERSION, SYSTEM_PROMPT, userPrompt } from './model-prompt.ts';

export interface ModelExtractorOptions {
  /** Of the API, such as `http://localhost:11434/v1`; `/chat/completions` is added unless it ends so. */
  readonly url: string;
  readonly model: string;
  /** Empty for endpoints that want none. */
  readonly apiKey: string;
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  /** Approximate tokens of the messages in one request; longer batches take several requests. */
  readonly inputTokensMax: number;
  /** Tokens that the model may write. */
  readonly outputTokensMax: number;
  readonly retry: RetryOptions;
  /** Wall clock, for endpoints whose Retry-After is a date. */
  readonly nowMs: () => number;
}

const CHARACTERS_PER_TOKEN = 4;
const ANSWER_BYTES_MAX = 4 * 1_048_576;
const EARLIER_LENGTH = 500;
/** Limit of one batch; the rest of a very long message is stored but not read. */
const REQUESTS_MAX = 16;
const SENDABLE_KEY = /^[\x21-\x7e]*$/;
/** Statuses that are about the request itself, not about access to the endpoint. */
const REQUEST_STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);

/** Asks a model behind an OpenAI-compatible chat endpoint, at temperature 0, for JSON of a schema. */
export class ModelExtractor implements Extractor {
  readonly name = `model.v${PROMPT_VERSION}`;
  private readonly options: ModelExtractorOptions;
  private readonly url: URL;

  /** Throws when the address or the key could never be sent. */
  constructor(options: ModelExtractorOptions) {
    if (!SENDABLE_KEY.test(options.apiKey))
      throw new TypeError('the extractor key has characters that no header can carry');
    this.url = new URL(options.url);
    if (!this.url.pathname.endsWith('/chat/completions'))
      this.url.pathname = `${this.url.pathname.replace(/\/+$/, '')}/chat/completions`;
    this.options = options;
  }

  room(): Room {
    return 'server';
  }

  async extract(batch: ExtractionBatch, signal: AbortSignal): Promise<Extracted> {
    const model = batch.settings.get('extraction.model') ?? this.options.model;
    const earlier = batch.earlier.map((message) =>
      lineOf(message, message.text.slice(0, EARLIER_LENGTH).toWellFormed()),
    );
    const claims: FactClaim[] = [];
    const notes: ExtractedNote[] = [];
    for (const lines of this.requestsOf(batch.messages)) {
      const extracted = await this.ask(model, earlier, lines, signal);
      claims.push(...extracted.claims);
      notes.push(...extracted.notes);
    }
    return { claims, notes };
  }

  /** The messages in portions of the token budget. A long message is read by its passages. */
  private requestsOf(messages: readonly ConversationMessage[]): Line[][] {
    const lengthMax = this.options.inputTokensMax * CHARACTERS_PER_TOKEN;
    const lines = messages.flatMap((message) => partsOf(message.text, lengthMax).map((part) => lineOf(message, part)));
    const requests: Line[][] = [];
    let length = Number.POSITIVE_INFINITY;
    for (const line of lines) {
      length += line.json.length;
      if (length > lengthMax) {
        requests.push([]);
        length = line.json.length;
      }
      requests.at(-1)?.push(line);
    }
    return requests.slice(0, REQUESTS_MAX);
  }

  private async ask(
    model: string,
    earlier: readonly Line[],
    lines: readonly Line[],
    signal: AbortSignal,
  ): Promise<Extracted> {
    const body = JSON.stringify({
      model,
      temperature: 0,
      max_tokens: this.options.outputTokensMax,
      messages: [
        { role: 'system', content: SYSTEM_PROMPT },
        { role: 'user', content: userPrompt(earlier, lines) },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'extraction', strict: true, schema: ANSWER_SCHEMA },
      },
    });
    try {
      const answer = await withRetries(() => this.request(body, signal), this.options.retry, signal);
      return extractedIn(contentIn(answer), new Set(lines.map(({ sequence }) => sequence)));
    } catch (error) {
      throw this.described(error);
    }
  }

  private request(body: string, signal: AbortSignal): Promise<string> {
    const { apiKey, timeoutMs, nowMs } = this.options;
    const headers = { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) };
    return post({ url: this.url, headers, body, timeoutMs, signal, nowMs, answerBytesMax: ANSWER_BYTES_MAX });
  }

  /** An endpoint that cannot be used is tried again without end; an answer that cannot be used only some times. */
  private described(error: unknown): unknown {
    if (error instanceof BadAnswer) return this.failure('EXTRACTION_INVALID', `the model ${error.message}`);
    if (error instanceof PassingFailure) return this.unavailable(error.message);
    if (!(error instanceof UnusableAnswer)) return error;
    const isOfRequest = error.status === undefined || REQUEST_STATUSES.has(error.status);
    return isOfRequest
      ? this.failure('EXTRACTION_INVALID', this.located(error.message))
      : this.unavailable(error.message);
  }

  private unavailable(what: string): MnemeError {
    return this.failure('EXTRACTOR_UNAVAILABLE', this.located(what));
  }

  private located(what: string): string {
    return `the extractor at ${this.url.origin}${this.url.pathname} ${what}`;
  }

  /** The key must not show, even if the endpoint repeats it. */
  private failure(reason: 'EXTRACTOR_UNAVAILABLE' | 'EXTRACTION_INVALID', message: string): MnemeError {
    const { apiKey } = this.options;
    return new MnemeError(reason, apiKey ? message.replaceAll(apiKey, '***') : message, {
      metadata: { extractor: this.name },
    });
  }
}

/** Consecutive passages of a text, joined up to the length. */
function partsOf(text: string, lengthMax: number): string[] {
  if (text.length <= lengthMax) return [text];
  const parts: string[] = [];
  let from = 0;
  let end = 0;
  for (const passage of passagesOf(text)) {
    if (passage.end - from > lengthMax && end > from) {
      parts.push(text.slice(from, end));
      from = passage.from;
    }
    end = passage.end;
  }
  parts.push(text.slice(from, end));
  return parts;
}
