import {
  AcknowledgeLifecycleEventsRequest,
  AcknowledgeLifecycleEventsResponse,
  DeleteSessionRequest,
  DeleteSessionResponse,
  GetSessionRequest,
  GetSessionResponse,
  type HookReply,
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
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { Call } from '../../../memory/call.ts';
import { invalidFields } from '../../../memory/errors.ts';
import type { LifecycleEvent } from '../../../memory/lifecycle.ts';
import { acknowledgeEvents, followEvents, Waker } from '../../operations/sessions/lifecycle/follow-events.ts';
import type { HookVerdict, LifecycleHooks } from '../../operations/sessions/lifecycle/hooks.ts';
import type { LifecycleDeps } from '../../operations/sessions/lifecycle/lifecycle-deps.ts';
import { getSession, listSessions } from '../../operations/sessions/lifecycle/list-sessions.ts';
import { pauseSession, resumeSession } from '../../operations/sessions/lifecycle/pause-session.ts';
import { deleteSession, spawnSession } from '../../operations/sessions/lifecycle/spawn-session.ts';
import { terminateSession } from '../../operations/sessions/lifecycle/terminate-session.ts';
import type { AwaitedNamespaces } from '../../operations/streams/stream-wait.ts';
import { bidi, type Route, serverStream, unary } from '../edge/handler.ts';
import { pageToken } from '../edge/page-token.ts';
import { RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { type FirstMessageTerms, firstMessage } from '../edge/stream-messages.ts';
import {
  eventMessage,
  getSessionRequestOf,
  hookReportMessage,
  listSessionsRequestOf,
  millisecondsMessage,
  type SessionPageLimits,
  sessionMessage,
} from './lifecycle-messages.ts';
import {
  acknowledgementOf,
  deleteSessionRequestOf,
  eventToken,
  followRequestOf,
  metadataOf,
  pauseRequestOf,
  registrationOf,
  resumeRequestOf,
  spawnRequestOf,
  terminateRequestOf,
} from './lifecycle-requests.ts';
import { checkpointMessage } from './working-memory-messages.ts';

/** `proto/mneme/v1/lifecycle_service.proto`. */
export function lifecycleService(deps: LifecycleDeps & HookDeps, limits: SessionPageLimits): Route[] {
  return [...transitionMethods(deps), ...readMethods(deps, limits), ...hookMethods(deps)];
}

function transitionMethods(deps: LifecycleDeps): Route[] {
  const answered = sessionNotifier(deps);
  return [
    unary(Service.spawnSession, SpawnSessionRequest, SpawnSessionResponse, async (message, call) => {
      const request = spawnRequestOf(message);
      return { ...answered(await spawnSession(deps, request, call)), valueCount: request.values.length };
    }),
    unary(Service.pauseSession, PauseSessionRequest, PauseSessionResponse, async (message, call) => {
      const paused = await pauseSession(deps, pauseRequestOf(message), call);
      return { ...answered(paused), checkpoint: checkpointMessage(paused.checkpoint) };
    }),
    unary(Service.resumeSession, ResumeSessionRequest, ResumeSessionResponse, async (message, call) => {
      const resumed = await resumeSession(deps, resumeRequestOf(message), call);
      return {
        ...answered(resumed),
        checkpoint: checkpointMessage(resumed.checkpoint),
        restoredCount: resumed.restoredCount,
        expiredCount: resumed.expiredCount,
      };
    }),
    unary(Service.terminateSession, TerminateSessionRequest, TerminateSessionResponse, async (message, call) => {
      const ended = await terminateSession(deps, terminateRequestOf(message), call);
      const answer = answered(ended);
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

/** Common part of all answers to transitions. */
function sessionNotifier({ clock }: LifecycleDeps) {
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
    unary(
      Service.listSessions,
      ListSessionsRequest,
      ListSessionsResponse,
      async (message) => {
        const { request, query } = listSessionsRequestOf(message, limits);
        const { sessions, nextAfterId } = await listSessions(deps, request);
        const nowUs = deps.clock.nowUs();
        return {
          sessions: sessions.map((session) => sessionMessage(session, nowUs)),
          nextPageToken: nextAfterId === undefined ? '' : pageToken(query, nextAfterId),
        };
      },
      { whenAbsent: () => ListSessionsResponse.fromPartial({}) },
    ),
  ];
}

function hookMethods(deps: LifecycleDeps & HookDeps): Route[] {
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

const HEARTBEAT_MS = 15_000;
/** Questions that wait to be sent to a hook that does not read. */
const WAITING_MAX = 1000;
const REASON_BYTES = 1024;

interface Question {
  readonly id: string;
  readonly event: LifecycleEvent;
  readonly deadlineAtMs: number;
  resolve(verdict: HookVerdict): void;
  reject(error: Error): void;
}

export interface HookDeps extends FirstMessageTerms {
  readonly hooks: LifecycleHooks;
  newId(): string;
  /** Whether hooks of the caller may be required, so that their silence refuses transitions. */
  mayRequireHooks(caller: string): boolean;
  /** Absent where namespaces are not created on first use. */
  readonly awaited?: AwaitedNamespaces;
}

/** Serves one hook: sends it a question for each transition, and passes its replies on. */
export async function* serveHook(
  deps: HookDeps,
  requests: AsyncIterable<ServeHookRequest>,
  call: Call,
): AsyncGenerator<ServeHookResponse> {
  const { hooks, newId } = deps;
  const incoming = requests[Symbol.asyncIterator]();
  const registration = registrationOf(await registrationIn(incoming, deps, call));
  if (registration.isRequired && !deps.mayRequireHooks(call.caller)) {
    const description = 'is permitted only to callers with a token of --required-hook-tokens-file';
    throw invalidFields([{ field: 'registration.required', description }]);
  }
  const waker = new Waker();
  const toSend: Question[] = [];
  const asked = new Map<string, Question>();
  const ask = (event: LifecycleEvent, signal: AbortSignal) =>
    new Promise<HookVerdict>((resolve, reject) => {
      if (toSend.length >= WAITING_MAX) throw new Error('the hook does not read its questions');
      const id = newId();
      asked.set(id, { id, event, deadlineAtMs: Date.now() + registration.timeoutMs, resolve, reject });
      toSend.push(asked.get(id) as Question);
      signal.addEventListener('abort', () => asked.delete(id), { once: true });
      waker.wake();
    });
  const unregister = await hooks.register({ ...registration, handle: ask }, call.caller);
  let isOver = false;
  let fault: Error | undefined;
  const replies = readReplies(incoming, asked)
    .catch((error: unknown) => {
      fault = error instanceof Error ? error : new Error(String(error));
    })
    .finally(() => {
      // No transition that begins from now on asks the hook, although the stream has yet to end.
      unregister();
      isOver = true;
      waker.wake();
    });
  try {
    let sentAtMs = performance.now();
    yield { message: { $case: 'registered', value: {} } };
    while (!isOver) {
      const question = toSend.shift();
      const silentInMs = sentAtMs + HEARTBEAT_MS - performance.now();
      if (question && !asked.has(question.id)) continue;
      if (!question && silentInMs > 0) {
        await waker.wait(silentInMs, call.signal);
        continue;
      }
      sentAtMs = performance.now();
      yield question ? questionMessage(question) : { message: { $case: 'heartbeat', value: {} } };
    }
    await replies;
    if (fault) throw fault;
  } finally {
    if (!isOver) unregister();
    for (const { reject } of asked.values()) reject(new Error('the stream of the hook ended before it replied'));
  }
}

async function registrationIn(incoming: AsyncIterator<ServeHookRequest>, deps: HookDeps, call: Call) {
  const message = (await firstMessage(incoming, 'hook', deps, call))?.message;
  if (message?.$case === 'registration') return message.value;
  throw invalidFields([{ field: 'registration', description: 'must be the first message' }]);
}

async function readReplies(incoming: AsyncIterator<ServeHookRequest>, asked: Map<string, Question>): Promise<void> {
  for (;;) {
    const next = await incoming.next();
    if (next.done === true) return;
    const { message } = next.value;
    if (message?.$case !== 'reply') {
      throw invalidFields([{ field: 'message', description: 'must be a reply after the first message' }]);
    }
    const question = asked.get(message.value.id);
    // The answer came after its timeout.
    if (!question) continue;
    asked.delete(question.id);
    settle(question, message.value);
  }
}

function settle(question: Question, reply: HookReply): void {
  try {
    question.resolve(verdictOf(question, reply));
  } catch (error) {
    question.reject(error as Error);
  }
}

function verdictOf({ event }: Question, { verdict }: HookReply): HookVerdict {
  if (verdict?.$case === 'failure') throw new Error(verdict.value.slice(0, REASON_BYTES));
  if (verdict?.$case === 'veto') return { veto: verdict.value.slice(0, REASON_BYTES) || 'no reason stated' };
  if (verdict === undefined || event.phase !== 'before') return undefined;
  const checks = new RequestChecks();
  const metadata = metadataOf(checks, verdict.value.metadata);
  checks.finish();
  return { metadata };
}

function questionMessage({ id, event, deadlineAtMs }: Question): ServeHookResponse {
  const deadline = timestampOf(deadlineAtMs * 1000);
  return { message: { $case: 'call', value: { id, event: eventMessage(event), deadline } } };
}
