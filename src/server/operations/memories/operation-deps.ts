import type { Call, Idempotency } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import type { Embedder } from '../../../search/embedding/embedder.ts';
import type { Records } from '../../../storage/records.ts';
import type { View } from '../../../storage/view.ts';

/** Dependencies of the operations on memories. */
export interface MemoryDeps {
  readonly store: Records;
  readonly view: View;
  /** All memories, where `store` and `view` have only those that the caller sees. */
  readonly whole?: { readonly store: Records; readonly view: View };
  readonly embedder: Embedder;
  readonly clock: Clock;
  /** Creates a namespace with the first memory stored in it. */
  readonly autoCreateNamespaces: boolean;
  /** An id for a memory that no other has. */
  newId(): string;
  /** Called when texts wait to be embedded. */
  onEmbeddingPending(): void;
}

/** The idempotency record of a write, if the caller sent a request id. */
export function onceFor(call: Call): { readonly idempotency?: Idempotency } {
  return call.idempotency ? { idempotency: call.idempotency } : {};
}

/** The revision that a conditional write expects; none without a version. */
export function expectedRevision(ifVersion: number | undefined): { readonly expectedRevision?: number } {
  return ifVersion === undefined ? {} : { expectedRevision: ifVersion };
}
