import type { Call } from '../../../../memory/call.ts';
import { derivedId } from '../../../../memory/derived-id.ts';
import { invalidFields, MnemeError } from '../../../../memory/errors.ts';
import {
  type Life,
  type LifecycleEvent,
  type LivingSession,
  lifeAfter,
  NEW_LIFE,
  type Notes,
  withNotes,
} from '../../../../memory/lifecycle.ts';
import type { Micros } from '../../../../memory/memory.ts';
import { WHOLE_NAMESPACE } from '../../../../memory/scope.ts';
import {
  checkGeneration,
  checkTransition,
  idleAtUs,
  type SessionRecord,
  type SessionState,
  sessionName,
  type Transition,
} from '../../../../memory/session.ts';
import type { StoreWrite } from '../../../../storage/records.ts';
import type { OpResult, SessionOp, SessionOutcome, SessionWrite } from '../../../../storage/session-store.ts';
import { onceFor } from '../../memories/operation-deps.ts';
import type { HookReport } from './hooks.ts';
import { type LifecycleDeps, livingSession, readSession, type TransitionRequest } from './lifecycle-deps.ts';

/** A session that others keep writing to is tried so often before the caller is asked to try again. */
const TRIES_MAX = 8;

/**
 * Performs a session transition: calls the hooks before it, writes the step that `decide` returns, and calls the hooks
 * after it. Of concurrent transitions one succeeds; the others are decided again, which refuses them.
 */
export async function transitionSession(
  deps: LifecycleDeps,
  transition: Transition,
  request: TransitionRequest,
  call: Call,
  decide: (standing: Standing) => Step | Promise<Step>,
): Promise<Stepped> {
  const startedAtMs = performance.now();
  const done = call.idempotency && (await deps.sessions.outcomeOf(request, call.idempotency));
  if (done) return steppedOf(done, [], false);
  let before: { reports: readonly HookReport[]; notes: Notes } | undefined;
  for (let tries = 1; ; tries++) {
    const nowUs = deps.clock.nowUs();
    const { session, record } = await standingOf(deps, transition, request, nowUs);
    before ??= await askBefore(deps, transition, session, request.metadata, call, startedAtMs);
    const metadata = { ...request.metadata, ...before.notes };
    const standing = { session, record, metadata, hookReports: before.reports, nowUs, startedAtMs };
    const step = await decide(standing);
    try {
      const outcome = await writeStep(deps, transition, standing, step, call);
      if (step.isBegun) return steppedOf(outcome, before.reports, true);
      return await finished(deps, transition, outcome, metadata, call.signal);
    } catch (error) {
      const isOvertaken = error instanceof MnemeError && error.reason === 'VERSION_MISMATCH';
      if (!isOvertaken || tries >= TRIES_MAX) throw error;
    }
  }
}

/** Announces a durable transition: wakes followers of events and calls the hooks after it. */
export async function finished(
  deps: LifecycleDeps,
  transition: Transition,
  outcome: SessionOutcome,
  metadata: Notes,
  signal: AbortSignal,
): Promise<Stepped> {
  const stepped = steppedOf(outcome, [], true);
  const session = livingSession(stepped.record);
  deps.events.announce(session.namespace);
  const event = eventOf(deps, transition, 'after', session, metadata, stepped);
  const after = await deps.hooks.ask('after', event, signal);
  return { ...stepped, hookReports: [...stepped.hookReports, ...after.reports] };
}

async function standingOf(deps: LifecycleDeps, transition: Transition, request: TransitionRequest, nowUs: Micros) {
  if (transition === 'spawn') return { session: unborn(request, nowUs), record: undefined };
  const found = await readSession(deps.sessions, request, nowUs);
  const name = sessionName(request.namespace, request.session);
  checkTransition(name, found.session.state, transition);
  checkGeneration(name, request.expectedGeneration, found.session.generation);
  return found;
}

function unborn({ namespace, session, scope = WHOLE_NAMESPACE }: TransitionRequest, nowUs: Micros): LivingSession {
  return {
    namespace,
    id: session,
    scope: { ...scope, session },
    state: 'active',
    isFrozen: false,
    generation: 0,
    metadata: {},
    createdAtUs: nowUs,
    updatedAtUs: nowUs,
    life: NEW_LIFE,
    defaultTtlUs: 0,
    idleTtlUs: 0,
  };
}

async function writeStep(
  deps: LifecycleDeps,
  transition: Transition,
  { session: before, metadata, hookReports, nowUs, startedAtMs }: Standing,
  step: Step,
  call: Call,
): Promise<SessionOutcome> {
  const { defaultTtlUs, idleTtlUs } = step.create ?? before;
  const session = { ...before, defaultTtlUs, idleTtlUs };
  // A clock that was set back must not make a session older than its last transition.
  const atUs = Math.max(nowUs, session.updatedAtUs);
  const notes = withNotes(session.metadata, metadata);
  checkNotes(notes);
  const life = lifeAfter(session.life, transition, atUs, step.life);
  const generation = session.generation + 1;
  const { idleAtUs: _, ...rest } = session;
  const after: LivingSession = {
    ...rest,
    ...idleOf(session, step.to, atUs),
    state: step.to,
    isFrozen: step.isFrozen,
    generation,
    metadata: notes,
    updatedAtUs: atUs,
    life,
    ...(step.expiresAtUs === undefined ? {} : { expiresAtUs: step.expiresAtUs }),
  };
  const durationMs = performance.now() - startedAtMs;
  const event = () => JSON.stringify(eventOf(deps, transition, 'after', after, metadata, { durationMs }));
  const op: SessionOp = {
    kind: 'transition',
    fromGeneration: session.generation,
    ifRevision: step.ifRevision,
    to: step.to,
    isFrozen: step.isFrozen,
    metadata: JSON.stringify(notes),
    lifecycle: JSON.stringify(step.intent ? { ...session.life, intent: step.intent } : life),
    expiresAtUs: step.expiresAtUs,
    ...(step.erases ? { erases: true } : {}),
    ...(step.isBegun ? {} : { event: event() }),
    answer: JSON.stringify({ ...step.answer, hookReports, durationMs }),
    episode: step.episode,
  };
  return deps.sessions.write({
    namespace: session.namespace,
    session: session.id,
    create: step.create,
    // Which of them it is is decided by the generation.
    states: ['active', 'paused', 'terminating', 'terminated'],
    ops: [...step.ops, op],
    limits: deps.sessionLimits,
    atUs,
    ...(step.isBegun ? {} : onceFor(call)),
  });
}

function idleOf(
  { idleTtlUs }: LivingSession,
  state: SessionState,
  updatedAtUs: Micros,
): { readonly idleAtUs?: Micros } {
  const atUs = idleAtUs({ state, idleTtlUs, updatedAtUs });
  return atUs === undefined ? {} : { idleAtUs: atUs };
}

/** The transition is the last operation of its write. */
function steppedOf(
  { record, results, revision }: SessionOutcome,
  reports: readonly HookReport[],
  isNew: boolean,
): Stepped {
  if (!record) throw new Error('a transition was written without its session');
  const answer = JSON.parse(results.at(-1)?.answer ?? '{}') as Record<string, unknown>;
  const kept = (answer.hookReports ?? []) as HookReport[];
  return {
    record,
    results: results.slice(0, -1),
    hookReports: kept.length > 0 ? kept : reports,
    revision,
    answer,
    isNew,
    durationMs: Number(answer.durationMs ?? 0),
  };
}

const NOTES_MAX = 64;
const NOTES_BYTES_MAX = 16_384;

export function eventOf(
  deps: LifecycleDeps,
  transition: Transition,
  phase: LifecycleEvent['phase'],
  session: LivingSession,
  metadata: Notes,
  { durationMs, refusal = '' }: { durationMs: number; refusal?: string },
): LifecycleEvent {
  const { checkpointId, episodeId } = session.life;
  const atUs = phase === 'after' ? session.updatedAtUs : deps.clock.nowUs();
  const id = phase === 'after' ? idAfter(transition, session) : deps.newId();
  return { id, transition, phase, session, atUs, metadata, checkpointId, episodeId, refusal, durationMs };
}

/** Hooks and followers of events get the same id, so that a client that is both recognizes duplicates. */
function idAfter(
  transition: Transition,
  { namespace, id, generation, createdAtUs, updatedAtUs }: LivingSession,
): string {
  return derivedId(
    `event\n${sessionName(namespace, id)}\n${createdAtUs}\n${generation}\n${transition}\n${updatedAtUs}`,
  );
}

/** Fails with HOOK_VETOED, which is an event too. */
async function askBefore(
  deps: LifecycleDeps,
  transition: Transition,
  session: LivingSession,
  metadata: Notes,
  call: Call,
  startedAtMs: number,
): Promise<{ reports: readonly HookReport[]; notes: Notes }> {
  const { reports, notes, veto } = await deps.hooks.ask(
    'before',
    eventOf(deps, transition, 'before', session, metadata, { durationMs: performance.now() - startedAtMs }),
    call.signal,
  );
  call.signal.throwIfAborted();
  if (!veto) return { reports, notes };
  const name = sessionName(session.namespace, session.id);
  const reason = `hook ${veto.hook} refused to ${transition} ${name}: ${veto.reason}`;
  const report = { durationMs: performance.now() - startedAtMs, refusal: reason };
  const event = eventOf(deps, transition, 'refused', session, metadata, report);
  await deps.events.append({ namespace: session.namespace, body: JSON.stringify(event), atUs: event.atUs });
  deps.events.announce(session.namespace);
  throw new MnemeError('HOOK_VETOED', reason, { metadata: { name, hook: veto.hook, transition } });
}

/** Limits of `Session.metadata`, which a hook can pass too. */
function checkNotes(notes: Notes): void {
  const count = Object.keys(notes).length;
  const bytes = Buffer.byteLength(JSON.stringify(notes));
  if (count <= NOTES_MAX && bytes <= NOTES_BYTES_MAX) return;
  const limit = `at most ${NOTES_MAX} entries and ${NOTES_BYTES_MAX} bytes together`;
  throw invalidFields([{ field: 'metadata', description: `must be ${limit}, got ${count} and ${bytes}` }]);
}

/** The effects of a transition on a session, in addition to its state. */
export interface Step {
  readonly to: SessionState;
  readonly isFrozen: boolean;
  /** Done before the state changes, in the same write. */
  readonly ops: readonly SessionOp[];
  readonly life?: Partial<Pick<Life, 'checkpointId' | 'agentSnapshotId' | 'outcome' | 'episodeId'>>;
  readonly expiresAtUs?: Micros;
  readonly erases?: boolean;
  readonly create?: SessionWrite['create'];
  readonly ifRevision?: number;
  readonly episode?: StoreWrite;
  /** Stored for the request id with the outcome of the write. */
  readonly answer?: object;
  /** Put into the session's own record until the next transition. */
  readonly intent?: object;
  /** The transition is only begun: its event and the record of its request come with the end of it. */
  readonly isBegun?: boolean;
}

/** Common part of all answers to transitions. */
export interface TransitionReport {
  readonly hookReports: readonly HookReport[];
  readonly revision: number;
  /** Duration until the transition was durable, including the hooks called before it. */
  readonly durationMs: number;
}

export interface Stepped extends TransitionReport {
  readonly record: SessionRecord;
  /** Of the step's operations. */
  readonly results: readonly OpResult[];
  readonly answer: Readonly<Record<string, unknown>>;
  /** False where an earlier call with the same request id has done it. */
  readonly isNew: boolean;
}

/** The input of a decision. */
export interface Standing {
  readonly session: LivingSession;
  readonly record: SessionRecord | undefined;
  readonly metadata: Notes;
  readonly hookReports: readonly HookReport[];
  readonly nowUs: Micros;
  /** When the call began, by the monotonic clock. */
  readonly startedAtMs: number;
}
