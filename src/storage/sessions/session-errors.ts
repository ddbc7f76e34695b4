import { MnemeError } from '../../memory/errors.ts';
import { type SessionKey, sessionName } from '../../memory/session.ts';

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

/** For a session that is missing where sessions were lost: nobody can tell whether it was one of them. */
export function sessionLost({ namespace, session }: SessionKey): MnemeError {
  const name = sessionName(namespace, session);
  const message = `Redis has lost sessions, and ${name} may be one of them: spawn it to begin anew`;
  return new MnemeError('SESSION_LOST', message, { metadata: { name, backend: 'redis' } });
}

export function checkpointNotFound(name: string, checkpoint: string): MnemeError {
  return new MnemeError('CHECKPOINT_NOT_FOUND', `${name} has no checkpoint ${checkpoint}, or it has expired`, {
    metadata: { name, checkpoint },
  });
}
