import { hash } from 'node:crypto';
import type { Idempotency } from '../../memory/call.ts';
import { invalidFields } from '../../memory/errors.ts';
import { type Codec, encode } from './codec.ts';

const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/**
 * What makes the request repeatable, if it carries a `request_id`. The fingerprint is of the request as this server
 * writes it, without the id: repetitions have it in common whatever order their fields came in.
 */
export function idempotencyOf<Q extends object>(path: string, codec: Codec<Q>, request: Q): Idempotency | undefined {
  const requestId = (request as { requestId?: string }).requestId;
  if (!requestId) return undefined;
  if (!REQUEST_ID.test(requestId)) {
    throw invalidFields([{ field: 'request_id', description: 'must be 1 to 128 printable ASCII characters' }]);
  }
  const body = encode(codec, { ...request, requestId: '' });
  return { requestId, fingerprint: hash('sha256', Buffer.concat([Buffer.from(path), body]), 'hex') };
}
