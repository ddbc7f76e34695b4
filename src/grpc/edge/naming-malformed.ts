import { MnemeError } from '../../memory/errors.ts';
import { loadDescriptors } from './load-descriptors.ts';

/**
 * An error of `decode` with the field at which the bytes cannot be read, where that can be told; any other error as it
 * is. `symbol` is the method that the bytes are the request of, `package.Service/Method`, or the name of the message.
 */
export async function namingMalformed(error: unknown, symbol: string, bytes: Uint8Array): Promise<unknown> {
  if (!(error instanceof MnemeError) || error.reason !== 'MESSAGE_MALFORMED') return error;
  const [descriptors, { malformedField }] = await Promise.all([loadDescriptors(), import('./malformed-field.ts')]);
  const type = descriptors.messageOf(symbol);
  const fault = type && malformedField(type, bytes);
  if (!fault) return error;
  const message = `${fault.field}: ${fault.description}`;
  return new MnemeError(error.reason, message, { violations: [fault], cause: error.cause });
}
