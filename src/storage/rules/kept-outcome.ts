import type { Idempotency } from '../../memory/call.ts';
import { requestIdReused } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';

/** The record of a request id. */
export interface Kept {
  readonly fingerprint: string;
  readonly outcome: unknown;
  readonly expiresAtUs: Micros;
}

/** The outcome of the first write with the request id, while it is kept. Fails with REQUEST_ID_REUSED. */
export function keptOutcome(
  kept: Kept | undefined,
  { requestId, fingerprint }: Idempotency,
  nowUs: Micros,
): { outcome: unknown } | undefined {
  if (!kept || kept.expiresAtUs <= nowUs) return undefined;
  if (kept.fingerprint === fingerprint) return { outcome: kept.outcome };
  throw requestIdReused(requestId);
}
