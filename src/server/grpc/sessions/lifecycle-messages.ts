import {
  type GetSessionRequest,
  type HookReport as HookReportMessage,
  HookResult,
  type LifecycleEvent as LifecycleEventMessage,
  LifecyclePhase,
  LifecycleTransition,
  ListSessionsRequest,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import {
  type Session as SessionMessage,
  SessionOutcome,
  SessionState as SessionStateCode,
} from '../../../../gen/ts/mneme/v1/session.ts';
import {
  activeUs,
  type LifecycleEvent,
  type LivingSession,
  type Outcome,
  type Phase,
} from '../../../memory/lifecycle.ts';
import type { Micros, Scope } from '../../../memory/memory.ts';
import {
  publicState,
  type SessionKey,
  type SessionState,
  sessionName,
  type Transition,
} from '../../../memory/session.ts';
import type { HookReport } from '../../operations/sessions/lifecycle/hooks.ts';
import type { SessionListing } from '../../operations/sessions/lifecycle/list-sessions.ts';
import { type PageQuery, pageQuery, positionIn } from '../edge/page-token.ts';
import { memoryName, optionalTimestamp, RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { sessionIn } from './working-memory-messages.ts';

const STATES: Readonly<Record<number, SessionState>> = {
  [SessionStateCode.SESSION_STATE_ACTIVE]: 'active',
  [SessionStateCode.SESSION_STATE_PAUSED]: 'paused',
  [SessionStateCode.SESSION_STATE_TERMINATED]: 'terminated',
};
export const OUTCOMES: Readonly<Record<number, Outcome>> = {
  [SessionOutcome.SESSION_OUTCOME_UNSPECIFIED]: 'success',
  [SessionOutcome.SESSION_OUTCOME_SUCCESS]: 'success',
  [SessionOutcome.SESSION_OUTCOME_FAILURE]: 'failure',
  [SessionOutcome.SESSION_OUTCOME_PARTIAL]: 'partial',
};
export const TRANSITIONS: Readonly<Record<number, Transition>> = {
  [LifecycleTransition.LIFECYCLE_TRANSITION_SPAWN]: 'spawn',
  [LifecycleTransition.LIFECYCLE_TRANSITION_PAUSE]: 'pause',
  [LifecycleTransition.LIFECYCLE_TRANSITION_RESUME]: 'resume',
  [LifecycleTransition.LIFECYCLE_TRANSITION_TERMINATE]: 'terminate',
  [LifecycleTransition.LIFECYCLE_TRANSITION_DELETE]: 'delete',
};
export const HOOK_PHASES: Readonly<Record<number, 'before' | 'after'>> = {
  [LifecyclePhase.LIFECYCLE_PHASE_BEFORE]: 'before',
  [LifecyclePhase.LIFECYCLE_PHASE_AFTER]: 'after',
};

const STATE_CODES = {
  active: SessionStateCode.SESSION_STATE_ACTIVE,
  paused: SessionStateCode.SESSION_STATE_PAUSED,
  terminated: SessionStateCode.SESSION_STATE_TERMINATED,
} as const;
const OUTCOME_CODES: Readonly<Record<Outcome, SessionOutcome>> = {
  success: SessionOutcome.SESSION_OUTCOME_SUCCESS,
  failure: SessionOutcome.SESSION_OUTCOME_FAILURE,
  partial: SessionOutcome.SESSION_OUTCOME_PARTIAL,
  expired: SessionOutcome.SESSION_OUTCOME_EXPIRED,
};
const TRANSITION_CODES: Readonly<Record<Transition, LifecycleTransition>> = {
  spawn: LifecycleTransition.LIFECYCLE_TRANSITION_SPAWN,
  pause: LifecycleTransition.LIFECYCLE_TRANSITION_PAUSE,
  resume: LifecycleTransition.LIFECYCLE_TRANSITION_RESUME,
  terminate: LifecycleTransition.LIFECYCLE_TRANSITION_TERMINATE,
  delete: LifecycleTransition.LIFECYCLE_TRANSITION_DELETE,
};
const PHASE_CODES: Readonly<Record<Phase, LifecyclePhase>> = {
  before: LifecyclePhase.LIFECYCLE_PHASE_BEFORE,
  after: LifecyclePhase.LIFECYCLE_PHASE_AFTER,
  refused: LifecyclePhase.LIFECYCLE_PHASE_REFUSED,
};
const RESULT_CODES: Readonly<Record<HookReport['result'], HookResult>> = {
  ok: HookResult.HOOK_RESULT_OK,
  vetoed: HookResult.HOOK_RESULT_VETOED,
  failed: HookResult.HOOK_RESULT_FAILED,
  timed_out: HookResult.HOOK_RESULT_TIMED_OUT,
};

export function sessionMessage(session: LivingSession, nowUs: Micros): SessionMessage {
  const { namespace, id, scope, life } = session;
  return {
    name: sessionName(namespace, id),
    scope: { namespace, ...scope },
    state: STATE_CODES[publicState(session.state)],
    version: BigInt(session.generation),
    metadata: { ...session.metadata },
    createTime: timestampOf(session.createdAtUs),
    updateTime: timestampOf(session.updatedAtUs),
    activeDuration: durationMessage(activeUs(life, nowUs)),
    frozen: session.isFrozen && session.state === 'paused',
    checkpointId: life.checkpointId,
    outcome: life.outcome ? OUTCOME_CODES[life.outcome] : SessionOutcome.SESSION_OUTCOME_UNSPECIFIED,
    episode: life.episodeId === '' ? '' : memoryName(namespace, life.episodeId),
    expireTime: optionalTimestamp(session.expiresAtUs),
    agentSnapshotId: life.agentSnapshotId,
    defaultTtl: session.defaultTtlUs > 0 ? durationMessage(session.defaultTtlUs) : undefined,
    idleTtl: session.idleTtlUs > 0 ? durationMessage(session.idleTtlUs) : undefined,
    idleExpireTime: optionalTimestamp(session.idleAtUs),
  };
}

export function eventMessage(event: LifecycleEvent): LifecycleEventMessage {
  const { id, transition, phase, session, atUs, metadata, checkpointId, episodeId, refusal, durationMs } = event;
  return {
    id,
    transition: TRANSITION_CODES[transition],
    phase: PHASE_CODES[phase],
    session: sessionMessage(session, atUs),
    time: timestampOf(atUs),
    metadata: { ...metadata },
    checkpointId,
    episode: episodeId === '' ? '' : memoryName(session.namespace, episodeId),
    refusal,
    duration: millisecondsMessage(durationMs),
  };
}

export function hookReportMessage({ hook, phase, result, reason, durationMs }: HookReport): HookReportMessage {
  const duration = millisecondsMessage(durationMs);
  return { hook, phase: PHASE_CODES[phase], result: RESULT_CODES[result], reason, duration };
}

export function millisecondsMessage(ms: number) {
  return durationMessage(Math.round(ms * 1000));
}

function durationMessage(us: Micros) {
  const seconds = Math.floor(us / 1_000_000);
  return { seconds: BigInt(seconds), nanos: (us - seconds * 1_000_000) * 1000 };
}

const PAGE_SIZE_DEFAULT = 100;

export interface SessionPageLimits {
  readonly maxPageSize: number;
}

export function getSessionRequestOf(message: GetSessionRequest): SessionKey & { scope?: Scope } {
  const checks = new RequestChecks();
  const key = sessionIn(checks, 'session', message.session);
  const scope = message.scope && scopeOf(checks, 'scope', message.scope);
  checks.finish();
  return { ...key, scope };
}

export function listSessionsRequestOf(
  message: ListSessionsRequest,
  { maxPageSize }: SessionPageLimits,
): { request: SessionListing; query: PageQuery } {
  const checks = new RequestChecks();
  const query = pageQuery('ListSessions', ListSessionsRequest, { ...message, pageSize: 0, pageToken: '' });
  const states = message.states.flatMap((state, at): SessionState[] => {
    const requested = checks.choice(`states[${at}]`, state, STATES);
    return requested === 'terminated' ? ['terminating', 'terminated'] : [requested];
  });
  const request = {
    namespace: checks.namespace('parent', message.parent),
    scope: message.scope && scopeOf(checks, 'scope', message.scope),
    states,
    limit: checks.pageSize(message.pageSize, PAGE_SIZE_DEFAULT, maxPageSize),
  };
  checks.finish();
  const afterId = positionIn<string>(query, message.pageToken);
  return { request: { ...request, afterId }, query };
}
