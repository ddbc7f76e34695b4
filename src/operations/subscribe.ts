import type { Embedder } from '../embedding/embedder.ts';
import type { Call } from '../memory/call.ts';
import { Agenda } from './agenda.ts';
import { type AnswerRecallDeps, answerRecall } from './answer-recall.ts';
import { AnswerState } from './answer-state.ts';
import { nextEvaluationUs } from './evaluation-times.ts';
import type { Limiter } from './limiter.ts';
import { draining, type OpenStreams } from './open-streams.ts';
import { batchesOf } from './recall-event-batches.ts';
import type { RecallAnswer, RecallRequest } from './recall-request.ts';
import type { Standing, StandingQueries } from './standing-queries.ts';
import { standingQueryOf } from './standing-query-of.ts';
import { StreamWait } from './stream-wait.ts';
import type { SubscribeMessage, SubscribeRequest } from './subscribe-request.ts';

export interface SubscribeDeps extends AnswerRecallDeps {
  readonly standing: StandingQueries;
  readonly streams: OpenStreams;
  /** Shares out the search among the standing queries. */
  readonly evaluations: Limiter;
}

/** Tells the answer to a query, and then how it changes, until the call ends. */
export async function* subscribe(
  deps: SubscribeDeps,
  request: SubscribeRequest,
  call: Call,
): AsyncGenerator<SubscribeMessage> {
  const { streams, clock } = deps;
  const { query } = request;
  const leave = streams.enter(call.caller);
  const wait = new StreamWait(call, streams, request.heartbeatMs);
  const agenda = new Agenda();
  const state = new AnswerState();
  let standing: Standing | undefined;
  try {
    standing = await deps.standing.add(standingQueryOf(query), (urgency) => {
      agenda.add(urgency);
      wait.wake();
    });
    // It is asked again because something has changed: no answer that is kept would do.
    const { cache: _, ...searching } = deps;
    const evaluate = evaluationOf({ ...searching, embedder: remembering(deps.embedder) }, query, call);
    yield { kind: 'created', revision: query.minRevision, newestRevision: deps.store.revision, compactRevision: 0 };
    let revision = 0;
    for (let isFirst = true; ; isFirst = false) {
      const isByChange = agenda.isDirty;
      agenda.begin();
      const answer = await deps.evaluations.run(() => evaluate(isFirst));
      agenda.end(nextEvaluationUs(query, answer, clock.nowUs()));
      revision = answer.revision;
      const events = state.eventsTo(answer);
      standing.setMembers(query.similarToId === undefined ? state.ids() : [...state.ids(), query.similarToId]);
      for (const batch of batchesOf(events, request, isFirst)) {
        wait.spoke();
        yield { ...batch, revision, degraded: answer.degraded };
      }
      let isOwed = isFirst || isByChange || events.length > 0;
      for (;;) {
        const dueInMs = agenda.dueInMs(clock.nowUs());
        if (dueInMs <= 0) break;
        if (!agenda.isDirty) revision = Math.max(revision, standing.revision);
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

/** A stream has no deadline of its own: each evaluation has, so that none holds the search for ever. */
function evaluationOf(deps: SubscribeDeps, query: RecallRequest, call: Call) {
  return (isFirst: boolean): Promise<RecallAnswer> => {
    const deadlineAtMs = Math.min(call.deadlineAtMs, Date.now() + EVALUATION_MS);
    const { signal, callId, caller } = call;
    return answerRecall(deps, isFirst ? query : { ...query, minRevision: 0 }, {
      signal,
      callId,
      caller,
      deadlineAtMs,
    });
  };
}

const EVALUATION_MS = 30_000;

/** The vector of a query's text does not change: it is made once. */
function remembering(embedder: Embedder): Embedder {
  const known = new Map<string, Promise<(Float32Array | undefined)[]>>();
  return Object.create(embedder, {
    embed: {
      value: (texts: readonly string[], signal: AbortSignal) => {
        const key = JSON.stringify(texts);
        const made = known.get(key) ?? embedder.embed(texts, signal);
        known.set(key, made);
        made.catch(() => known.delete(key));
        return made;
      },
    },
  }) as Embedder;
}
