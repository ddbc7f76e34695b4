import type { Call } from '../../memory/call.ts';
import { MnemeError } from '../../memory/errors.ts';
import { TIERS, type Tier, UPPER_TIERS } from '../../memory/memory.ts';
import { currentCaller, isFromScope } from '../visibility/visibility.ts';
import { type AnswerRecallDeps, finished, searched, searchOf, seenBy } from './answer-recall.ts';
import type { RecallDeps } from './recall.ts';
import type { RecallAnswer, RecallHit, RecallRequest } from './recall-request.ts';

/** Tiers that may be in a store that `RecallStreamDeps.below` does not use. */
const UPPER: readonly Tier[] = UPPER_TIERS;
const DEADLINE_MS = 30_000;

export interface RecallStreamDeps extends AnswerRecallDeps {
  /**
   * Searches and reads long-term memory without the store of the upper tiers, and applies no policies. Absent: all
   * tiers are in one store.
   */
  readonly below?: Pick<RecallDeps, 'store' | 'engine'>;
}

export interface RecallStreamRequest {
  readonly query: RecallRequest;
  /** Longest wait for a tier. Absent: until the deadline. */
  readonly tierTimeoutMs?: number;
}

export type RecallStreamPart =
  | { readonly kind: 'hits'; readonly tier: Tier; readonly hits: readonly RecallHit[]; readonly revision: number }
  | { readonly kind: 'failure'; readonly tier: Tier; readonly error: MnemeError }
  | { readonly kind: 'merged'; readonly answer: RecallAnswer };

/**
 * Yields the hits of each tier as they arrive, best first, and finally all of them in one order: that of
 * `answerRecall`. A tier is sent again when its hits change. A tier that fails or is late is reported as failed and
 * delays no other.
 */
export async function* recallStream(
  deps: RecallStreamDeps,
  { query, tierTimeoutMs }: RecallStreamRequest,
  provided: Call,
): AsyncGenerator<RecallStreamPart> {
  const call = { ...callOf(provided), deadlineAtMs: Math.min(provided.deadlineAtMs, Date.now() + DEADLINE_MS) };
  const wanted = query.tiers ?? TIERS;
  const { search: asked, from = currentCaller() } = await searchOf(deps, query);
  const search = { ...asked, isPerTier: true };
  const sent = new Map<Tier, string>();
  const hasLongTerm = deps.below && !isFromScope(from) && wanted.includes('long_term');
  const arms = inArms({
    all: (signal) => seenBy(from, () => searched(deps, search, { ...call, signal })),
    ...(hasLongTerm && { below: (signal) => searched({ ...deps, ...deps.below }, search, { ...call, signal }) }),
    signal: call.signal,
    ...(tierTimeoutMs === undefined ? {} : { timeoutMs: tierTimeoutMs }),
  });
  let answer: RecallAnswer | undefined;
  for await (const { arm, outcome } of arms) {
    if (outcome instanceof MnemeError) {
      for (const tier of wanted.filter((one) => UPPER.includes(one))) yield { kind: 'failure', tier, error: outcome };
      continue;
    }
    answer = arm === 'all' ? outcome : ofLongTerm(outcome, query, wanted);
    const lost = new Map(outcome.degraded.map(({ part, reason }) => [part, reason]));
    for (const tier of arm === 'all' ? wanted : (['long_term'] as const)) {
      const reason = lost.get(tier);
      if (reason !== undefined) yield { kind: 'failure', tier, error: new MnemeError('STORAGE_UNAVAILABLE', reason) };
      const hits = [...outcome.hits, ...(outcome.further ?? [])].filter(({ memory }) => memory.tier === tier);
      // An empty result is no answer of a failed tier: its previously sent hits stay valid.
      if (reason !== undefined && hits.length === 0) continue;
      const mark = JSON.stringify(
        hits.map(({ memory, score, equalCount }) => [memory.id, memory.revision, score, equalCount]),
      );
      if (sent.get(tier) === mark) continue;
      sent.set(tier, mark);
      yield { kind: 'hits', tier, hits, revision: outcome.revision };
    }
  }
  const found = answer;
  if (found) yield { kind: 'merged', answer: await seenBy(from, () => finished(deps, query, found)) };
}

/** The answer when the upper tiers do not answer in time. */
function ofLongTerm(answer: RecallAnswer, { limit }: RecallRequest, wanted: readonly Tier[]): RecallAnswer {
  const all = [...answer.hits, ...(answer.further ?? [])].filter(({ memory }) => memory.tier === 'long_term');
  const hits = limit === 0 ? all.slice(0, answer.hits.length) : all.slice(0, limit);
  const missing = wanted.filter((tier) => UPPER.includes(tier));
  const lost = missing.map((part) => ({ part, reason: 'the tier did not answer in time' }));
  return { ...answer, hits, degraded: [...lost, ...answer.degraded] };
}

/** The fields of a call that searches use: a spread omits class getters. */
function callOf({ signal, callId, principal, caller, deadlineAtMs }: Call): Call {
  return { signal, callId, principal, caller, deadlineAtMs };
}

type Search = (signal: AbortSignal) => Promise<RecallAnswer>;

export interface SearchArms {
  /** Searches every tier. */
  readonly all: Search;
  /** Searches without the store of the upper tiers. */
  readonly below?: Search;
  readonly signal: AbortSignal;
  /** Maximum wait for `all`, where there is `below`. */
  readonly timeoutMs?: number;
}

export interface ArmOutcome {
  readonly arm: 'all' | 'below';
  /** `all` has failed, and `below` has not. */
  readonly outcome: RecallAnswer | MnemeError;
}

/**
 * Runs both searches concurrently and yields each result; ends once `all` has answered. Fails with the error of `all`
 * when both fail.
 */
async function* inArms({ all, below, signal, timeoutMs }: SearchArms): AsyncGenerator<ArmOutcome> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let timer: NodeJS.Timeout | undefined;
  try {
    const whole = settled('all', all(either));
    if (!below) {
      const { outcome } = await whole;
      if (outcome instanceof Error) throw outcome;
      yield { arm: 'all', outcome };
      return;
    }
    const partial = settled('below', below(either));
    const late = new Promise<Settled>((resolve) => {
      const end = () => resolve({ arm: 'all', outcome: reasonOf(signal) });
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      if (timeoutMs !== undefined)
        timer = setTimeout(() => resolve({ arm: 'all', outcome: tooLate(timeoutMs) }), timeoutMs);
    });
    const answered = Promise.race([whole, late]);
    const first = await Promise.race([answered, partial]);
    if (first.arm === 'below' && !(first.outcome instanceof Error)) yield { arm: 'below', outcome: first.outcome };
    const { outcome } = await answered;
    if (signal.aborted) throw reasonOf(signal);
    if (!(outcome instanceof Error)) {
      yield { arm: 'all', outcome };
      return;
    }
    const rest = first.arm === 'below' ? first : await partial;
    if (rest.outcome instanceof Error || !(outcome instanceof MnemeError)) throw outcome;
    yield { arm: 'all', outcome };
    if (first.arm !== 'below') yield { arm: 'below', outcome: rest.outcome };
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

interface Settled {
  readonly arm: 'all' | 'below';
  readonly outcome: RecallAnswer | Error;
}

function settled(arm: Settled['arm'], search: Promise<RecallAnswer>): Promise<Settled> {
  return search.then(
    (outcome) => ({ arm, outcome }),
    (error: unknown) => ({ arm, outcome: error instanceof Error ? error : new Error(String(error)) }),
  );
}

function tooLate(timeoutMs: number): MnemeError {
  return new MnemeError('DEADLINE_EXCEEDED', `the tier did not answer within ${timeoutMs} ms`);
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new MnemeError('CANCELLED', 'the call was cancelled');
}
