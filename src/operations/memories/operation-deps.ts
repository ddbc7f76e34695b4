import type { Embedder } from '../../embedding/embedder.ts';
import type { Call, Idempotency } from '../../memory/call.ts';
import type { Clock } from '../../memory/clock.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';
import type { TierStore } from '../../storage/tier-store.ts';

/** What operations on memories work with. */
export interface MemoryDeps {
  readonly store: MemoryStore;
  readonly tiers: TierStore;
  readonly embedder: Embedder;
  readonly clock: Clock;
  /** Makes a namespace when something is first stored in it. */
  readonly autoCreateNamespaces: boolean;
  /** An id for a memory that no other has. */
  newId(): string;
  /** Tells that texts wait to be embedded. */
  onEmbeddingPending(): void;
}

/** What makes a write of the call repeatable, if the caller asked for it. */
export function onceFor(call: Call): { readonly idempotency?: Idempotency } {
  return call.idempotency ? { idempotency: call.idempotency } : {};
}

/** What a conditional write expects: the version that the caller gave; without one, nothing. */
export function expectedRevision(ifVersion: number | undefined): { readonly expectedRevision?: number } {
  return ifVersion === undefined ? {} : { expectedRevision: ifVersion };
}
