import { hash } from 'node:crypto';
import type { Call } from '../../memory/call.ts';
import { isLimitedToScopes } from './visibility.ts';

/**
 * The call with a request id of its identity where that is limited to scopes: the same request of another identity is
 * refused with REQUEST_ID_REUSED, since the answer that is kept for it may have what the caller may not see.
 */
export function asOwnRequest(namespace: string, call: Call): Call {
  const { idempotency, principal } = call;
  if (!idempotency || !isLimitedToScopes(namespace)) return call;
  const fingerprint = hash('sha256', `${idempotency.fingerprint}\n${principal.identity}`, 'hex');
  return { ...call, idempotency: { ...idempotency, fingerprint } };
}
