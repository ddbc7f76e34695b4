import type { Call } from '../memory/call.ts';
import { draining, type OpenStreams } from './open-streams.ts';
import type { Standing } from './standing.ts';
import { StandingAnswer, type StandingAnswerDeps } from './standing-answer.ts';
import type { StandingQueries } from './standing-queries.ts';
import { standingQueryOf } from './standing-query-of.ts';
import { StreamWait } from './stream-wait.ts';
import type { SubscribeMessage, SubscribeRequest } from './subscribe-request.ts';

export interface SubscribeDeps extends StandingAnswerDeps {
  readonly standing: StandingQueries;
  readonly streams: OpenStreams;
}

/** Tells the answer to a query, and then how it changes, until the call ends. */
export async function* subscribe(
  deps: SubscribeDeps,
  request: SubscribeRequest,
  call: Call,
): AsyncGenerator<SubscribeMessage> {
  const { streams, clock } = deps;
  const leave = streams.enter(call.caller, 'subscribe');
  const wait = new StreamWait(call, streams, request.heartbeatMs);
  // It is asked again because something has changed: no answer that is kept would do.
  const { cache: _, ...searching } = deps;
  const answer = new StandingAnswer(searching, request, call);
  const { agenda } = answer;
  let standing: Standing | undefined;
  try {
    const asked = standingQueryOf(request.query);
    standing = await deps.standing.add(asked, (urgency) => {
      agenda.add(urgency);
      wait.wake();
    });
    if (asked.kind === 'near') answer.askIndex(standing);
    const { minRevision } = request.query;
    const newestRevision = deps.store.revision;
    yield { kind: 'created', revision: Math.min(minRevision, newestRevision), newestRevision, compactRevision: 0 };
    for (let isFirst = true; ; isFirst = false) {
      const isByChange = agenda.isDirty;
      const batches = await answer.evaluate(standing, isFirst);
      // A batch is a barrier itself; that the snapshot is whole, and that a change has altered nothing, is said.
      let isOwed = isFirst || (isByChange && batches.length === 0);
      // What has been told is not held on to until there is more.
      for (let batch = batches.shift(); batch; batch = batches.shift()) {
        wait.spoke();
        yield batch;
      }
      for (;;) {
        const dueInMs = agenda.dueInMs(clock.nowUs());
        if (dueInMs <= 0) break;
        if (!agenda.isDirty) answer.revision = Math.max(answer.revision, standing.revision);
        const { revision } = answer;
        if (isOwed && !agenda.isDirty) {
          isOwed = false;
          wait.spoke();
          yield { kind: 'progress', revision };
          continue;
        }
        const woken = await wait.next(dueInMs);
        if (woken === 'draining') {
          yield { kind: 'draining', revision };
          throw draining();
        }
        // A query that is to be asked again is not up to date: the sign of life then only repeats what is known.
        if (woken === 'silent') isOwed = true;
        if (woken === 'silent' && agenda.isDirty) {
          isOwed = false;
          wait.spoke();
          yield { kind: 'batch', revision, events: [], isSnapshot: false, isFragment: false, degraded: [] };
        }
      }
    }
  } finally {
    wait.close();
    standing?.end();
    leave();
  }
}
