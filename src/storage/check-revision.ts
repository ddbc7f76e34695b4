import { MnemeError } from '../memory/errors.ts';
import { etagOf } from '../memory/memory.ts';

/** Fails with ETAG_MISMATCH when a write expects another state than there is. */
export function checkRevision(name: string, expected: number | undefined, actual: number): void {
  if (expected === undefined || expected === actual) return;
  throw new MnemeError('ETAG_MISMATCH', `${name} has changed: its etag is ${etagOf(actual)}, not ${etagOf(expected)}`, {
    metadata: { name, expected: etagOf(expected), actual: etagOf(actual) },
  });
}
