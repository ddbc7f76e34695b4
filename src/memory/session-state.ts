import { MnemeError } from './errors.ts';
import { type SessionKey, type SessionState, sessionName } from './session.ts';

export type Transition = 'spawn' | 'pause' | 'resume' | 'terminate' | 'delete';

/** States from which a transition may start; a spawn makes the session, so it starts from none. */
const ALLOWED: Readonly<Record<Transition, readonly SessionState[]>> = {
  spawn: [],
  pause: ['active'],
  resume: ['paused'],
  terminate: ['active', 'paused'],
  // One that is active only where the caller insists.
  delete: ['active', 'paused', 'terminated'],
};

export function allows(state: SessionState, transition: Transition): boolean {
  return ALLOWED[transition].includes(state);
}

export function sessionNotFound(key: SessionKey): MnemeError {
  const name = sessionName(key.namespace, key.session);
  return new MnemeError('SESSION_NOT_FOUND', `${name} does not exist`, { metadata: { name } });
}

export function sessionExists(key: SessionKey, state: SessionState): MnemeError {
  const name = sessionName(key.namespace, key.session);
  const told = toldState(state);
  return new MnemeError('SESSION_EXISTS', `${name} is there already, ${told}`, { metadata: { name, state: told } });
}

/** Fails with SESSION_STATE where the state does not allow the transition. */
export function checkTransition(name: string, state: SessionState, transition: Transition): void {
  if (allows(state, transition)) return;
  const told = toldState(state);
  throw new MnemeError('SESSION_STATE', `${name} is ${told}: ${transition} is not allowed`, {
    metadata: { name, state: told, transition },
  });
}

/** Fails with SESSION_NOT_ACTIVE where the working memory of the session takes no writes. */
export function mustBeWritable(
  name: string,
  { state, isFrozen }: { readonly state: SessionState; readonly isFrozen: boolean },
): void {
  if (state === 'active' || (state === 'paused' && !isFrozen)) return;
  const told = toldState(state);
  throw new MnemeError('SESSION_NOT_ACTIVE', `${name} is ${told}: its working memory takes no writes`, {
    metadata: { name, state: told },
  });
}

/** Fails with VERSION_MISMATCH when another transition came before the one expected. */
export function checkGeneration(name: string, expected: number | undefined, actual: number): void {
  if (expected === undefined || expected === actual) return;
  throw new MnemeError(
    'VERSION_MISMATCH',
    `${name} has version ${actual}, not ${expected}: read it again, then decide`,
    { metadata: { name, expected: String(expected), actual: String(actual) } },
  );
}

/** What callers are told: they see a session that is ending as one that has ended. */
export function toldState(state: SessionState): 'active' | 'paused' | 'terminated' {
  return state === 'terminating' ? 'terminated' : state;
}
