import { MnemeError } from './errors.ts';

/** Fails with VERSION_MISMATCH when a write expects another state than there is. */
export function checkRevision(name: string, expected: number | undefined, actual: number): void {
  if (expected === undefined || expected === actual) return;
  throw new MnemeError(
    'VERSION_MISMATCH',
    `${name} has version ${actual}, not ${expected}: read it again, then decide`,
    {
      metadata: { name, expected: String(expected), actual: String(actual) },
    },
  );
}
