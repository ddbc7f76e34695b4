import type { Idempotency } from '../../memory/call.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { RedisCommand } from './command-batch.ts';

/** What is kept for a request id. */
export interface Kept {
  readonly fingerprint: string;
  readonly outcome: unknown;
  readonly expiresAtUs: Micros;
}

/** Fails with REQUEST_ID_REUSED. */
export function keptOutcome(
  kept: Kept | undefined,
  { requestId, fingerprint }: Idempotency,
  nowUs: Micros,
): { outcome: unknown } | undefined {
  if (!kept || kept.expiresAtUs <= nowUs) return undefined;
  if (kept.fingerprint === fingerprint) return { outcome: kept.outcome };
  throw new MnemeError('REQUEST_ID_REUSED', `request_id "${requestId}" was used for another request`, {
    metadata: { request_id: requestId },
  });
}

/** The command that keeps it. */
export function keepingOf(room: string, requestId: string, kept: Kept, retentionUs: Micros): RedisCommand {
  const ms = Math.max(1, Math.ceil(retentionUs / 1000));
  return ['SET', `${room}:r:${requestId}`, JSON.stringify(kept), 'PX', `${ms}`];
}
