import { type HookOffer, type HookPeers, hookIsGone, type PeerHook } from '../../../src/storage/hook-peers.ts';

/** Registry that the servers of one process share. */
export class HookHub {
  readonly offers = new Set<{ readonly peers: InMemoryHookPeers; readonly offer: HookOffer }>();
}

export class InMemoryHookPeers implements HookPeers {
  private readonly hub: HookHub;

  constructor(hub: HookHub) {
    this.hub = hub;
  }

  async offer(offer: HookOffer): Promise<() => void> {
    const offered = { peers: this, offer };
    this.hub.offers.add(offered);
    return () => void this.hub.offers.delete(offered);
  }
  async others(): Promise<readonly PeerHook[]> {
    const others = [...this.hub.offers].filter(({ peers }) => peers !== this);
    return others.map((offered) => ({
      name: offered.offer.name,
      description: offered.offer.description,
      ask: async (question, timeoutMs, signal) => {
        if (!this.hub.offers.has(offered)) throw hookIsGone(offered.offer.name);
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        offered.offer.answer(question, AbortSignal.timeout(Math.ceil(timeoutMs))).then(resolve, reject);
        return promise;
      },
    }));
  }
  async close(): Promise<void> {
    for (const offered of this.hub.offers) if (offered.peers === this) this.hub.offers.delete(offered);
  }
}
