import { MnemeError } from '../../memory/errors.ts';

export function sessionFull(name: string, what: string, limit: number): MnemeError {
  return new MnemeError('SESSION_FULL', `${name} holds as much as it may: at most ${limit} ${what}`, {
    metadata: { name, what, limit: String(limit) },
  });
}

/** Fails with VERSION_MISMATCH when a write expects another version than there is; 0 stands for nothing. */
export function checkVersion(name: string, key: string, expected: number | undefined, actual: number): void {
  if (expected === undefined || expected === actual) return;
  const there = actual === 0 ? 'it is not there' : `its version is ${actual}`;
  throw new MnemeError('VERSION_MISMATCH', `${key} of ${name}: ${there}, not ${expected}`, {
    metadata: { name, key, expected: String(expected), actual: String(actual) },
  });
}

export function checkpointNotFound(name: string, checkpoint: string): MnemeError {
  return new MnemeError('CHECKPOINT_NOT_FOUND', `${name} has no checkpoint ${checkpoint}, or it has expired`, {
    metadata: { name, checkpoint },
  });
}
