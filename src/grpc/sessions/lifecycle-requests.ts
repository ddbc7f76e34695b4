import type { Duration } from '../../../gen/ts/google/protobuf/duration.ts';
import { RestoreMode } from '../../../gen/ts/mneme/v1/checkpoint.ts';
import type {
  DeleteSessionRequest as DeleteMessage,
  PauseSessionRequest as PauseMessage,
  ResumeSessionRequest as ResumeMessage,
  SpawnSessionRequest as SpawnMessage,
  TerminateSessionRequest as TerminateMessage,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { globOf } from '../../memory/glob.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import type { Micros } from '../../memory/memory.ts';
import type { DeleteSessionRequest } from '../../operations/sessions/lifecycle/delete-session.ts';
import type { PauseRequest } from '../../operations/sessions/lifecycle/pause-session.ts';
import type { ResumeRequest } from '../../operations/sessions/lifecycle/resume-session.ts';
import type { SpawnRequest } from '../../operations/sessions/lifecycle/spawn-session.ts';
import type { TerminateRequest } from '../../operations/sessions/lifecycle/terminate-session.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { durationOf, instantOf } from '../edge/time-messages.ts';
import { contentOf } from '../memories/content-messages.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { OUTCOMES } from './lifecycle-messages.ts';
import { CHECKPOINT_ID, CHECKPOINT_ID_SHAPE, keyIn, sessionId, sessionIn } from './session-fields.ts';

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

/** Microseconds of a time to live; 0 where there is to be none, nothing where nothing was said. */
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
  return { [name]: Math.ceil(durationOf(checks, field, span.value, TTL_DAYS_MAX)) } as { [P in K]: Micros };
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
    if (!value) checks.add(`${field}.value`, 'must be given; JSON null is a value');
    return {
      key: keyIn(checks, `${field}.key`, key),
      content: value ? contentOf(checks, `${field}.value`, value) : { mediaType: '', data: new Uint8Array() },
      ...(ttl ? { expiresIn: Math.ceil(durationOf(checks, `${field}.ttl`, ttl, TTL_DAYS_MAX)) } : {}),
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
    ...(checkpointTtl
      ? { checkpointTtlUs: Math.ceil(durationOf(checks, 'checkpoint_ttl', checkpointTtl, TTL_DAYS_MAX)) }
      : {}),
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
        ...(time ? { atUs: instantOf(checks, `actions[${at}].time`, time) } : {}),
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
  if (value === '') checks.add(field, `must be 1 to ${bytesMax} bytes, got nothing`);
  return checks.text(field, value, bytesMax);
}

interface AnyTransition {
  readonly session: string;
  readonly metadata: Record<string, string>;
  readonly ifVersion?: bigint | undefined;
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
