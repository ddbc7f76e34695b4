import type { Idempotency } from '../../memory/call.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';

interface Outcome {
  readonly fingerprint: string;
  readonly outcome: unknown;
  readonly expiresAtUs: Micros;
}

/** Outcomes of writes with a request id. */
export class Outcomes {
  private readonly retentionUs: Micros;
  private readonly outcomes = new Map<string, Outcome>();

  constructor(retentionUs: Micros) {
    this.retentionUs = retentionUs;
  }

  /** Fails with REQUEST_ID_REUSED. */
  find(namespace: string, { requestId, fingerprint }: Idempotency, nowUs: Micros): { outcome: unknown } | undefined {
    const kept = this.outcomes.get(`${namespace} ${requestId}`);
    if (!kept || kept.expiresAtUs <= nowUs) return undefined;
    if (kept.fingerprint === fingerprint) return kept;
    throw new MnemeError('REQUEST_ID_REUSED', `request_id "${requestId}" was used for another request`, {
      metadata: { request_id: requestId },
    });
  }

  keep(namespace: string, { requestId, fingerprint }: Idempotency, outcome: unknown, atUs: Micros): void {
    const kept = { fingerprint, outcome, expiresAtUs: atUs + this.retentionUs };
    this.outcomes.set(`${namespace} ${requestId}`, kept);
  }
}
