import { hash } from 'node:crypto';
import type { Duration } from '../../../../gen/ts/google/protobuf/duration.ts';
import { RestoreMode } from '../../../../gen/ts/mneme/v1/checkpoint.ts';
import type {
  AcknowledgeLifecycleEventsRequest,
  DeleteSessionRequest as DeleteMessage,
  PauseSessionRequest as PauseMessage,
  RegisterHook,
  ResumeSessionRequest as ResumeMessage,
  SpawnSessionRequest as SpawnMessage,
  TerminateSessionRequest as TerminateMessage,
  WatchLifecycleEventsRequest,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import type { Micros } from '../../../memory/memory.ts';
import { globOf } from '../../../memory/pattern.ts';
import type { EventPlace, FollowRequest } from '../../operations/sessions/lifecycle/follow-events.ts';
import { HOOK_TIMEOUT_MS, type LifecycleHook } from '../../operations/sessions/lifecycle/hooks.ts';
import type { PauseRequest, ResumeRequest } from '../../operations/sessions/lifecycle/pause-session.ts';
import type { DeleteSessionRequest, SpawnRequest } from '../../operations/sessions/lifecycle/spawn-session.ts';
import type { TerminateRequest } from '../../operations/sessions/lifecycle/terminate-session.ts';
import { durationOf, instantOf, RequestChecks } from '../edge/request-checks.ts';
import { contentOf, scopeOf } from '../memories/memory-fields.ts';
import { HOOK_PHASES, OUTCOMES, TRANSITIONS } from './lifecycle-messages.ts';
import { CHECKPOINT_ID, CHECKPOINT_ID_SHAPE, keyIn, sessionId, sessionIn } from './working-memory-messages.ts';

const TTL_DAYS_MAX = 36_500;
const VALUES_MAX = 1000;
const DESCRIPTION_BYTES = 1024;
const TASK_BYTES = 4096;
const LESSONS_MAX = 32;
const LESSON_BYTES = 2048;
const ACTIONS_MAX = 200;
const ACTION_BYTES = 1024;
const PATTERNS_MAX = 64;
const PATTERN_BYTES = 1024;
const { namePartBytes } = MEMORY_LIMITS;

export function spawnRequestOf(message: SpawnMessage): SpawnRequest {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  const { sessionId: id, scope } = message;
  if (scope && scope.namespace !== '' && scope.namespace !== namespace) {
    checks.add('scope.namespace', `must be empty or ${JSON.stringify(namespace)}, that of parent`);
  }
  if (scope && scope.session !== '' && scope.session !== id) {
    checks.add('scope.session', 'must be empty or the same as session_id');
  }
  const request = {
    namespace,
    ...(id === '' ? {} : { session: sessionId(checks, 'session_id', id) }),
    scope: { ...scopeOf(checks, 'scope', scope), session: '' },
    values: initialValuesOf(checks, message),
    metadata: metadataOf(checks, message.metadata),
    ...spanOf(checks, message.defaultExpiry, 'default_ttl', 'defaultTtlUs'),
    ...spanOf(checks, message.idleExpiry, 'idle_ttl', 'idleTtlUs'),
  };
  checks.finish();
  return request;
}

type Span =
  | { readonly $case: 'defaultTtl' | 'idleTtl'; readonly value: Duration }
  | { readonly $case: 'noDefaultTtl' | 'noIdleTtl'; readonly value: boolean };

/** Microseconds of a time to live; 0 for none, an empty object where it is unset. */
function spanOf<K extends string>(
  checks: RequestChecks,
  span: Span | undefined,
  field: string,
  name: K,
): { readonly [P in K]?: Micros } {
  if (!span) return {};
  if (typeof span.value === 'boolean') {
    if (!span.value) checks.add(`no_${field}`, 'must be true, or left out');
    return { [name]: 0 } as { [P in K]: Micros };
  }
  return { [name]: durationOf(checks, field, span.value, TTL_DAYS_MAX) } as { [P in K]: Micros };
}

function initialValuesOf(checks: RequestChecks, { initialValues }: SpawnMessage): SpawnRequest['values'] {
  if (initialValues.length > VALUES_MAX) {
    checks.add('initial_values', `must be at most ${VALUES_MAX}, got ${initialValues.length}`);
  }
  const keys = new Set<string>();
  return initialValues.slice(0, VALUES_MAX).map(({ key, value, ttl, noExpiry }, at) => {
    const field = `initial_values[${at}]`;
    if (keys.has(key)) checks.add(`${field}.key`, 'must occur once');
    keys.add(key);
    if (ttl && noExpiry) checks.add(`${field}.ttl`, 'must be absent with no_expiry');
    if (!value) checks.add(`${field}.value`, 'is required; JSON null is a value');
    return {
      key: keyIn(checks, `${field}.key`, key),
      content: value ? contentOf(checks, `${field}.value`, value) : { mediaType: '', data: new Uint8Array() },
      ...(ttl ? { expiresIn: durationOf(checks, `${field}.ttl`, ttl, TTL_DAYS_MAX) } : {}),
      ...(noExpiry ? { expiresIn: 'never' as const } : {}),
    };
  });
}

export function pauseRequestOf(message: PauseMessage): PauseRequest {
  const checks = new RequestChecks();
  const { checkpointId, checkpointTtl, pin } = message;
  if (pin && checkpointTtl) checks.add('checkpoint_ttl', 'must be absent with pin');
  const request = {
    ...transitionOf(checks, message),
    ...checkpointIdOf(checks, checkpointId),
    description: checks.text('description', message.description, DESCRIPTION_BYTES),
    checkpointTtlUs: checkpointTtl && durationOf(checks, 'checkpoint_ttl', checkpointTtl, TTL_DAYS_MAX),
    isPinned: pin,
    allowsWrites: message.allowWrites,
    includesMemories: message.includeMemories,
  };
  checks.finish();
  return request;
}

const MODES: Readonly<Record<number, ResumeRequest['mode']>> = {
  [RestoreMode.RESTORE_MODE_UNSPECIFIED]: 'replace',
  [RestoreMode.RESTORE_MODE_REPLACE]: 'replace',
  [RestoreMode.RESTORE_MODE_MERGE]: 'merge',
};

export function resumeRequestOf(message: ResumeMessage): ResumeRequest {
  const checks = new RequestChecks();
  const request = {
    ...transitionOf(checks, message),
    ...checkpointIdOf(checks, message.checkpointId),
    mode: checks.choice('mode', message.mode, MODES),
    restoresMemories: message.restoreMemories,
  };
  checks.finish();
  return request;
}

export function terminateRequestOf(message: TerminateMessage): TerminateRequest {
  const checks = new RequestChecks();
  const { importance, tokensUsed } = message;
  const patterns = message.redactKeys.map((pattern, at) => {
    checks.text(`redact_keys[${at}]`, pattern, PATTERN_BYTES);
    return globOf(pattern.slice(0, PATTERN_BYTES));
  });
  const listed = (field: string, count: number, max: number) => {
    if (count > max) checks.add(field, `must be at most ${max}, got ${count}`);
  };
  listed('redact_keys', patterns.length, PATTERNS_MAX);
  listed('lessons', message.lessons.length, LESSONS_MAX);
  listed('actions', message.actions.length, ACTIONS_MAX);
  const request = {
    ...transitionOf(checks, message),
    skipsEpisode: message.skipEpisode,
    keepsWorkingMemory: message.keepWorkingMemory,
    conclusion: {
      outcome: checks.choice('outcome', message.outcome, OUTCOMES),
      task: checks.text('task_description', message.taskDescription, TASK_BYTES),
      lessons: message.lessons.map((lesson, at) => filled(checks, `lessons[${at}]`, lesson, LESSON_BYTES)),
      actions: message.actions.map(({ description, time }, at) => ({
        description: filled(checks, `actions[${at}].description`, description, ACTION_BYTES),
        atUs: time && instantOf(checks, `actions[${at}].time`, time),
      })),
      ...(importance === undefined ? {} : { importance: checks.within('importance', importance, 0, 1) }),
      ...(tokensUsed === undefined ? {} : { tokensUsed: checks.wholeWithin('tokens_used', tokensUsed) }),
      isRedacted: (key: string) => patterns.some((pattern) => pattern.matches(key)),
    },
  };
  checks.finish();
  return request;
}

export function deleteSessionRequestOf(message: DeleteMessage): DeleteSessionRequest {
  const checks = new RequestChecks();
  const request = { ...transitionOf(checks, message), force: message.force };
  checks.finish();
  return request;
}

function filled(checks: RequestChecks, field: string, value: string, bytesMax: number): string {
  if (value === '') checks.add(field, `must be 1 to ${bytesMax} bytes, got an empty text`);
  return checks.text(field, value, bytesMax);
}

interface AnyTransition {
  readonly session: string;
  readonly metadata: Record<string, string>;
  readonly ifVersion?: bigint;
}

function transitionOf(checks: RequestChecks, { session, metadata, ifVersion }: AnyTransition) {
  return {
    ...sessionIn(checks, 'session', session),
    metadata: metadataOf(checks, metadata),
    ...(ifVersion === undefined ? {} : { expectedGeneration: checks.wholeWithin('if_version', ifVersion) }),
  };
}

function checkpointIdOf(checks: RequestChecks, id: string) {
  return id === '' ? {} : { checkpointId: checks.matching('checkpoint_id', id, CHECKPOINT_ID, CHECKPOINT_ID_SHAPE) };
}

/** How many there are and how long they are together is checked with the session's own. */
export function metadataOf(checks: RequestChecks, metadata: Record<string, string>): Record<string, string> {
  for (const [key, value] of Object.entries(metadata)) {
    if (key === '') checks.add('metadata', 'must have no empty key');
    checks.text(`metadata[${JSON.stringify(key.slice(0, 40))}]`, key, namePartBytes, { plain: true });
    checks.text(`metadata[${JSON.stringify(key.slice(0, 40))}]`, value, 16_384);
  }
  return { ...metadata };
}

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
    scope: scope && scopeOf(checks, 'scope', scope),
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
    scope: scope && scopeOf(checks, 'registration.scope', scope),
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

const VERSION = 1;

/** Token that leads on after an event of a namespace. */
export function eventToken(namespace: string, { sequence, mark }: EventPlace): string {
  return Buffer.from(JSON.stringify([VERSION, markOf(namespace), sequence, mark])).toString('base64url');
}

/** The place in a token of the same namespace. */
function eventPlaceIn(checks: RequestChecks, field: string, namespace: string, token: string): EventPlace {
  const [version, of, sequence, mark] = partsOf(token);
  const isGenuine = version === VERSION && of === markOf(namespace) && Number.isSafeInteger(sequence);
  if (!isGenuine || typeof mark !== 'string') {
    checks.add(field, `must be a resume_token of Events of namespaces/${namespace}`);
    return { sequence: 0, mark: '' };
  }
  return { sequence: Number(sequence), mark };
}

function partsOf(token: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    // A text that is not JSON is not a token.
    return [];
  }
}

function markOf(namespace: string): string {
  return hash('sha256', namespace, 'hex').slice(0, 8);
}
