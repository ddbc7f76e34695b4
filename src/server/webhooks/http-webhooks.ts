import { lookup as resolve } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock, Timers } from '../../memory/clock.ts';
import { validSecrets, type Webhook } from '../../memory/webhook.ts';
import type { WebhookMessage, WebhookOutcome, WebhookSender } from '../operations/streams/webhook-delivery.ts';
import type { WebhookHosts } from './webhook-hosts.ts';
import { signatureHeaders } from './webhook-signature.ts';

/** Time for connection, request and answer. */
const TIME_MS = 15_000;
/** Bytes of an answer that are read, so that its connection can be used again. */
const ANSWER_BYTES_MAX = 65_536;
const RETRY_AFTER_MS_MAX = 86_400_000;

export interface HttpWebhooksOptions {
  readonly hosts: WebhookHosts;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly userAgent: string;
  /** Resolves names; all addresses that it finds are compared with the hosts. */
  readonly resolve?: typeof resolve;
}

/** Sends signed requests. No redirect is followed, and only allowed addresses are connected to, whatever a name resolves to. */
export class HttpWebhooks implements WebhookSender {
  private readonly options: HttpWebhooksOptions;
  private readonly agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  constructor(options: HttpWebhooksOptions) {
    this.options = options;
  }

  async send(webhook: Webhook, message: WebhookMessage, signal: AbortSignal): Promise<WebhookOutcome> {
    const url = new URL(webhook.url);
    // The setting may have changed since the webhook was made.
    const refusal = this.options.hosts.refusalOf(url);
    if (refusal) return { failure: `url: ${refusal}` };
    try {
      return this.outcomeOf(await this.answer(url, webhook, message, signal));
    } catch (error) {
      signal.throwIfAborted();
      return { failure: failureOf(error) };
    }
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private answer(
    url: URL,
    webhook: Webhook,
    { id, body }: WebhookMessage,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { clock, timers, userAgent } = this.options;
    const isSecure = url.protocol === 'https:';
    const nowUs = clock.nowUs();
    const signed = { id, atSeconds: Math.floor(nowUs / 1e6), body };
    const headers = {
      'user-agent': userAgent,
      ...webhook.headers,
      'content-type': 'application/json',
      'content-length': body.length,
      ...signatureHeaders(signed, validSecrets(webhook, nowUs)),
    };
    const late = new AbortController();
    const cancel = timers.set(() => late.abort(new Error(`no answer within ${TIME_MS / 1000} s`)), TIME_MS);
    const options = {
      method: 'POST',
      headers,
      agent: isSecure ? this.agents.https : this.agents.http,
      lookup: this.lookup,
      signal: AbortSignal.any([signal, late.signal]),
    };
    return new Promise((resolveAnswer, reject) => {
      const request = (isSecure ? httpsRequest : httpRequest)(url, options, (response) => {
        limit(response);
        resolveAnswer(response);
      });
      request.on('error', (error) => reject(late.signal.aborted ? late.signal.reason : error));
      request.on('close', cancel);
      request.end(body);
    });
  }

  private outcomeOf({ statusCode = 0, headers }: IncomingMessage): WebhookOutcome {
    if (statusCode >= 200 && statusCode < 300) return {};
    const isRedirect = statusCode >= 300 && statusCode < 400;
    const retryAfterMs = this.retryAfterMs(headers['retry-after']);
    return {
      failure: `answered with status ${statusCode}${isRedirect ? ': redirects are not followed' : ''}`,
      ...(statusCode === 410 && { isGone: true }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }

  /** Seconds, or a date. */
  private retryAfterMs(text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - this.options.clock.nowUs() / 1000;
    return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX) : undefined;
  }

  /** The addresses of a name that may be connected to: Node connects to one of these. */
  private readonly lookup: LookupFunction = (hostname, options, done) => {
    const { hosts, resolve: find = resolve } = this.options;
    find(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const allowed = found.filter(({ address }) => hosts.allows(address));
      const [first] = allowed;
      if (!first) return done(new Error(`${hostname} has no public address, and --webhook-hosts names none of it`), []);
      return options.all ? done(null, allowed) : done(null, first.address, first.family);
    });
  };
}

/** Reads an answer to its end, or ends the connection where it is too long. */
function limit(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) response.destroy();
  });
  // The status has been read: the rest of the answer does not matter.
  response.on('error', () => undefined);
}

const FAILURE_LENGTH = 200;

/** For people; never with bytes of the answer. */
function failureOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const text = message || code || 'the connection failed';
  return text.slice(0, FAILURE_LENGTH);
}
