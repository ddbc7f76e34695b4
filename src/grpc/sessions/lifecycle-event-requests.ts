import type {
  AcknowledgeLifecycleEventsRequest,
  RegisterHook,
  WatchLifecycleEventsRequest,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { FollowRequest } from '../../operations/sessions/lifecycle/follow-events.ts';
import { HOOK_TIMEOUT_MS } from '../../operations/sessions/lifecycle/hooks.ts';
import type { LifecycleHook } from '../../operations/sessions/lifecycle/lifecycle-hook.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { eventPlaceIn } from './event-token.ts';
import { HOOK_PHASES, TRANSITIONS } from './lifecycle-messages.ts';

const NAME = /^[A-Za-z0-9._~:-]{1,128}$/;
const NAME_SHAPE = '1 to 128 of [A-Za-z0-9._~:-]';
const HEARTBEAT_MS = 15_000;
const HEARTBEAT_MAX_MS = 300_000;
const HOOK_TIMEOUT_MAX_MS = 10_000;

export function followRequestOf(message: WatchLifecycleEventsRequest): FollowRequest {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  const { start, consumer, scope, heartbeatInterval } = message;
  const request = {
    namespace,
    ...(start?.$case === 'resumeToken'
      ? { start: { after: eventPlaceIn(checks, 'resume_token', namespace, start.value) } }
      : {}),
    ...(start?.$case === 'fromOldest' && start.value ? { start: 'oldest' as const } : {}),
    ...(consumer === '' ? {} : { consumer: checks.matching('consumer', consumer, NAME, NAME_SHAPE) }),
    ...(scope ? { scope: scopeOf(checks, 'scope', scope) } : {}),
    transitions: transitionsOf(checks, message.transitions),
    heartbeatMs: heartbeatInterval
      ? millisecondsOf(checks, 'heartbeat_interval', heartbeatInterval, 1000, HEARTBEAT_MAX_MS)
      : HEARTBEAT_MS,
  };
  checks.finish();
  return request;
}

export function acknowledgementOf(message: AcknowledgeLifecycleEventsRequest) {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  const request = {
    namespace,
    consumer: checks.matching('consumer', message.consumer, NAME, NAME_SHAPE),
    place: eventPlaceIn(checks, 'resume_token', namespace, message.resumeToken),
  };
  checks.finish();
  return request;
}

const PRIORITY_MAX = 1000;

/** A hook that the stream is to speak for. */
export function registrationOf(message: RegisterHook): Omit<LifecycleHook, 'handle'> & { readonly timeoutMs: number } {
  const checks = new RequestChecks();
  const { phases, timeout, scope, required, transitions, priority } = message;
  if (phases.length === 0) checks.add('registration.phases', 'must have at least one');
  const hook = {
    namespace: checks.namespace('registration.parent', message.parent),
    name: checks.matching('registration.hook', message.hook, NAME, NAME_SHAPE),
    phases: phases.map((phase, at) => checks.choice(`registration.phases[${at}]`, phase, HOOK_PHASES)),
    ...(transitions.length > 0 ? { transitions: transitionsOf(checks, transitions, 'registration.') } : {}),
    ...(scope ? { scope: scopeOf(checks, 'registration.scope', scope) } : {}),
    timeoutMs: timeout
      ? millisecondsOf(checks, 'registration.timeout', timeout, 1, HOOK_TIMEOUT_MAX_MS)
      : HOOK_TIMEOUT_MS,
    isRequired: required,
    priority: checks.within('registration.priority', priority, -PRIORITY_MAX, PRIORITY_MAX),
  };
  checks.finish();
  return hook;
}

function transitionsOf(checks: RequestChecks, codes: readonly number[], prefix = '') {
  return codes.map((code, at) => checks.choice(`${prefix}transitions[${at}]`, code, TRANSITIONS));
}

function millisecondsOf(
  checks: RequestChecks,
  field: string,
  { seconds, nanos }: { seconds: bigint; nanos: number },
  min: number,
  max: number,
): number {
  const ms = Number(seconds) * 1000 + nanos / 1_000_000;
  if (ms >= min && ms <= max) return ms;
  checks.add(field, `must be from ${min} to ${max} ms, got ${ms} ms`);
  return max;
}
