import { MnemeError } from '../../memory/errors.ts';
import {
  modelCall,
  PassingFailure,
  post,
  type RetryOptions,
  UnusableAnswer,
  withRetries,
} from '../../search/embedding/http.ts';
import { type Span, traced } from '../../search/threads/span.ts';
import { BadAnswer, contentIn, usageIn } from './model-answer.ts';

export interface ChatModelOptions {
  /** Of the API, such as `http://localhost:11434/v1`; `/chat/completions` is added unless it ends so. */
  readonly url: string;
  readonly model: string;
  /** Empty for endpoints that want none. */
  readonly apiKey: string;
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  /** Tokens that the model may write. */
  readonly outputTokensMax: number;
  readonly retry: RetryOptions;
  /** Wall clock, for endpoints whose Retry-After is a date. */
  readonly nowMs: () => number;
}

export interface ChatQuestion {
  /** Default: that of the options. */
  readonly model?: string;
  readonly system: string;
  readonly user: string;
  /** Required form of the answer, as JSON schema. */
  readonly schema: object;
  readonly schemaName: string;
}

const ANSWER_BYTES_MAX = 4 * 1_048_576;
const SENDABLE_KEY = /^[\x21-\x7e]*$/;
/** Statuses that are about the request itself, not about access to the endpoint. */
const REQUEST_STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);

/** A model behind an OpenAI-compatible chat endpoint, asked at temperature 0 for JSON of a schema. */
export class ChatModel {
  private readonly options: ChatModelOptions;
  private readonly url: URL;
  /** Subject of the messages of its failures, such as `the extractor`, and its name in their metadata. */
  private readonly role: string;
  private readonly extractor: string;

  /** Throws when the address or the key could never be sent. */
  constructor(role: string, extractor: string, options: ChatModelOptions) {
    if (!SENDABLE_KEY.test(options.apiKey))
      throw new TypeError('the extractor key has characters that no header can carry');
    this.url = new URL(options.url);
    if (!this.url.pathname.endsWith('/chat/completions'))
      this.url.pathname = `${this.url.pathname.replace(/\/+$/, '')}/chat/completions`;
    this.role = role;
    this.extractor = extractor;
    this.options = options;
  }

  /** Reads the text that the model has written; `read` may throw BadAnswer. Fails with EXTRACTOR_UNAVAILABLE, EXTRACTION_INVALID. */
  ask<T>(question: ChatQuestion, read: (content: string) => T, signal: AbortSignal): Promise<T> {
    const { model = this.options.model } = question;
    const describe = () => {
      return { name: `chat ${model}`, kind: 'client' as const, attributes: modelCall('chat', model, this.url) };
    };
    return traced(describe, (span) => this.answerTo(question, read, signal, span));
  }

  private async answerTo<T>(
    question: ChatQuestion,
    read: (content: string) => T,
    signal: AbortSignal,
    span: Span | undefined,
  ): Promise<T> {
    const { model = this.options.model, system, user, schema, schemaName } = question;
    const body = JSON.stringify({
      model,
      temperature: 0,
      max_tokens: this.options.outputTokensMax,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
      response_format: { type: 'json_schema', json_schema: { name: schemaName, strict: true, schema } },
    });
    try {
      const answer = await withRetries(() => this.request(body, signal), this.options.retry, signal);
      span?.set(usageIn(answer));
      return read(contentIn(answer));
    } catch (error) {
      throw this.described(error);
    }
  }

  private request(body: string, signal: AbortSignal): Promise<string> {
    const { apiKey, timeoutMs, nowMs } = this.options;
    const headers = { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) };
    return post({ url: this.url, headers, body, timeoutMs, signal, nowMs, answerBytesMax: ANSWER_BYTES_MAX });
  }

  /** An endpoint that cannot be used may be usable later; an answer that cannot be used is the model's. */
  private described(error: unknown): unknown {
    if (error instanceof BadAnswer) return this.failure('EXTRACTION_INVALID', `the model ${error.message}`);
    if (error instanceof PassingFailure) return this.failure('EXTRACTOR_UNAVAILABLE', this.located(error.message));
    if (!(error instanceof UnusableAnswer)) return error;
    const isOfRequest = error.status === undefined || REQUEST_STATUSES.has(error.status);
    return this.failure(isOfRequest ? 'EXTRACTION_INVALID' : 'EXTRACTOR_UNAVAILABLE', this.located(error.message));
  }

  private located(what: string): string {
    return `${this.role} at ${this.url.origin}${this.url.pathname} ${what}`;
  }

  /** The key must not show, even if the endpoint repeats it. */
  private failure(reason: 'EXTRACTOR_UNAVAILABLE' | 'EXTRACTION_INVALID', message: string): MnemeError {
    const { apiKey } = this.options;
    const metadata = { extractor: this.extractor };
    return new MnemeError(reason, apiKey ? message.replaceAll(apiKey, '***') : message, { metadata });
  }
}
