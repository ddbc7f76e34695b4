import { hash } from 'node:crypto';
import type { Clock, Timers } from '../../../memory/clock.ts';
import { isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import { isParked, type Webhook, type WebhookFailing } from '../../../memory/webhook.ts';
import type { ListedWebhook, SubscriptionStore } from '../../../storage/subscription-store.ts';
import { type Acknowledgement, type ConsumeDeps, consume } from './consume.ts';
import type { VisibleChange } from './watch.ts';

export interface WebhookMessage {
  /** The same for the same changes, however often they are sent. */
  readonly id: string;
  readonly body: Buffer;
}

/** Without `failure`, the receiver has acknowledged the message. */
export interface WebhookOutcome {
  readonly failure?: string;
  /** The receiver wants no further messages. */
  readonly isGone?: boolean;
  readonly retryAfterMs?: number;
}

export interface WebhookSender {
  /** Rejects only where the signal is aborted. */
  send(webhook: Webhook, message: WebhookMessage, signal: AbortSignal): Promise<WebhookOutcome>;
}

export interface WebhookBatch {
  readonly namespace: string;
  readonly id: string;
  readonly log: string;
  readonly changes: readonly VisibleChange[];
}

export interface WebhookCounts {
  delivered: number;
  failed: number;
}

/** The subscription that a notice is about. */
export interface NoticeSubject {
  readonly namespace: string;
  readonly subscription: string;
}

/** Takes what an operator should hear of. */
export interface WebhookNotices {
  parked(about: NoticeSubject & { readonly failure: string }): void;
  /** The first failure after a success. */
  failing(about: NoticeSubject & { readonly failure: string }): void;
  recovered(about: NoticeSubject): void;
  /** The server itself failed; it tries again. */
  faulted(about: NoticeSubject & { readonly err: unknown }): void;
}

export interface DeliveryDeps extends ConsumeDeps {
  readonly store: Pick<SubscriptionStore, 'changeWebhook'>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly timers: Timers;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly bodyOf: (batch: WebhookBatch) => Promise<Buffer>;
  readonly counts: WebhookCounts;
  readonly notices: WebhookNotices;
  /** Called when the state of the webhook has changed. */
  onNoted(): void;
}

/** Changes of one message. */
const BATCH_MAX = 100;
const HEARTBEAT_MS = 60_000;
const BACKOFF_MS = { first: 1000, max: 3_600_000 };
/** Failures in a row after which a webhook is parked. With the pauses between them they take about three days. */
export const FAILURES_MAX = 100;
/** Pause after a fault of the server itself, such as a store that does not answer. */
const FAULT_PAUSE_MS = 5000;

/** Pause after a number of failures in a row. */
export function backoffMs(failureCount: number, random: number): number {
  const longest = Math.min(BACKOFF_MS.first * 2 ** Math.min(failureCount - 1, 30), BACKOFF_MS.max);
  return Math.round(longest * (0.5 + random / 2));
}

/** Delivers the changes of one subscription to its webhook, in order and at least once, until it is parked or deleted. */
export class WebhookDelivery {
  readonly ended: Promise<void>;
  private readonly deps: DeliveryDeps;
  private readonly listed: ListedWebhook;
  private readonly stopping = new AbortController();
  private webhook: Webhook;
  /** Ends the pause before the next attempt. */
  private hurry: () => void = () => undefined;

  constructor(deps: DeliveryDeps, listed: ListedWebhook) {
    this.deps = deps;
    this.listed = listed;
    this.webhook = listed.webhook;
    this.ended = this.run();
  }

  /** Takes what calls have changed. */
  update(webhook: Webhook): void {
    const isResumed = webhook.version !== this.webhook.version;
    this.webhook = webhook;
    if (isResumed) this.hurry();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    let startRevision: number | undefined;
    while (!this.isStopped && !isParked(this.webhook)) {
      try {
        await this.deliverAll(startRevision);
        startRevision = undefined;
      } catch (error) {
        if (this.isStopped || isDeleted(error)) return;
        if (!(error instanceof MnemeError) || error.reason !== 'REVISION_COMPACTED') await this.faulted(error);
        else if (this.webhook.skipsLost) startRevision = Number(error.metadata['compact_revision'] ?? 0) + 1;
        else await this.noteLoss(error);
      }
    }
  }

  private async deliverAll(startRevision: number | undefined): Promise<void> {
    const { key, namespace, id } = this.listed;
    const { readable: acknowledgements, writable } = new TransformStream<Acknowledgement, Acknowledgement>();
    const acknowledged = writable.getWriter();
    const start = { namespace, id, consumer: '', outstandingMax: BATCH_MAX, heartbeatMs: HEARTBEAT_MS, startRevision };
    const call = { signal: this.stopping.signal, caller: `webhook ${key}` };
    let log = '';
    for await (const message of consume(this.deps, start, acknowledgements, call)) {
      if (message.kind === 'created') log = message.log;
      if (message.kind !== 'batch') continue;
      if (!(await this.deliver({ namespace, id, log, changes: message.changes }))) return;
      void acknowledged.write({ upToRevision: message.changes.at(-1)?.change.revision ?? 0, revisions: [] });
    }
  }

  /** False where the webhook is parked. */
  private async deliver(batch: WebhookBatch): Promise<boolean> {
    const message = { id: messageId(this.listed.key, batch), body: await this.deps.bodyOf(batch) };
    const { signal } = this.stopping;
    while (!isParked(this.webhook)) {
      await this.untilDue();
      const { webhook } = this;
      const outcome = await this.deps.sender.send(webhook, message, signal);
      if (outcome.failure === undefined) {
        this.deps.counts.delivered++;
        if (webhook.failing || webhook.skipsLost) await this.note(webhook.version, undefined);
        return true;
      }
      this.deps.counts.failed++;
      await this.note(webhook.version, this.failed(webhook, outcome.failure, outcome));
    }
    return false;
  }

  private failed(webhook: Webhook, failure: string, { isGone, retryAfterMs = 0 }: WebhookOutcome): WebhookFailing {
    const nowUs = this.deps.clock.nowUs();
    const count = (webhook.failing?.count ?? 0) + 1;
    const failing = { sinceUs: webhook.failing?.sinceUs ?? nowUs, count, failure };
    if (isGone || count >= FAILURES_MAX) return failing;
    const pauseMs = Math.max(backoffMs(count, this.deps.random()), retryAfterMs);
    return { ...failing, next: { atUs: nowUs + pauseMs * 1000, pauseMs } };
  }

  private async noteLoss(error: MnemeError): Promise<void> {
    const { failing, version } = this.webhook;
    const lost = {
      sinceUs: failing?.sinceUs ?? this.deps.clock.nowUs(),
      count: (failing?.count ?? 0) + 1,
      failure: `the change log no longer has revision ${error.metadata['revision']}: ResumeWebhook skips what is lost`,
      isLoss: true,
    };
    await this.note(version, lost).catch((fault: unknown) => this.faulted(fault));
  }

  private async note(version: number, failing: WebhookFailing | undefined): Promise<void> {
    const { namespace, id } = this.listed;
    const { store, clock, notices } = this.deps;
    const wasFailing = this.webhook.failing !== undefined;
    const change = { kind: 'attempted', version, ...(failing && { failing }) } as const;
    const { subscription } = await store.changeWebhook({ namespace, id, change, atUs: clock.nowUs() });
    if (subscription.webhook) this.update(subscription.webhook);
    this.deps.onNoted();
    const about = { namespace, subscription: id };
    const failure = failing?.failure ?? '';
    if (isParked(this.webhook)) notices.parked({ ...about, failure });
    else if (failing && !wasFailing) notices.failing({ ...about, failure });
    else if (!failing && wasFailing) notices.recovered(about);
  }

  private async faulted(err: unknown): Promise<void> {
    const { namespace, id } = this.listed;
    this.deps.notices.faulted({ namespace, subscription: id, err });
    await this.pause(FAULT_PAUSE_MS);
  }

  /** Waits until the next attempt is due, at the longest for its pause: the clock may have been set back. */
  private async untilDue(): Promise<void> {
    const next = this.webhook.failing?.next;
    if (!next) return;
    await this.pause(Math.min((next.atUs - this.deps.clock.nowUs()) / 1000, next.pauseMs));
    this.stopping.signal.throwIfAborted();
  }

  private async pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    const { ended, end } = pause(this.deps.timers, this.stopping.signal, ms);
    this.hurry = end;
    await ended;
    this.hurry = () => undefined;
  }
}

/** Time that passes until the timer, the signal or `end` ends it. */
export function pause(timers: Timers, signal: AbortSignal, ms: number): { ended: Promise<void>; end: () => void } {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    cancel();
    signal.removeEventListener('abort', end);
    resolve();
  };
  const cancel = timers.set(end, ms);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  return { ended, end };
}

/** Servers that share a store give the same changes the same id. */
function messageId(key: number, { log, changes }: WebhookBatch): string {
  const places = changes.map(({ change: { origin, revision } }) => origin ?? `${log} ${revision}`);
  return `msg_${hash('sha256', `${key} ${places.join()}`).slice(0, 32)}`;
}

function isDeleted(error: unknown): boolean {
  return isNamespaceMissing(error) || (error instanceof MnemeError && error.reason === 'SUBSCRIPTION_NOT_FOUND');
}
