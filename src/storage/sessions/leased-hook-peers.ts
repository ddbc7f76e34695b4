import { randomUUID } from 'node:crypto';
import { type HookOffer, type HookPeers, hookIsGone, type PeerHook } from '../hook-peers.ts';

/** Messages between servers. */
export type HookMessage =
  | {
      readonly kind: 'ask';
      readonly id: string;
      readonly from: string;
      readonly hook: string;
      readonly timeoutMs: number;
      readonly question: string;
    }
  | { readonly kind: 'reply'; readonly id: string; readonly answer?: string; readonly failure?: string }
  | { readonly kind: 'end' };

export interface OfferedHook {
  readonly server: string;
  readonly hook: string;
  readonly name: string;
  readonly description: string;
}

/** Maximum messages in the queue of a server that does not read; the oldest are dropped. */
export const WAITING_MAX = 10_000;
/** Retention of messages to a dead server. */
export const KEPT_MS = 60_000;

/** Where servers keep their hooks and leave messages for each other. */
export interface HookExchange {
  /** Adds hooks of this server, or extends their leases; `undefined` removes a hook. */
  tell(hooks: readonly (readonly [id: string, offer: HookOffer | undefined])[]): Promise<void>;
  /** Hooks with a valid lease, of all servers. */
  hooks(): Promise<readonly OfferedHook[]>;
  send(server: string, message: HookMessage): Promise<void>;
  /** Messages are taken from the first call on. */
  begin(): void;
  close(): Promise<void>;
}

export interface LeasedHookPeersOptions {
  /** Names this server among the others. */
  readonly server: string;
  /** Time after which the hooks of a dead server expire. */
  readonly leaseMs: number;
  readonly exchange: (onMessage: (message: HookMessage) => void) => HookExchange;
}

interface Pending {
  resolve(answer: string): void;
  reject(error: Error): void;
}

/** Hooks are leased; questions and answers are messages between the servers. */
export class LeasedHookPeers implements HookPeers {
  private readonly server: string;
  private readonly leaseMs: number;
  private readonly exchange: HookExchange;
  private readonly offers = new Map<string, HookOffer>();
  private readonly pending = new Map<string, Pending>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor({ server, leaseMs, exchange }: LeasedHookPeersOptions) {
    this.server = server;
    this.leaseMs = leaseMs;
    this.exchange = exchange((message) => this.take(message));
  }

  async offer(offer: HookOffer): Promise<() => void> {
    const id = randomUUID();
    this.offers.set(id, offer);
    this.exchange.begin();
    this.schedule();
    try {
      await this.exchange.tell([[id, offer]]);
    } catch (error) {
      this.offers.delete(id);
      throw error;
    }
    return () => {
      // If the removal fails, the lease ends by itself; until then requests are answered with "gone".
      if (this.offers.delete(id)) this.exchange.tell([[id, undefined]]).catch(() => undefined);
    };
  }

  async others(): Promise<readonly PeerHook[]> {
    const all = await this.exchange.hooks();
    return all
      .filter(({ server }) => server !== this.server)
      .map(({ server, hook, name, description }) => ({
        name,
        description,
        ask: (question, timeoutMs, signal) => this.ask(server, { hook, timeoutMs, question }, signal),
      }));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.timer);
    const ids = [...this.offers.keys()];
    this.offers.clear();
    if (ids.length > 0) await this.exchange.tell(ids.map((id) => [id, undefined])).catch(() => undefined);
    await this.exchange.close();
    for (const { reject } of this.pending.values()) reject(new Error('the server is shutting down'));
  }

  /** Leases are renewed three times in their duration, so that one failure ends none. */
  private schedule(): void {
    if (this.timer || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.offers.size === 0) return;
      // The next round retries; calls that need Redis report the failure.
      this.exchange
        .tell([...this.offers])
        .catch(() => undefined)
        .finally(() => this.schedule());
    }, this.leaseMs / 3);
    this.timer.unref();
  }

  private async ask(
    server: string,
    asked: { readonly hook: string; readonly timeoutMs: number; readonly question: string },
    signal: AbortSignal,
  ): Promise<string> {
    signal.throwIfAborted();
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.pending.set(id, { resolve, reject });
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    this.exchange.begin();
    try {
      await Promise.race([promise, this.exchange.send(server, { kind: 'ask', id, from: this.server, ...asked })]);
      return await promise;
    } finally {
      this.pending.delete(id);
    }
  }

  private take(message: HookMessage): void {
    if (message.kind === 'ask') void this.answer(message);
    if (message.kind !== 'reply') return;
    const { id, answer, failure } = message;
    // The answer arrived after its request had ended.
    if (answer === undefined) this.pending.get(id)?.reject(new Error(failure ?? ''));
    else this.pending.get(id)?.resolve(answer);
  }

  private async answer({ id, from, hook, timeoutMs, question }: HookMessage & { kind: 'ask' }): Promise<void> {
    const offer = this.offers.get(hook);
    const reply = await Promise.resolve()
      .then(() => {
        if (!offer) throw hookIsGone(hook);
        return offer.answer(question, AbortSignal.timeout(Math.ceil(timeoutMs)));
      })
      .then(
        (answer) => ({ answer }),
        (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
      );
    // Where Redis does not answer, the request times out at the other server.
    await this.exchange.send(from, { kind: 'reply', id, ...reply }).catch(() => undefined);
  }
}
