import { type FieldViolation, MnemeError } from './errors.ts';
import type { Content, Micros } from './memory.ts';

/** Which session: its id alone distinguishes it within its namespace, however it is addressed. */
export interface SessionKey {
  readonly namespace: string;
  /** 1 to 128 bytes without control characters. */
  readonly session: string;
}

/**
 * The state of a session. `terminating` lies between the decision to end it and its end, where the episode and the
 * session are in different stores; callers see `terminated`.
 */
export type SessionState = 'active' | 'paused' | 'terminating' | 'terminated';

/** Properties of a session, without its contents. */
export interface SessionRecord {
  readonly namespace: string;
  readonly id: string;
  /** The owner of the session; fixed at creation. Empty parts are not specified. */
  readonly project: string;
  readonly agentType: string;
  readonly agent: string;
  readonly state: SessionState;
  /** While true, its contents cannot be changed. */
  readonly isFrozen: boolean;
  /** Grows with every transition, so that a caller that acts on an older state can be refused. */
  readonly generation: number;
  /** JSON object that the lifecycle keeps of the caller. */
  readonly metadata: string;
  /** JSON object that the lifecycle keeps for itself. */
  readonly lifecycle: string;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  /** When the session is erased; absent while that is not set. */
  readonly expiresAtUs?: Micros;
  /** True when the lifecycle made it; false when the first write did. */
  readonly isSpawned: boolean;
  /** Number of writes so far; each write has the next one. */
  readonly revision: number;
  /** Changes up to this revision are no longer kept. */
  readonly compactedRevision: number;
  /** Time to live of keys that are set without one, in microseconds; 0: they stay. */
  readonly defaultTtlUs: number;
  /** Time without a write after which the session ends if it is active, in microseconds; 0: it stays. */
  readonly idleTtlUs: number;
  /** Number of keys, including expired keys that are not yet deleted. */
  readonly keyCount: number;
  /** Bytes of keys and values. */
  readonly valueBytes: number;
  /** JSON of the `TaskState`; empty when there is none. */
  readonly task: string;
  readonly noteCount: number;
  readonly noteBytes: number;
  /** Sequence of the next note; sequences are never used again. */
  readonly nextNote: number;
  /** Notes that the scratchpad has had to drop. */
  readonly notesDropped: number;
  readonly checkpointCount: number;
  /** Compressed bytes of all checkpoints. */
  readonly checkpointBytes: number;
  /** The checkpoint that was made or restored last; empty when there is none. */
  readonly headCheckpoint: string;
}

/** A key of a session without its value. */
export interface EntryHead {
  readonly key: string;
  /** Revision of the session at which it was set. */
  readonly version: number;
  /** Revision at which these bytes were set: a restored value has a new version, and the bytes it had then. */
  readonly contentRevision: number;
  readonly bytes: number;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  readonly expiresAtUs?: Micros;
}

export interface Entry extends EntryHead {
  readonly content: Content;
}

export type TaskStatus = 'pending' | 'in_progress' | 'blocked' | 'completed' | 'failed' | 'cancelled';

export interface TaskFields {
  readonly taskId: string;
  readonly description: string;
  readonly status: TaskStatus;
  /** Details of the status, in the caller's words. */
  readonly detail: string;
  readonly currentStep: number;
  /** 0: not known. */
  readonly totalSteps: number;
  /** 0 to 100. */
  readonly progressPercent: number;
}

export interface TaskState extends TaskFields {
  readonly startedAtUs: Micros;
  readonly updatedAtUs: Micros;
  /** Revision of the session at which it was last changed. */
  readonly version: number;
}

/** One entry of the scratchpad. */
export interface Note {
  readonly sequence: number;
  readonly atUs: Micros;
  readonly content: Content;
}

export interface Checkpoint {
  readonly id: string;
  readonly description: string;
  /** Made by a caller, or by a transition of the lifecycle. */
  readonly kind: 'manual' | 'lifecycle';
  /** The checkpoint that the session was at before; empty for the first. */
  readonly parent: string;
  readonly createdAtUs: Micros;
  readonly expiresAtUs?: Micros;
  /** There until the pause that made it has ended: it does not expire before, and is kept for so long afterwards. */
  readonly hold?: CheckpointHold;
  /** Revision of the session that it shows. */
  readonly revision: number;
  /** Newest revision of the store of memories at that time. */
  readonly memoryRevision: number;
  readonly keyCount: number;
  readonly noteCount: number;
  readonly hasTask: boolean;
  /** Bytes of keys, values and notes. */
  readonly bytes: number;
  /** Compressed bytes that this checkpoint added to the store. */
  readonly storedBytes: number;
  /** SHA-256 of the manifest in hexadecimal. */
  readonly checksum: string;
  /** Packs that contain its values. */
  readonly packs: readonly number[];
}

export interface CheckpointHold {
  /** Absent: it is kept. */
  readonly ttlUs?: Micros;
}

/** A checkpoint once the pause that made it has ended. */
export function released({ hold, ...checkpoint }: Checkpoint, atUs: Micros): Checkpoint {
  return hold?.ttlUs === undefined ? checkpoint : { ...checkpoint, expiresAtUs: atUs + hold.ttlUs };
}

/** The contents of a session at one moment. */
export interface SessionSnapshot {
  readonly revision: number;
  readonly entries: readonly Entry[];
  readonly task?: TaskState;
  readonly notes: readonly Note[];
}

export type SessionChangeKind =
  | 'set'
  | 'deleted'
  | 'expired'
  | 'touched'
  | 'cleared'
  | 'restored'
  | 'task'
  | 'noted'
  | 'notes_cleared'
  | 'checkpoint_created'
  | 'checkpoint_deleted'
  | 'lifecycle';

/** One change made by a write. Changes of one write share its revision, and are distinguished by `part`. */
export interface SessionChange {
  readonly revision: number;
  readonly part: number;
  readonly kind: SessionChangeKind;
  /** The key, the id of the checkpoint, or empty. */
  readonly key: string;
  readonly atUs: Micros;
}

/** Limits of a session, the same on every backend. */
export interface SessionLimits {
  readonly keysMax: number;
  /** Bytes of keys and values. */
  readonly valueBytesMax: number;
  readonly notesMax: number;
  readonly noteBytesMax: number;
  readonly checkpointsMax: number;
  /** Compressed bytes of all checkpoints. */
  readonly checkpointBytesMax: number;
  /** Writes whose changes are kept. */
  readonly changesMax: number;
}

export function sessionName(namespace: string, session: string): string {
  return `namespaces/${namespace}/sessions/${session}`;
}

/** Time at which the session ends unless it is written to; `undefined` where it does not expire. */
export function idleAtUs({
  state,
  idleTtlUs,
  updatedAtUs,
}: Pick<SessionRecord, 'state' | 'idleTtlUs' | 'updatedAtUs'>): Micros | undefined {
  return state === 'active' && idleTtlUs > 0 ? updatedAtUs + idleTtlUs : undefined;
}

export function isExpired(entry: { readonly expiresAtUs?: Micros }, nowUs: Micros): boolean {
  return entry.expiresAtUs !== undefined && entry.expiresAtUs <= nowUs;
}

export type Transition = 'spawn' | 'pause' | 'resume' | 'terminate' | 'delete';

/** States from which a transition may start; a spawn makes the session, so it starts from none. */
const ALLOWED: Readonly<Record<Transition, readonly SessionState[]>> = {
  spawn: [],
  pause: ['active'],
  resume: ['paused'],
  terminate: ['active', 'paused'],
  // An active session is deleted only when the caller sets `force`.
  delete: ['active', 'paused', 'terminated'],
};

export function allows(state: SessionState, transition: Transition): boolean {
  return ALLOWED[transition].includes(state);
}

export function sessionNotFound(key: SessionKey): MnemeError {
  const name = sessionName(key.namespace, key.session);
  return new MnemeError('SESSION_NOT_FOUND', `${name} does not exist`, { metadata: { name } });
}

export function namespaceHoldsSessions(namespace: string): MnemeError {
  const name = `namespaces/${namespace}`;
  return new MnemeError('NAMESPACE_NOT_EMPTY', `${name} still holds sessions`, { metadata: { name, memories: '0' } });
}

export function sessionExists(key: SessionKey, state: SessionState): MnemeError {
  const name = sessionName(key.namespace, key.session);
  const shown = publicState(state);
  return new MnemeError('SESSION_EXISTS', `${name} already exists and is ${shown}`, {
    metadata: { name, state: shown },
  });
}

/** Fails with SESSION_STATE where the state does not allow the transition. */
export function checkTransition(name: string, state: SessionState, transition: Transition): void {
  if (allows(state, transition)) return;
  const shown = publicState(state);
  throw new MnemeError('SESSION_STATE', `${name} is ${shown}: ${transition} is not allowed`, {
    metadata: { name, state: shown, transition },
  });
}

/** Fails with SESSION_NOT_ACTIVE where the working memory of the session is read-only. */
export function mustBeWritable(
  name: string,
  { state, isFrozen }: { readonly state: SessionState; readonly isFrozen: boolean },
): void {
  if (state === 'active' || (state === 'paused' && !isFrozen)) return;
  const shown = publicState(state);
  throw new MnemeError('SESSION_NOT_ACTIVE', `${name} is ${shown}: its working memory is read-only`, {
    metadata: { name, state: shown },
  });
}

/** Fails with VERSION_MISMATCH when another transition was made since the expected generation. */
export function checkGeneration(name: string, expected: number | undefined, actual: number): void {
  if (expected === undefined || expected === actual) return;
  throw new MnemeError(
    'VERSION_MISMATCH',
    `${name} has version ${actual}, not ${expected}: read it again, then decide`,
    { metadata: { name, expected: String(expected), actual: String(actual) } },
  );
}

/** The status for callers: `terminating` is reported as `terminated`. */
export function publicState(state: SessionState): 'active' | 'paused' | 'terminated' {
  return state === 'terminating' ? 'terminated' : state;
}

export const PROGRESS_MAX_PERCENT = 100;

/** A task with the fields of a patch; progress is brought within 0 and 100. */
export function patchedTask(task: TaskFields, patch: Partial<TaskFields>): TaskFields {
  const merged = { ...task, ...patch };
  const { taskId, description, status, detail, currentStep, totalSteps } = merged;
  const progressPercent = Math.min(PROGRESS_MAX_PERCENT, Math.max(0, merged.progressPercent));
  return { taskId, description, status, detail, currentStep, totalSteps, progressPercent };
}

/**
 * The contradiction in a task, or `undefined`. Fields are named as in a request for `patch` where one is at fault;
 * otherwise the violation names the whole task.
 */
export function contradictionOf(
  { currentStep, totalSteps, progressPercent }: TaskFields,
  patch?: Partial<TaskFields>,
): FieldViolation | undefined {
  const within = patch ? '' : 'task.';
  if (!Number.isFinite(progressPercent)) {
    return { field: `${within}progress_percent`, description: `must be a finite number, got ${progressPercent}` };
  }
  if (totalSteps === 0 || currentStep <= totalSteps) return undefined;
  return patch && patch.currentStep === undefined
    ? { field: 'total_steps', description: `must be at least current_step (${currentStep}), got ${totalSteps}` }
    : {
        field: `${within}current_step`,
        description: `must be at most total_steps (${totalSteps}), got ${currentStep}`,
      };
}
