import type { Micros } from './memory.ts';

/** Delivery of a subscription's changes to a URL by the server. */
export interface Webhook {
  readonly url: string;
  /** Further headers of each request, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Key of the signatures, in the form of Standard Webhooks: `whsec_` and base64. */
  readonly secret: string;
  readonly formerSecret?: { readonly secret: string; readonly expiresAtUs: Micros };
  /** Rises when a call resumes the webhook: outcomes of attempts from before do not count. */
  readonly version: number;
  /** Absent while the last delivery succeeded, and where none was necessary yet. */
  readonly failing?: WebhookFailing;
  /** Changes that the log no longer has are skipped: a call has resumed the webhook after their loss. */
  readonly skipsLost?: boolean;
}

/** Failures in a row. */
export interface WebhookFailing {
  readonly sinceUs: Micros;
  readonly count: number;
  /** Reason of the last failure. */
  readonly failure: string;
  /** Of the next attempt; absent: the webhook is parked. */
  readonly next?: { readonly atUs: Micros; readonly pauseMs: number };
  /** The log no longer has the next change. */
  readonly isLoss?: boolean;
}

export type WebhookChange =
  | { readonly kind: 'rotated'; readonly secret: string; readonly formerUntilUs: Micros }
  | { readonly kind: 'resumed'; readonly url?: string }
  /** The delivery of this version has this outcome; without `failing` it succeeded. */
  | { readonly kind: 'attempted'; readonly version: number; readonly failing?: WebhookFailing };

export function changedWebhook(webhook: Webhook, change: WebhookChange): Webhook {
  const { formerSecret: _former, failing, skipsLost: _skips, ...rest } = webhook;
  switch (change.kind) {
    case 'rotated': {
      const formerSecret = { secret: webhook.secret, expiresAtUs: change.formerUntilUs };
      return { ...webhook, secret: change.secret, formerSecret };
    }
    case 'resumed':
      return {
        ...rest,
        ...kept(webhook),
        ...(change.url !== undefined && { url: change.url }),
        version: webhook.version + 1,
        ...((failing?.isLoss || webhook.skipsLost) && { skipsLost: true }),
      };
    case 'attempted':
      if (change.version !== webhook.version) return webhook;
      return {
        ...rest,
        ...kept(webhook),
        ...(change.failing && { failing: change.failing, ...(webhook.skipsLost && { skipsLost: true }) }),
      };
  }
}

function kept({ formerSecret }: Webhook): Pick<Webhook, 'formerSecret'> {
  return formerSecret ? { formerSecret } : {};
}

export function isParked({ failing }: Webhook): boolean {
  return failing !== undefined && failing.next === undefined;
}

/** Secrets that sign at an instant, the newest first. */
export function validSecrets({ secret, formerSecret }: Webhook, atUs: Micros): string[] {
  return formerSecret && formerSecret.expiresAtUs > atUs ? [secret, formerSecret.secret] : [secret];
}
