import type { Call } from '../../../../memory/call.ts';
import type { SessionKey, SessionLimits } from '../../../../memory/session.ts';
import type {
  OpResult,
  SessionDraft,
  SessionOp,
  SessionOutcome,
  SessionStore,
} from '../../../../storage/session-store.ts';
import { type MemoryDeps, onceFor } from '../../memories/operation-deps.ts';
import { isMakeable, makeNamespace } from '../../namespaces/namespaces.ts';

export interface Written {
  readonly revision: number;
  readonly results: readonly OpResult[];
  readonly result: OpResult;
}

const NOTHING: OpResult = { written: 0, removed: 0 };

/** Writes to a session that is there. Fails with SESSION_NOT_FOUND. */
export async function changeSession(
  deps: WorkingMemoryDeps,
  { namespace, session }: SessionKey,
  ops: readonly SessionOp[],
  call: Call,
): Promise<Written> {
  return written(await deps.sessions.write({ ...writeOf(deps, call), namespace, session, ops }));
}

/** Writes to a session, which is made when it is not there, and its namespace with it. */
export async function writeSession(
  deps: WorkingMemoryDeps,
  { namespace, session }: SessionKey,
  ops: readonly SessionOp[],
  call: Call,
  draft: Partial<SessionDraft> = {},
): Promise<Written> {
  const { defaultTtlUs, idleTtlUs } = deps;
  const create = { ...OF_NOBODY, defaultTtlUs, idleTtlUs, ...draft };
  const write = { ...writeOf(deps, call), namespace, session, ops, create };
  try {
    return written(await deps.sessions.write(write));
  } catch (error) {
    if (!isMakeable(deps, error)) throw error;
  }
  await makeNamespace(deps, namespace);
  return written(await deps.sessions.write(write));
}

const OF_NOBODY = { project: '', agentType: '', agent: '', mustBeNew: false, isSpawned: false } as const;

function writeOf({ sessionLimits, clock }: WorkingMemoryDeps, call: Call) {
  return { limits: sessionLimits, atUs: clock.nowUs(), ...onceFor(call) };
}

function written({ revision, results }: SessionOutcome): Written {
  return { revision, results, result: results[0] ?? NOTHING };
}

/** Dependencies of the operations on the working memory of sessions. */
export interface WorkingMemoryDeps extends Pick<MemoryDeps, 'store' | 'clock' | 'autoCreateNamespaces' | 'newId'> {
  readonly sessions: SessionStore;
  readonly sessionLimits: SessionLimits;
  /** Time to live of keys that are set without one, in sessions that a first write makes; 0: they stay. */
  readonly defaultTtlUs: number;
  /** Time without a write after which sessions end that ask for no other; 0: they stay. */
  readonly idleTtlUs: number;
}
