import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../../../memory/call.ts';
import { bodyBytesOf } from '../../../memory/checksum.ts';
import { isUnavailable } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { Embedder } from '../../../search/embedding/embedder.ts';
import type { RecallEngine, RecallQuery, RecallResult } from '../../../search/recall/recall-engine.ts';
import type { View } from '../../../storage/view.ts';
import { waitForRevision } from '../memories/wait-for-revision.ts';
import { type AnswerRecallDeps, answerRecall } from '../recall/answer-recall.ts';
import type { RecallAnswer, RecallRequest } from '../recall/recall-request.ts';
import {
  AnswerState,
  type KeptHits,
  NONE_KEPT,
  nextEvaluationUs,
  Schedule,
  type Standing,
  spansUpToNow,
} from './answer-state.ts';
import type { Limiter, StandingSearches } from './standing-searches.ts';
import {
  type RecallEvent,
  type SubscribeMessage,
  type SubscribeRequest,
  standingQueryOf,
} from './subscribe-request.ts';

const EVALUATION_MS = 30_000;

export interface StandingAnswerDeps extends AnswerRecallDeps {
  readonly searches: StandingSearches;
  /** Limits concurrent searches of slow queries. */
  readonly evaluations: Limiter;
}

/** The answer to a standing query as its reader knows it, and when it is to be looked for again. */
export class StandingAnswer {
  readonly schedule = new Schedule();
  /** Minimum revision that the sent state reflects. */
  revision = 0;
  private readonly deps: StandingAnswerDeps;
  private readonly request: SubscribeRequest;
  private readonly call: Call;
  private readonly state = new AnswerState();
  private readonly unread: UnreadHits;
  private isQuick = false;
  /** Of windows that end now: they are as long at any time. */
  private spansUs: readonly number[] | undefined;

  constructor(deps: StandingAnswerDeps, request: SubscribeRequest, call: Call) {
    this.deps = request.query.text === '' ? deps : { ...deps, embedder: remembering(deps.embedder) };
    this.request = request;
    this.call = call;
    this.unread = new UnreadHits(deps.engine, this.state);
    this.unread.readsAll = !isPlain(request.query);
  }

  /** Delegates the search to the index of the standing queries, which maintains the near sets. */
  askIndex({ id }: Standing): void {
    this.unread.engine = this.deps.searches.engineOf(id, this.deps.engine);
    this.isQuick = true;
  }

  /**
   * Evaluates the query again; returns the batches that lead to the new answer, which then counts as sent. After the
   * first answer, a temporarily unavailable store does not end the stream: the sent state stays valid, and the
   * evaluation is retried soon.
   */
  async evaluate(standing: Standing, isFirst: boolean): Promise<SubscribeMessage[]> {
    try {
      return await this.evaluated(standing, isFirst);
    } catch (error) {
      if (isFirst || !isAway(error)) throw error;
      this.schedule.fail();
      return [];
    }
  }

  /** Re-reads the visibility, and evaluates again where it has changed. An unavailable store is retried soon, too. */
  async renew(standing: Standing): Promise<void> {
    standing.isOutdated = false;
    try {
      const asked = await standingQueryOf(this.deps, this.request.query);
      if (isDeepStrictEqual(asked.filter, standing.query.filter)) return;
      await standing.renew(asked);
      this.schedule.add('urgent');
    } catch (error) {
      if (!isAway(error)) throw error;
      standing.isOutdated = true;
      this.schedule.fail();
    }
  }

  private async evaluated(standing: Standing, isFirst: boolean): Promise<SubscribeMessage[]> {
    const { request, state, schedule, deps } = this;
    const { query } = request;
    // No other query's search waits for it.
    if (isFirst) await waitForRevision(deps.store, query.minRevision, this.evaluation());
    // The evaluation's instant is after these changes, but before any stored in the meantime: a window that ends now
    // does not include those yet, though the search sees them.
    const knownRevision = Math.max(standing.revision, deps.store.revision);
    schedule.begin();
    const askedAtUs = deps.clock.nowUs();
    const answer = this.isQuick
      ? await this.answer()
      : await deps.evaluations.run(() => {
          standing.beginSearch();
          return this.answer();
        });
    this.spansUs ??= spansUpToNow(query, askedAtUs);
    const nextEventAtUs = await this.nextEventUs(answer, askedAtUs);
    const upToNow = { spansUs: this.spansUs, nextEventAtUs };
    const events = state.eventsTo(answer, this.unread.kept);
    schedule.end(nextEvaluationUs(query, answer, state, deps.clock.nowUs(), upToNow));
    const { degraded } = answer;
    const revision = Math.max(this.revision, Math.min(answer.revision, knownRevision));
    this.revision = revision;
    // The index sees every change of near memories itself.
    if (!this.isQuick) {
      const about = query.similarToId === undefined ? [] : [query.similarToId];
      standing.setMembers([...state.ids(), ...(answer.goneIds ?? []), ...about]);
    }
    return Array.from(batchesOf(events, request, isFirst), (batch) => ({ ...batch, revision, degraded }));
  }

  /** Computed only where a window ends now and no retry of degraded parts is due soon. */
  private async nextEventUs({ degraded }: RecallAnswer, nowUs: number): Promise<number> {
    const isAsked = degraded.length === 0 && this.spansUs?.length;
    return isAsked ? nextEventUs(this.deps.view, this.request.query.namespace, nowUs) : Number.POSITIVE_INFINITY;
  }

  /** A stream has no deadline: each evaluation has one, so that none blocks the search forever. */
  private evaluation(): Call {
    const { signal, callId, principal, caller, deadlineAtMs } = this.call;
    return { signal, callId, principal, caller, deadlineAtMs: Math.min(deadlineAtMs, Date.now() + EVALUATION_MS) };
  }

  private async answer(): Promise<RecallAnswer> {
    const { unread } = this;
    const answer = await this.searched();
    const { goneIds = [], damagedIds = [] } = answer;
    // Hits after an unreadable one move up, and may have to be read.
    if (unread.kept.size === 0 || goneIds.length + damagedIds.length === 0) return answer;
    unread.readsAll = true;
    try {
      return await this.searched();
    } finally {
      unread.readsAll = false;
    }
  }

  private searched(): Promise<RecallAnswer> {
    const { deps, unread, request } = this;
    return answerRecall({ ...deps, engine: unread }, { ...request.query, minRevision: 0 }, this.evaluation());
  }
}

/** A single search that returns independent hits. */
function isPlain({ preset, tokenBudget, neighborCount }: RecallRequest): boolean {
  return preset === undefined && tokenBudget === undefined && neighborCount === 0;
}

/** A remote store names the cause of its unavailability in `fault`. */
function isAway(error: unknown): boolean {
  return isUnavailable(error) && 'fault' in error.metadata;
}

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

/** When the first of a namespace's memories that have not happened yet does; `Infinity` when none will. */
async function nextEventUs(view: Pick<View, 'list'>, namespace: string, nowUs: Micros): Promise<Micros> {
  // Without a filter, which would have to be tried on all that has happened: the order alone leads there.
  const { memories, next } = await view.list({
    namespace,
    order: 'event_time_asc',
    after: { value: nowUs, tie: Number.MAX_SAFE_INTEGER },
    limit: 1,
    bytesMax: 1,
    view: 'metadata',
    nowUs,
  });
  return memories[0]?.eventAtUs ?? next?.value ?? Number.POSITIVE_INFINITY;
}

type Batch = Pick<Extract<SubscribeMessage, { kind: 'batch' }>, 'kind' | 'events' | 'isSnapshot' | 'isFragment'>;

/** An empty answer is sent as well: it replaces the reader's state. */
function* batchesOf(
  events: readonly RecallEvent[],
  { batchMax, batchBytesMax }: SubscribeRequest,
  isSnapshot: boolean,
): Generator<Batch> {
  let from = 0;
  do {
    let [to, bytes] = [from, 0];
    for (; to < events.length && to - from < batchMax; to++) {
      bytes += bytesOf(events[to]);
      if (to > from && bytes > batchBytesMax) break;
    }
    if (events.length > 0 || isSnapshot) {
      yield { kind: 'batch', events: events.slice(from, to), isSnapshot, isFragment: to < events.length };
    }
    from = to;
  } while (from < events.length);
}

function bytesOf(event: RecallEvent | undefined): number {
  if (!event || event.kind === 'leave') return 200;
  const { memory, before, after } = event.hit;
  return [memory, ...before, ...after].reduce(
    (sum, each) => sum + 500 + bodyBytesOf(each) + (each.embedding?.values.byteLength ?? 0),
    0,
  );
}

/**
 * Removes the unchanged hits of a standing query from an engine's result, so that they are not read. For queries with a
 * single search, whose hits have no neighbours.
 */
export class UnreadHits implements RecallEngine {
  /** The hits omitted by the last search. */
  kept = NONE_KEPT;
  /** Disables the omission. */
  readsAll = false;
  /** That is asked. */
  engine: RecallEngine;
  private readonly state: AnswerState;

  constructor(engine: RecallEngine, state: AnswerState) {
    this.engine = engine;
    this.state = state;
  }

  get textModel(): string {
    return this.engine.textModel;
  }

  async search(query: RecallQuery, signal: AbortSignal): Promise<RecallResult> {
    this.kept = NONE_KEPT;
    if (this.readsAll) return this.engine.search(query, signal);
    const { read: _, ...unread } = query;
    const result = await this.engine.search(unread, signal);
    const known = result.hits.flatMap((hit, at) => (this.state.knows(hit, at + 1) ? [[at + 1, hit.id] as const] : []));
    if (known.length === 0) return result;
    const kept: KeptHits = new Map(known);
    this.kept = kept;
    return { ...result, hits: result.hits.filter((_, at) => !kept.has(at + 1)) };
  }

  statistics() {
    return this.engine.statistics();
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}
