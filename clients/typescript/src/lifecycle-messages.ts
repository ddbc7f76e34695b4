import type { Duration } from '../../../gen/ts/google/protobuf/duration.ts';
import {
  type HookReport as HookReportMessage,
  HookResult,
  type LifecycleEvent as LifecycleEventMessage,
  LifecyclePhase,
  LifecycleTransition as TransitionCode,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import {
  SessionOutcome as OutcomeCode,
  type Session as SessionMessage,
  SessionState as StateCode,
} from '../../../gen/ts/mneme/v1/session.ts';
import { incompleteAnswer } from './bad-input.ts';
import type {
  HookReport,
  LifecycleEvent,
  LifecycleTransition,
  Session,
  SessionOutcome,
  SessionState,
} from './lifecycle-types.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { partsOfName } from './names.ts';
import { dateOf, PreciseDate } from './precise-date.ts';

export const TRANSITION_CODES: Readonly<Record<LifecycleTransition, TransitionCode>> = {
  spawn: TransitionCode.LIFECYCLE_TRANSITION_SPAWN,
  pause: TransitionCode.LIFECYCLE_TRANSITION_PAUSE,
  resume: TransitionCode.LIFECYCLE_TRANSITION_RESUME,
  terminate: TransitionCode.LIFECYCLE_TRANSITION_TERMINATE,
  delete: TransitionCode.LIFECYCLE_TRANSITION_DELETE,
};
export const STATE_CODES: Readonly<Record<SessionState, StateCode>> = {
  active: StateCode.SESSION_STATE_ACTIVE,
  paused: StateCode.SESSION_STATE_PAUSED,
  terminated: StateCode.SESSION_STATE_TERMINATED,
};
export const OUTCOME_CODES: Readonly<Record<SessionOutcome, OutcomeCode>> = {
  success: OutcomeCode.SESSION_OUTCOME_SUCCESS,
  failure: OutcomeCode.SESSION_OUTCOME_FAILURE,
  partial: OutcomeCode.SESSION_OUTCOME_PARTIAL,
  expired: OutcomeCode.SESSION_OUTCOME_EXPIRED,
};
export const PHASE_CODES = {
  before: LifecyclePhase.LIFECYCLE_PHASE_BEFORE,
  after: LifecyclePhase.LIFECYCLE_PHASE_AFTER,
  refused: LifecyclePhase.LIFECYCLE_PHASE_REFUSED,
} as const;
const RESULT_CODES = {
  ok: HookResult.HOOK_RESULT_OK,
  vetoed: HookResult.HOOK_RESULT_VETOED,
  failed: HookResult.HOOK_RESULT_FAILED,
  timed_out: HookResult.HOOK_RESULT_TIMED_OUT,
} as const;

export function sessionOf(message: SessionMessage | undefined): Session {
  if (message === undefined) throw incompleteAnswer('session');
  const { name, state, outcome, createTime, updateTime, expireTime, activeDuration, checkpointId, episode } = message;
  const { defaultTtl, idleTtl, idleExpireTime } = message;
  return {
    name,
    id: name.slice(name.indexOf('/sessions/') + '/sessions/'.length),
    scope: scopeOfMessage(message.scope),
    state: wordOf(STATE_CODES, state) ?? 'terminated',
    version: Number(message.version),
    metadata: message.metadata,
    createTime: timeOf(createTime),
    updateTime: timeOf(updateTime),
    activeDurationMs: millisecondsOf(activeDuration),
    frozen: message.frozen,
    ...(checkpointId && { checkpointId }),
    ...(message.agentSnapshotId && { agentSnapshotId: message.agentSnapshotId }),
    ...told('outcome', wordOf(OUTCOME_CODES, outcome)),
    ...(episode && { episodeId: partsOfName(episode).id }),
    ...(expireTime && { expireTime: dateOf(expireTime) }),
    ...(defaultTtl && { defaultTtlMs: millisecondsOf(defaultTtl) }),
    ...(idleTtl && { idleTtlMs: millisecondsOf(idleTtl) }),
    ...(idleExpireTime && { idleExpireTime: dateOf(idleExpireTime) }),
  };
}

/** Common part of all answers to transitions. */
export function toldOf({
  hookReports,
  duration,
}: {
  readonly hookReports: readonly HookReportMessage[];
  readonly duration: Duration | undefined;
}): { readonly hookReports: readonly HookReport[]; readonly durationMs: number } {
  return { hookReports: hookReports.map(hookReportOf), durationMs: millisecondsOf(duration) };
}

export function hookReportOf({ hook, phase, result, reason, duration }: HookReportMessage): HookReport {
  return {
    hook,
    phase: phase === PHASE_CODES.after ? 'after' : 'before',
    result: wordOf(RESULT_CODES, result) ?? 'failed',
    reason,
    durationMs: millisecondsOf(duration),
  };
}

export function eventOf(message: LifecycleEventMessage, resumeToken?: string): LifecycleEvent {
  const { id, transition, phase, session, time, metadata, checkpointId, episode, refusal } = message;
  return {
    id,
    transition: wordOf(TRANSITION_CODES, transition) ?? 'spawn',
    phase: wordOf(PHASE_CODES, phase) ?? 'after',
    session: sessionOf(session),
    time: timeOf(time),
    metadata,
    ...(checkpointId && { checkpointId }),
    ...(episode && { episodeId: partsOfName(episode).id }),
    ...(refusal && { refusal }),
    durationMs: millisecondsOf(message.duration),
    ...told('resumeToken', resumeToken),
  };
}

function wordOf<Word extends string, Code>(codes: Readonly<Record<Word, Code>>, wanted: Code): Word | undefined {
  const [word] = Object.entries(codes).find(([, code]) => code === wanted) ?? [];
  return word as Word | undefined;
}

function told<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}

function timeOf(timestamp: Parameters<typeof dateOf>[0] | undefined): Date {
  return timestamp === undefined ? new PreciseDate(0) : dateOf(timestamp);
}

function millisecondsOf(duration: Duration | undefined): number {
  return duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}
