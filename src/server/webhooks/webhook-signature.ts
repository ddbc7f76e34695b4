import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/;
const BYTES = { min: 24, max: 64, made: 32 };

/** Texts that a caller may set as secret. */
export function isWebhookSecret(text: string): boolean {
  if (!SECRET.test(text)) return false;
  const key = keyOf(text);
  return key.length >= BYTES.min && key.length <= BYTES.max && key.toString('base64') === text.slice(PREFIX.length);
}

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(BYTES.made).toString('base64');
}

export interface SignedMessage {
  readonly id: string;
  readonly atSeconds: number;
  readonly body: Buffer;
}

/** Headers of Standard Webhooks: a signature of each secret. */
export function signatureHeaders(
  { id, atSeconds, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', keyOf(secret)).update(`${id}.${atSeconds}.`).update(body).digest('base64');
    return `v1,${digest}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
