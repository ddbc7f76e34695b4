import { MnemeError } from '../memory/errors.ts';
import { etagOf, type Memory } from '../memory/memory.ts';

export function etagMismatch(memory: Memory, expected: string): MnemeError {
  const name = `namespaces/${memory.namespace}/memories/${memory.id}`;
  const actual = etagOf(memory.revision);
  return new MnemeError('ETAG_MISMATCH', `${name} has etag ${actual}, not ${expected}`, {
    metadata: { name, expected, actual },
  });
}
