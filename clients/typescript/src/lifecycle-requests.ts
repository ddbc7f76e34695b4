import type { SpawnSessionRequest, TerminateSessionRequest } from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { integerOf } from './bad-input.ts';
import { OUTCOME_CODES } from './lifecycle-messages.ts';
import type { PauseRequest, SpawnRequest, TerminateRequest } from './lifecycle-types.ts';
import { durationOfMs, timestampOf } from './precise-date.ts';

export function terminateMessage(name: string, query: TerminateRequest, requestId: string): TerminateSessionRequest {
  const { outcome = 'success', actions = [], tokensUsed } = query;
  return {
    ...transitionOf(name, query, requestId),
    outcome: OUTCOME_CODES[outcome],
    taskDescription: query.taskDescription ?? '',
    lessons: [...(query.lessons ?? [])],
    actions: actions.map((action) =>
      typeof action === 'string'
        ? { description: action, time: undefined }
        : { description: action.description, time: timestampOf(action.time) },
    ),
    importance: query.importance,
    tokensUsed: integerOf(tokensUsed, 'tokensUsed'),
    redactKeys: [...(query.redactKeys ?? [])],
    skipEpisode: query.skipEpisode ?? false,
    keepWorkingMemory: query.keepWorkingMemory ?? false,
  };
}

/** Common part of all transition requests. */
export function transitionOf(
  session: string,
  { metadata = {}, ifVersion }: Pick<PauseRequest, 'metadata' | 'ifVersion'>,
  requestId: string,
) {
  return { session, metadata, ifVersion: integerOf(ifVersion, 'ifVersion'), requestId };
}

export function defaultExpiryOf({ defaultTtlMs }: SpawnRequest): SpawnSessionRequest['defaultExpiry'] {
  if (defaultTtlMs === undefined) return undefined;
  if (defaultTtlMs === 'never') return { $case: 'noDefaultTtl', value: true };
  return { $case: 'defaultTtl', value: durationOfMs(defaultTtlMs) };
}

export function idleExpiryOf({ idleTtlMs }: SpawnRequest): SpawnSessionRequest['idleExpiry'] {
  if (idleTtlMs === undefined) return undefined;
  if (idleTtlMs === 'never') return { $case: 'noIdleTtl', value: true };
  return { $case: 'idleTtl', value: durationOfMs(idleTtlMs) };
}
