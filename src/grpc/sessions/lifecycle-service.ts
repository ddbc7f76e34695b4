import {
  AcknowledgeLifecycleEventsRequest,
  AcknowledgeLifecycleEventsResponse,
  DeleteSessionRequest,
  DeleteSessionResponse,
  GetSessionRequest,
  GetSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  PauseSessionRequest,
  PauseSessionResponse,
  ResumeSessionRequest,
  ResumeSessionResponse,
  ServeHookRequest,
  ServeHookResponse,
  LifecycleServiceService as Service,
  SpawnSessionRequest,
  SpawnSessionResponse,
  TerminateSessionRequest,
  TerminateSessionResponse,
  WatchLifecycleEventsRequest,
  WatchLifecycleEventsResponse,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { acknowledgeEvents } from '../../operations/sessions/lifecycle/acknowledge-events.ts';
import { deleteSession } from '../../operations/sessions/lifecycle/delete-session.ts';
import { followEvents } from '../../operations/sessions/lifecycle/follow-events.ts';
import type { LifecycleDeps } from '../../operations/sessions/lifecycle/lifecycle-deps.ts';
import { getSession, listSessions } from '../../operations/sessions/lifecycle/list-sessions.ts';
import { pauseSession } from '../../operations/sessions/lifecycle/pause-session.ts';
import { resumeSession } from '../../operations/sessions/lifecycle/resume-session.ts';
import { spawnSession } from '../../operations/sessions/lifecycle/spawn-session.ts';
import { terminateSession } from '../../operations/sessions/lifecycle/terminate-session.ts';
import { bidi, type Route, serverStream, unary } from '../edge/handler.ts';
import { pageToken } from '../edge/page-token.ts';
import { eventToken } from './event-token.ts';
import { acknowledgementOf, followRequestOf } from './lifecycle-event-requests.ts';
import { eventMessage, hookReportMessage, millisecondsMessage, sessionMessage } from './lifecycle-messages.ts';
import { getSessionRequestOf, listSessionsRequestOf, type SessionPageLimits } from './lifecycle-reads.ts';
import {
  deleteSessionRequestOf,
  pauseRequestOf,
  resumeRequestOf,
  spawnRequestOf,
  terminateRequestOf,
} from './lifecycle-requests.ts';
import { serveHook } from './serve-hook.ts';
import { checkpointMessage } from './working-memory-messages.ts';

/** `proto/mneme/v1/lifecycle_service.proto`. */
export function lifecycleService(deps: LifecycleDeps, limits: SessionPageLimits): Route[] {
  return [...transitionMethods(deps), ...readMethods(deps, limits), ...hookMethods(deps)];
}

function transitionMethods(deps: LifecycleDeps): Route[] {
  const told = sessionTeller(deps);
  return [
    unary(Service.spawnSession, SpawnSessionRequest, SpawnSessionResponse, async (message, call) => {
      const request = spawnRequestOf(message);
      return { ...told(await spawnSession(deps, request, call)), valueCount: request.values.length };
    }),
    unary(Service.pauseSession, PauseSessionRequest, PauseSessionResponse, async (message, call) => {
      const paused = await pauseSession(deps, pauseRequestOf(message), call);
      return { ...told(paused), checkpoint: checkpointMessage(paused.checkpoint) };
    }),
    unary(Service.resumeSession, ResumeSessionRequest, ResumeSessionResponse, async (message, call) => {
      const resumed = await resumeSession(deps, resumeRequestOf(message), call);
      return {
        ...told(resumed),
        checkpoint: checkpointMessage(resumed.checkpoint),
        restoredCount: resumed.restoredCount,
        expiredCount: resumed.expiredCount,
      };
    }),
    unary(Service.terminateSession, TerminateSessionRequest, TerminateSessionResponse, async (message, call) => {
      const ended = await terminateSession(deps, terminateRequestOf(message), call);
      const answer = told(ended);
      return {
        ...answer,
        episode: answer.session.episode,
        consolidatedCount: ended.consolidatedCount,
        truncated: ended.isTruncated,
        clearedCount: ended.clearedCount,
        clearedCheckpointCount: ended.checkpointsClearedCount,
        memoryRevision: BigInt(deps.store.revision),
      };
    }),
    unary(Service.deleteSession, DeleteSessionRequest, DeleteSessionResponse, async (message, call) => {
      const deleted = await deleteSession(deps, deleteSessionRequestOf(message), call);
      return {
        clearedCount: deleted.clearedCount,
        clearedNoteCount: deleted.notesClearedCount,
        clearedCheckpointCount: deleted.checkpointsClearedCount,
        hookReports: deleted.hookReports.map(hookReportMessage),
        duration: millisecondsMessage(deleted.durationMs),
      };
    }),
  ];
}

/** What every answer to a transition has. */
function sessionTeller({ clock }: LifecycleDeps) {
  return ({ session, hookReports, revision, durationMs }: Awaited<ReturnType<typeof spawnSession>>) => ({
    session: sessionMessage(session, clock.nowUs()),
    hookReports: hookReports.map(hookReportMessage),
    revision: BigInt(revision),
    duration: millisecondsMessage(durationMs),
  });
}

function readMethods(deps: LifecycleDeps, limits: SessionPageLimits): Route[] {
  return [
    unary(Service.getSession, GetSessionRequest, GetSessionResponse, async (message) => {
      const session = await getSession(deps, getSessionRequestOf(message));
      return { session: sessionMessage(session, deps.clock.nowUs()) };
    }),
    unary(Service.listSessions, ListSessionsRequest, ListSessionsResponse, async (message) => {
      const { request, query } = listSessionsRequestOf(message, limits);
      const { sessions, nextAfterId } = await listSessions(deps, request);
      const nowUs = deps.clock.nowUs();
      return {
        sessions: sessions.map((session) => sessionMessage(session, nowUs)),
        nextPageToken: nextAfterId === undefined ? '' : pageToken(query, nextAfterId),
      };
    }),
  ];
}

function hookMethods(deps: LifecycleDeps): Route[] {
  return [
    serverStream(
      Service.watchLifecycleEvents,
      WatchLifecycleEventsRequest,
      WatchLifecycleEventsResponse,
      async function* (message, call) {
        const request = followRequestOf(message);
        for await (const { kind, place, event } of followEvents(deps, request, call.signal)) {
          const resumeToken = eventToken(request.namespace, place);
          yield event
            ? { resumeToken, message: { $case: 'event' as const, value: eventMessage(event) } }
            : { resumeToken, message: { $case: kind === 'created' ? kind : ('heartbeat' as const), value: {} } };
        }
      },
    ),
    unary(
      Service.acknowledgeLifecycleEvents,
      AcknowledgeLifecycleEventsRequest,
      AcknowledgeLifecycleEventsResponse,
      async (message) => {
        const request = acknowledgementOf(message);
        return { resumeToken: eventToken(request.namespace, await acknowledgeEvents(deps, request)) };
      },
    ),
    bidi(Service.serveHook, ServeHookRequest, ServeHookResponse, (requests, call) => serveHook(deps, requests, call)),
  ];
}
