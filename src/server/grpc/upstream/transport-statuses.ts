import {
  status as Code,
  type ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type StatusObject,
} from '@grpc/grpc-js';
import { type ErrorReason, MnemeError } from '../../../memory/errors.ts';
import { failureOf } from '../edge/status.ts';

type PartialStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

const DETAILS = 'grpc-status-details-bin';

/**
 * Adds error details to the statuses that grpc-js sends itself (for a message over the limit or incomplete, a
 * deadline), as for every other error. It sends them on its innermost call, under the interceptors, so the call is
 * changed in place; `test/server/grpc/upstream/upstream.test.ts` fails when a release sends them another way.
 */
export function transportStatuses(maxRequestBytes: number): ServerInterceptor {
  function sendStatus(this: ServerInterceptingCallInterface, status: PartialStatus): void {
    const innermost = Object.getPrototypeOf(this) as ServerInterceptingCallInterface;
    innermost.sendStatus.call(this, explained(status, maxRequestBytes));
  }
  return (_method, call) => {
    call.sendStatus = sendStatus;
    return call as ServerInterceptingCall;
  };
}

function explained(status: PartialStatus, maxRequestBytes: number): PartialStatus {
  if (status.code === Code.OK || (status.metadata?.get(DETAILS).length ?? 0) > 0) return status;
  const [reason, message] = reasonOf(status);
  const metadata: Record<string, string> =
    reason === 'MESSAGE_TOO_LARGE' ? { limit_bytes: String(maxRequestBytes) } : {};
  const failure = failureOf(new MnemeError(reason, message, { metadata }), '');
  // The gRPC specification prescribes a status for an unknown encoding.
  return status.code === Code.UNIMPLEMENTED && /encoding/.test(status.details)
    ? { ...failure, code: status.code }
    : failure;
}

function reasonOf({ code, details }: Pick<StatusObject, 'code' | 'details'>): [ErrorReason, string] {
  if (code === Code.RESOURCE_EXHAUSTED) return ['MESSAGE_TOO_LARGE', details];
  if (code === Code.DEADLINE_EXCEEDED) return ['DEADLINE_EXCEEDED', details];
  if (code === Code.CANCELLED) return ['CANCELLED', details];
  return ['MESSAGE_MALFORMED', details];
}
