import {
  WorkingMemoryServiceService as Service,
  SessionEventKind,
  WatchSessionRequest as WatchRequest,
  WatchSessionResponse as WatchResponse,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { SessionChangeKind } from '../../memory/session.ts';
import {
  type WatchEvent,
  type WatchMessage,
  type WatchRequest as WatchSessionRequest,
  watchSession,
} from '../../operations/sessions/working-memory/watch-session.ts';
import type { WorkingMemoryDeps } from '../../operations/sessions/working-memory/working-memory-deps.ts';
import { type Route, serverStream } from '../edge/handler.ts';
import { mapped } from '../edge/mapped.ts';
import { timestampOf } from '../edge/time-messages.ts';
import { sessionIn } from './session-fields.ts';
import { patternOf } from './working-list-methods.ts';
import { entryMessage } from './working-memory-messages.ts';
import { checked } from './working-memory-requests.ts';

/** Proxies close streams on which nothing is sent for a minute. */
const HEARTBEAT_DEFAULT_MS = 15_000;
const HEARTBEAT_MAX_S = 60;

const KINDS: Readonly<Record<SessionChangeKind, SessionEventKind>> = {
  set: SessionEventKind.SESSION_EVENT_KIND_SET,
  deleted: SessionEventKind.SESSION_EVENT_KIND_DELETED,
  expired: SessionEventKind.SESSION_EVENT_KIND_EXPIRED,
  touched: SessionEventKind.SESSION_EVENT_KIND_TOUCHED,
  cleared: SessionEventKind.SESSION_EVENT_KIND_CLEARED,
  restored: SessionEventKind.SESSION_EVENT_KIND_RESTORED,
  task: SessionEventKind.SESSION_EVENT_KIND_TASK_STATE,
  noted: SessionEventKind.SESSION_EVENT_KIND_SCRATCHPAD_APPENDED,
  notes_cleared: SessionEventKind.SESSION_EVENT_KIND_SCRATCHPAD_CLEARED,
  checkpoint_created: SessionEventKind.SESSION_EVENT_KIND_CHECKPOINT_CREATED,
  checkpoint_deleted: SessionEventKind.SESSION_EVENT_KIND_CHECKPOINT_DELETED,
  lifecycle: SessionEventKind.SESSION_EVENT_KIND_LIFECYCLE,
};

export function watchSessionMethod(deps: WorkingMemoryDeps): Route {
  return serverStream(Service.watchSession, WatchRequest, WatchResponse, (message, call) =>
    mapped(watchSession(deps, watchRequestOf(message), call), watchMessage),
  );
}

function watchRequestOf(message: WatchRequest): WatchSessionRequest {
  const { session, afterRevision, pattern, includeValues: withValues, heartbeatInterval } = message;
  return checked((checks) => ({
    ...sessionIn(checks, 'session', session),
    ...(afterRevision === undefined ? {} : { afterRevision: checks.wholeWithin('after_revision', afterRevision) }),
    ...patternOf(checks, 'pattern', pattern),
    withValues,
    heartbeatMs: heartbeatInterval
      ? checks.within('heartbeat_interval', secondsOf(heartbeatInterval), 1, HEARTBEAT_MAX_S) * 1000
      : HEARTBEAT_DEFAULT_MS,
  }));
}

function secondsOf({ seconds, nanos }: { seconds: bigint; nanos: number }): number {
  return Number(seconds) + nanos / 1e9;
}

function watchMessage(message: WatchMessage): WatchResponse {
  const revision = BigInt(message.revision);
  switch (message.kind) {
    case 'created':
      return { revision, message: { $case: 'created', value: {} } };
    case 'progress':
      return { revision, message: { $case: 'progress', value: {} } };
    case 'events':
      return { revision, message: { $case: 'events', value: { events: message.events.map(eventMessage) } } };
  }
}

function eventMessage({ kind, revision, key, atUs, entry }: WatchEvent) {
  const time = timestampOf(atUs);
  return { kind: KINDS[kind], revision: BigInt(revision), key, time, entry: entry && entryMessage(entry) };
}
