import { MnemeError } from '../../../memory/errors.ts';
import { type Codec, decode, encode } from './codec.ts';
import type { Edge } from './edge.ts';
import { loadDescriptors } from './load-descriptors.ts';
import type { ServedCall } from './served-call.ts';

/** Decodes a message within the size limit; only an undecodable one is searched for the malformed field. */
export function receive<Q>(codec: Codec<Q>, bytes: Buffer, edge: Edge, served: ServedCall): Q | Promise<never> {
  served.received(bytes.length);
  checkSize('request', bytes, edge.limits.maxRequestBytes);
  try {
    return decode(codec, bytes);
  } catch (error) {
    return namingMalformed(error, served.method, bytes).then((named) => {
      throw named;
    });
  }
}

/** Encodes a message for sending and checks its size. A message for many receivers comes encoded. */
export function sendable<A>(codec: Codec<A>, answer: A | Buffer, edge: Edge, served: ServedCall): Buffer {
  const bytes = Buffer.isBuffer(answer) ? answer : encode(codec, answer);
  checkSize('answer', bytes, edge.limits.maxResponseBytes);
  served.sent(bytes.length);
  return bytes;
}

function checkSize(what: string, bytes: Buffer, limit: number): void {
  if (bytes.length <= limit) return;
  throw new MnemeError('MESSAGE_TOO_LARGE', `the ${what} has ${bytes.length} bytes; at most ${limit} are allowed`, {
    metadata: { limit_bytes: String(limit) },
  });
}

/**
 * An error of `decode` with the field at which the bytes cannot be read, where that is known; any other error as it
 * is. `method` is that which the bytes are the request of, `package.Service/Method`.
 */
async function namingMalformed(error: unknown, method: string, bytes: Uint8Array): Promise<unknown> {
  if (!(error instanceof MnemeError) || error.reason !== 'MESSAGE_MALFORMED') return error;
  const [descriptors, { malformedField }] = await Promise.all([loadDescriptors(), import('./malformed-field.ts')]);
  const type = descriptors.requestOf(method);
  const fault = type && malformedField(type, bytes);
  if (!fault) return error;
  const message = `${fault.field}: ${fault.description}`;
  return new MnemeError(error.reason, message, { violations: [fault], cause: error.cause });
}
