import { isParked } from '../../../memory/webhook.ts';
import type { ListedWebhook, SubscriptionStore } from '../../../storage/subscription-store.ts';
import { type DeliveryDeps, pause, type WebhookCounts, WebhookDelivery } from './webhook-delivery.ts';

export interface WebhooksDeps extends Omit<DeliveryDeps, 'counts' | 'store' | 'onNoted'> {
  readonly store: Pick<SubscriptionStore, 'changeWebhook' | 'listWebhooks'>;
  /** Time between looks for webhooks that calls at other servers have changed. */
  readonly lookMs: number;
}

export type WebhookStates = Readonly<Record<'active' | 'failing' | 'parked', number>>;

/** The webhooks of all subscriptions. One server at a time delivers to them. */
export class Webhooks {
  readonly counts: WebhookCounts = { delivered: 0, failed: 0 };
  private readonly deps: WebhooksDeps;
  private readonly deliveries = new Map<number, WebhookDelivery>();
  private listed: readonly ListedWebhook[] = [];
  private isChanged = false;
  private wake: () => void = () => undefined;
  /** Starts the work where it does not run. */
  onChanged: () => void = () => undefined;

  constructor(deps: WebhooksDeps) {
    this.deps = deps;
  }

  /** Webhooks by state, at the server that delivers to them. */
  get states(): WebhookStates {
    const states = { active: 0, failing: 0, parked: 0 };
    for (const { webhook } of this.listed) {
      if (!webhook.failing) states.active++;
      else if (isParked(webhook)) states.parked++;
      else states.failing++;
    }
    return states;
  }

  /** Parts that do not work, as text for people. */
  degraded(): string[] {
    const { parked } = this.states;
    return parked === 0 ? [] : [`webhooks: ${parked} parked`];
  }

  /** A call has made, changed or deleted a webhook. */
  changed(): void {
    this.look();
    this.onChanged();
  }

  /** Delivers until the signal is aborted, or no webhook is left; resolves to the time until the next look. */
  async run(signal: AbortSignal): Promise<number> {
    try {
      while (!signal.aborted) {
        this.isChanged = false;
        this.listed = await this.deps.store.listWebhooks();
        if (this.listed.length === 0) break;
        this.follow();
        await this.pause(signal);
      }
      return this.deps.lookMs;
    } finally {
      await Promise.all([...this.deliveries.values()].map((delivery) => delivery.stop()));
      this.listed = [];
    }
  }

  /** Reads the list again. */
  private look(): void {
    this.isChanged = true;
    this.wake();
  }

  /** Begins and ends deliveries. */
  private follow(): void {
    const present = new Map(this.listed.map((one) => [one.key, one]));
    for (const [key, delivery] of this.deliveries) if (!present.has(key)) void delivery.stop();
    for (const [key, one] of present) {
      const known = this.deliveries.get(key);
      if (known) known.update(one.webhook);
      else if (!isParked(one.webhook)) this.begin(one);
    }
  }

  private begin(one: ListedWebhook): void {
    const delivery = new WebhookDelivery({ ...this.deps, counts: this.counts, onNoted: () => this.look() }, one);
    this.deliveries.set(one.key, delivery);
    const forget = (): void => void this.deliveries.delete(one.key);
    delivery.ended.then(forget, forget);
  }

  private async pause(signal: AbortSignal): Promise<void> {
    const { ended, end } = pause(this.deps.timers, signal, this.deps.lookMs);
    this.wake = end;
    if (this.isChanged) end();
    await ended;
  }
}
