import type { Call } from '../../../memory/call.ts';
import { MnemeError } from '../../../memory/errors.ts';
import { type LivingSession, lifeAfter, NEW_LIFE, type Notes, withNotes } from '../../../memory/lifecycle.ts';
import type { Micros } from '../../../memory/memory.ts';
import { WHOLE_NAMESPACE } from '../../../memory/scope.ts';
import { idleAtUs, type SessionState, sessionName } from '../../../memory/session.ts';
import { checkGeneration, checkTransition, type Transition } from '../../../memory/session-state.ts';
import type { SessionOp, SessionOutcome } from '../../../storage/session-store.ts';
import { onceFor } from '../../memories/operation-deps.ts';
import type { HookReport } from './hooks.ts';
import type { LifecycleDeps, TransitionRequest } from './lifecycle-deps.ts';
import { livingSession, readSession } from './living-session.ts';
import type { Standing, Step, Stepped } from './step.ts';
import { askBefore, checkNotes, eventOf } from './tell-transition.ts';

/** A session that others keep writing to is tried so often before the caller is told to try again. */
const TRIES_MAX = 8;

/**
 * Takes a session through a transition: asks the hooks before it, writes the step that `decide` gives, and asks the hooks
 * after it. Of transitions at the same time one is taken and the others are decided on again, which refuses them.
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

/** Tells of a transition that is durable: wakes who follows events and asks the hooks after it. */
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
  // A clock that went back must not make a session older than its last transition.
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
    ...(step.ifRevision === undefined ? {} : { ifRevision: step.ifRevision }),
    to: step.to,
    isFrozen: step.isFrozen,
    metadata: JSON.stringify(notes),
    lifecycle: JSON.stringify(step.intent ? { ...session.life, intent: step.intent } : life),
    ...(step.expiresAtUs === undefined ? {} : { expiresAtUs: step.expiresAtUs }),
    ...(step.erases ? { erases: true } : {}),
    ...(step.isBegun ? {} : { event: event() }),
    answer: JSON.stringify({ ...step.answer, hookReports, durationMs }),
    ...(step.episode ? { episode: step.episode } : {}),
  };
  return deps.sessions.write({
    namespace: session.namespace,
    session: session.id,
    ...(step.create ? { create: step.create } : {}),
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
