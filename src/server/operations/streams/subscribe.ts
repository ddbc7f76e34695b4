import type { Call } from '../../../memory/call.ts';
import { SCOPE_PARTS } from '../../../memory/scope.ts';
import type { SessionStore } from '../../../storage/session-store.ts';
import type { RecallRequest } from '../recall/recall-request.ts';
import type { Standing } from './answer-state.ts';
import { draining, type OpenStreams } from './open-streams.ts';
import { StandingAnswer, type StandingAnswerDeps } from './standing-answer.ts';
import type { StandingQueries } from './standing-queries.ts';
import { type AwaitedNamespaces, StreamWait } from './stream-wait.ts';
import { type SubscribeMessage, type SubscribeRequest, standingQueryOf } from './subscribe-request.ts';

export interface SubscribeDeps extends StandingAnswerDeps {
  readonly standing: StandingQueries;
  readonly streams: OpenStreams;
  /** Absent where namespaces are not created automatically. */
  readonly awaited?: AwaitedNamespaces;
  /** Knows whose a session is, and notifies when that may have changed. */
  readonly sessions?: Pick<SessionStore, 'session' | 'onChange'>;
}

/** Yields the answer to a query, and then its changes, until the call ends. */
export async function* subscribe(
  deps: SubscribeDeps,
  request: SubscribeRequest,
  call: Call,
): AsyncGenerator<SubscribeMessage> {
  const { streams, clock } = deps;
  const leave = streams.enter(call.caller, 'subscribe');
  const wait = new StreamWait(call, streams, request.heartbeatMs);
  // Evaluations follow changes: no cached answer would be current.
  const { cache: _, ...searching } = deps;
  const answer = new StandingAnswer(searching, request, call);
  const { schedule } = answer;
  let standing: Standing | undefined;
  const ignoreSession = onSessionOf(deps, request.query, () => {
    if (standing) standing.isOutdated = true;
    wait.wake();
  });
  try {
    const asked = await standingQueryOf(deps, request.query);
    const newestRevision = deps.store.revision;
    const isAwaited = (await deps.awaited?.isMissing(asked.namespace)) ?? false;
    const revision = Math.min(request.query.minRevision, newestRevision);
    const created = { kind: 'created', revision, newestRevision, compactRevision: 0 } as const;
    if (isAwaited) yield* beforeFirst(deps, asked.namespace, created, wait);
    standing = await deps.standing.add(asked, (urgency) => {
      schedule.add(urgency);
      wait.wake();
    });
    if (asked.kind === 'near') answer.askIndex(standing);
    if (!isAwaited) yield created;
    for (let isFirst = true; ; isFirst = false) {
      const isByChange = schedule.isDirty;
      const batches = await answer.evaluate(standing, isFirst && !isAwaited);
      // A batch is itself a barrier; a complete snapshot, and a change without effect, are announced.
      let isBarrierDue = isFirst || (isByChange && batches.length === 0);
      // Releases each batch as it is sent.
      for (let batch = batches.shift(); batch; batch = batches.shift()) {
        wait.spoke();
        yield batch;
      }
      for (;;) {
        if (standing.isOutdated) await answer.renew(standing);
        const dueInMs = schedule.dueInMs(clock.nowUs());
        if (dueInMs <= 0) break;
        if (!schedule.isDirty) answer.revision = Math.max(answer.revision, standing.revision);
        const { revision } = answer;
        if (isBarrierDue && !schedule.isDirty) {
          isBarrierDue = false;
          wait.spoke();
          yield { kind: 'progress', revision };
          continue;
        }
        const woken = await wait.next(dueInMs);
        if (woken === 'draining') {
          yield { kind: 'draining', revision };
          throw draining();
        }
        // A query with a pending evaluation is not current: its heartbeat repeats the last revision.
        if (woken === 'silent') isBarrierDue = true;
        if (woken === 'silent' && schedule.isDirty) {
          isBarrierDue = false;
          wait.spoke();
          yield { kind: 'batch', revision, events: [], isSnapshot: false, isFragment: false, degraded: [] };
        }
      }
    }
  } finally {
    ignoreSession();
    wait.close();
    standing?.end();
    leave();
  }
}

/** Before the namespace is there the answer is empty. */
async function* beforeFirst(
  { awaited }: SubscribeDeps,
  namespace: string,
  created: SubscribeMessage & { readonly kind: 'created' },
  wait: StreamWait,
): AsyncGenerator<SubscribeMessage, void, undefined> {
  const revision = created.newestRevision;
  yield created;
  yield { kind: 'batch', revision, events: [], isSnapshot: true, isFragment: false, degraded: [] };
  yield { kind: 'progress', revision };
  for await (const woken of awaited?.until(namespace, wait) ?? []) {
    yield { kind: woken === 'silent' ? 'progress' : woken, revision };
    if (woken === 'draining') throw draining();
  }
}

/** A request that names only a session sees its project's and agent's memories, as soon as its owner is known. */
function onSessionOf(
  { sessions }: SubscribeDeps,
  { namespace, scope }: RecallRequest,
  listener: () => void,
): () => void {
  const isWhole = !scope || scope.session === '' || SCOPE_PARTS.every((part) => scope[part] !== '');
  if (!sessions || isWhole) return () => undefined;
  return sessions.onChange({ namespace, session: scope.session }, listener);
}
