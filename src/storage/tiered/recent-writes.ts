import type { Idempotency } from '../../memory/call.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { WriteOutcome } from '../memory-store.ts';

const KEPT_MAX = 10_000;

interface Write {
  readonly namespace: string;
  readonly idempotency?: Idempotency;
}

/** Outcomes of the latest writes by their request ids, for when the store that keeps them does not answer. */
export class RecentWrites {
  private readonly kept = new Map<string, { readonly fingerprint: string; readonly outcome: WriteOutcome }>();

  note({ namespace, idempotency }: Write, outcome: WriteOutcome): void {
    if (!idempotency) return;
    const key = `${namespace}/${idempotency.requestId}`;
    this.kept.delete(key);
    this.kept.set(key, { fingerprint: idempotency.fingerprint, outcome });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT_MAX) break;
      this.kept.delete(oldest);
    }
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
