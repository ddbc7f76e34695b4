import type { Idempotency } from '../../memory/call.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { WriteOutcome } from '../memory-store.ts';

/** Receipts of all outcomes together: some 10 MB. */
const RECEIPTS_MAX = 50_000;

interface Write {
  readonly namespace: string;
  readonly idempotency?: Idempotency;
}

/** Outcomes of the latest writes by their request ids, for when the store that keeps them does not answer. */
export class RecentWrites {
  private readonly kept = new Map<string, { readonly fingerprint: string; readonly outcome: WriteOutcome }>();

  private receiptCount = 0;

  note({ namespace, idempotency }: Write, outcome: WriteOutcome): void {
    if (!idempotency) return;
    const key = `${namespace}/${idempotency.requestId}`;
    this.forget(key);
    this.kept.set(key, { fingerprint: idempotency.fingerprint, outcome });
    this.receiptCount += outcome.memories.length;
    for (const oldest of this.kept.keys()) {
      if (this.receiptCount <= RECEIPTS_MAX) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.receiptCount -= this.kept.get(key)?.outcome.memories.length ?? 0;
    this.kept.delete(key);
  }

  /** Fails with REQUEST_ID_REUSED. */
  outcomeOf({ namespace, idempotency }: Write): WriteOutcome | undefined {
    if (!idempotency) return undefined;
    const { requestId, fingerprint } = idempotency;
    const kept = this.kept.get(`${namespace}/${requestId}`);
    if (!kept || kept.fingerprint === fingerprint) return kept?.outcome;
    throw new MnemeError('REQUEST_ID_REUSED', `request_id "${requestId}" was used for another request`, {
      metadata: { request_id: requestId },
    });
  }
}
