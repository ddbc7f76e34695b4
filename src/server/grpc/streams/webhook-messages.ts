import { type Webhook as Message, WebhookState } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { isParked, type Webhook } from '../../../memory/webhook.ts';
import { optionalTimestamp, type RequestChecks } from '../edge/request-checks.ts';

/** What the server accepts in a webhook. */
export interface WebhookTerms {
  newSecret(): string;
  isSecret(text: string): boolean;
  /** The reason why a URL is refused; `undefined` where it is accepted. */
  refusalOf(url: URL): string | undefined;
}

const URL_LENGTH = 2048;
const HEADERS = { max: 16, length: 1024 };
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** Headers that the server or HTTP sets. */
const RESERVED =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|date|content-.*|proxy-.*|webhook-.*)$/i;

/** The webhook of a request, with a secret that the server has made where the request has none. */
export function webhookOf(checks: RequestChecks, field: string, message: Message, terms: WebhookTerms): Webhook {
  return {
    url: webhookUrlOf(checks, `${field}.url`, message.url, terms),
    headers: headersOf(checks, `${field}.headers`, message.headers),
    secret: webhookSecretOf(checks, `${field}.secret`, message.secret, terms),
    version: 1,
  };
}

export function webhookUrlOf(checks: RequestChecks, field: string, text: string, terms: WebhookTerms): string {
  const url = text.length <= URL_LENGTH ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password + url.hash !== '') {
    checks.add(field, `must be http or https, without user name and fragment, at most ${URL_LENGTH} characters`);
    return '';
  }
  const refusal = terms.refusalOf(url);
  if (refusal !== undefined) checks.add(field, refusal);
  return url.href;
}

export function webhookSecretOf(checks: RequestChecks, field: string, text: string, terms: WebhookTerms): string {
  if (text === '') return terms.newSecret();
  // The text itself is never part of an error.
  if (!terms.isSecret(text)) checks.add(field, 'must be whsec_ and 24 to 64 bytes in base64');
  return text;
}

function headersOf(checks: RequestChecks, field: string, headers: Message['headers']): Record<string, string> {
  const all = Object.entries(headers);
  if (all.length > HEADERS.max) checks.add(field, `must be at most ${HEADERS.max}, got ${all.length}`);
  for (const [name, value] of all.slice(0, HEADERS.max)) {
    if (!HEADER_NAME.test(name)) checks.add(field, 'must have names of 1 to 64 characters that HTTP allows');
    else if (RESERVED.test(name))
      checks.add(`${field}[${name}]`, 'must be absent: the server or HTTP sets this header');
    else if (value.length > HEADERS.length || !HEADER_VALUE.test(value)) {
      checks.add(`${field}[${name}]`, `must be at most ${HEADERS.length} printable ASCII characters`);
    }
  }
  return Object.fromEntries(all);
}

/** `secret`: of a webhook that the call has made. Values of headers may be secrets, and are left out. */
export function webhookMessage(webhook: Webhook, secret: string): Message {
  const { url, headers, failing, formerSecret } = webhook;
  return {
    url,
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, ''])),
    secret,
    state: stateOf(webhook),
    failure: failing?.failure ?? '',
    failureCount: failing?.count ?? 0,
    failingSince: optionalTimestamp(failing?.sinceUs),
    nextAttemptTime: optionalTimestamp(failing?.next?.atUs),
    formerSecretExpireTime: optionalTimestamp(formerSecret?.expiresAtUs),
  };
}

function stateOf(webhook: Webhook): WebhookState {
  if (!webhook.failing) return WebhookState.WEBHOOK_STATE_ACTIVE;
  return isParked(webhook) ? WebhookState.WEBHOOK_STATE_PARKED : WebhookState.WEBHOOK_STATE_FAILING;
}
